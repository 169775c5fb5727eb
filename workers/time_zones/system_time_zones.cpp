// Asks Howard Hinnant's date library, which reads the database once, and each zone when it is asked
// for.
#include "workers/time_zones/system_time_zones.hpp"

#include <exception>

#include <date/tz.h>

namespace workers {
namespace {

using std::chrono::minutes;

base::Time time_of(date::sys_seconds at) {
  return {base::Duration(at.time_since_epoch()).count()};
}

// Returns null if the zone is not known, or its file cannot be read. What was read once stays.
const date::time_zone* find(const std::string& zone) {
  try {
    const date::time_zone* found = date::locate_zone(zone);
    found->get_info(date::sys_seconds{});
    return found;
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool is_utc(const std::string& zone) {
  return zone == "UTC";
}

}  // namespace

bool SystemTimeZones::has(const std::string& zone) const {
  return is_utc(zone) || find(zone) != nullptr;
}

minutes SystemTimeZones::local(const std::string& zone, base::Time at) const {
  const date::sys_time<base::Duration> moment{base::Duration(at.us)};
  if (is_utc(zone)) return std::chrono::floor<minutes>(moment.time_since_epoch());
  const auto local = find(zone)->to_local(date::floor<std::chrono::seconds>(moment));
  return std::chrono::floor<minutes>(local.time_since_epoch());
}

domain::ShownAt SystemTimeZones::moments(const std::string& zone, minutes local) const {
  const std::chrono::seconds shown(local);
  if (is_utc(zone)) return {time_of(date::sys_seconds(shown)), std::nullopt, false};
  const date::local_info info = find(zone)->get_info(date::local_seconds(shown));
  if (info.result == date::local_info::nonexistent) {
    return {time_of(info.first.end), std::nullopt, true};
  }
  domain::ShownAt at{time_of(date::sys_seconds(shown - info.first.offset)), std::nullopt, false};
  if (info.result == date::local_info::ambiguous) {
    at.second = time_of(date::sys_seconds(shown - info.second.offset));
  }
  return at;
}

}  // namespace workers
