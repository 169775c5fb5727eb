// The zones of this machine: known ones, and the days on which clocks are set.
#include "workers/time_zones/system_time_zones.hpp"

#include "eventlog/base/time_text.hpp"
#include "tests/support/catch.hpp"

namespace workers {
namespace {

base::Time moment(std::string_view text) {
  return base::parse_time_text(text).value();
}

std::chrono::minutes shown(std::string_view text) {
  return std::chrono::duration_cast<std::chrono::minutes>(base::Duration(moment(text).us));
}

TEST_CASE("zones are known by the names of the IANA database", "[workers]") {
  const SystemTimeZones zones;
  for (const char* zone : {"UTC", "Europe/Berlin", "America/New_York"}) CHECK(zones.has(zone));
  for (const char* zone : {"", "Mars/Olympus", "../../etc/passwd", "europe/berlin"}) {
    CHECK_FALSE(zones.has(zone));
  }
}

TEST_CASE("a zone says what its clocks show, also where they are set", "[workers]") {
  const SystemTimeZones zones;
  const std::string berlin = "Europe/Berlin";
  CHECK(zones.local(berlin, moment("2026-07-01T10:00:59Z")) == shown("2026-07-01T12:00"));
  CHECK(zones.local("UTC", moment("2026-07-01T10:00:59Z")) == shown("2026-07-01T10:00"));
  CHECK(zones.moments("UTC", shown("2026-07-01T10:00")).first == moment("2026-07-01T10:00"));

  const auto once = zones.moments(berlin, shown("2026-12-01T09:00"));
  CHECK(once.first == moment("2026-12-01T08:00"));
  CHECK_FALSE(once.second);
  CHECK_FALSE(once.is_skipped);

  const auto never = zones.moments(berlin, shown("2026-03-29T02:30"));
  CHECK(never.is_skipped);
  CHECK(never.first == moment("2026-03-29T01:00"));

  const auto twice = zones.moments(berlin, shown("2026-10-25T02:30"));
  CHECK(twice.first == moment("2026-10-25T00:30"));
  CHECK(twice.second == moment("2026-10-25T01:30"));
}

}  // namespace
}  // namespace workers
