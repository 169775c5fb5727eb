// When schedules are due: once, in steps, by cron lines, and where clocks are set.
#include "eventlog/domain/schedules/timing.hpp"

#include "eventlog/base/time_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fixed_time_zones.hpp"

namespace domain {
namespace {

base::Time at(std::string_view text) {
  return base::parse_time_text(text).value();
}

// The days on which clocks are set in Berlin in 2026.
const support::FixedTimeZones kZones(at("2026-03-29T01:00:00Z"), at("2026-10-25T01:00:00Z"));
constexpr auto kSaving = support::FixedTimeZones::kZone;

std::string fault_of(ScheduleKind kind, std::string_view text) {
  const auto timing = parse_timing(kind, text);
  return timing ? "" : timing.error();
}

// Returns the next times at which it is due, without their ends ":00Z".
std::vector<std::string> due(ScheduleKind kind, std::string_view text, std::string_view after,
                             std::size_t count = 3, const std::string& zone = "UTC") {
  const auto timing = parse_timing(kind, text);
  REQUIRE(timing);
  std::vector<std::string> times;
  base::Time from = at(after);
  const base::Time added = from;
  while (times.size() < count) {
    const auto next = next_due(*timing, zone, kZones, from, added);
    if (!next) break;
    CHECK(*next > from);
    const std::string full = base::time_text(*next);
    times.push_back(full.substr(0, full.find(full[19] == '.' ? ":00." : ":00Z")));
    from = *next;
  }
  return times;
}

std::vector<std::string> cron(std::string_view line, std::string_view after, std::size_t count = 3,
                              const std::string& zone = "UTC") {
  return due(ScheduleKind::cron, line, after, count, zone);
}

using Times = std::vector<std::string>;

TEST_CASE("a cron line is due at the times that its fields name", "[schedules]") {
  CHECK(cron("30 9 * * mon-fri", "2026-11-27T09:30:00Z") ==
        Times{"2026-11-30T09:30", "2026-12-01T09:30", "2026-12-02T09:30"});
  CHECK(cron("*/20 * * * *", "2026-11-27T22:59:59Z") ==
        Times{"2026-11-27T23:00", "2026-11-27T23:20", "2026-11-27T23:40"});
  CHECK(cron("5,10-12 0 1 jan *", "2026-11-27T00:00:00Z", 4) ==
        Times{"2027-01-01T00:05", "2027-01-01T00:10", "2027-01-01T00:11", "2027-01-01T00:12"});
  CHECK(cron("0 0 * * 7", "2026-11-27T00:00:00Z", 1) == Times{"2026-11-29T00:00"});
  CHECK(cron("0 0 * * SUN", "2026-11-27T00:00:00Z", 1) == Times{"2026-11-29T00:00"});
  CHECK(cron("0 0 29 2 *", "2026-11-27T00:00:00Z", 2) ==
        Times{"2028-02-29T00:00", "2032-02-29T00:00"});
  CHECK(cron("10/25 3 * * *", "2026-11-27T00:00:00Z", 3) ==
        Times{"2026-11-27T03:10", "2026-11-27T03:35", "2026-11-28T03:10"});
  CHECK(cron("@daily", "2026-11-27T12:00:00Z", 1) == Times{"2026-11-28T00:00"});
  CHECK(cron("@hourly", "2026-11-27T12:00:00Z", 1) == Times{"2026-11-27T13:00"});
}

TEST_CASE("fields are divided by blanks or tabs, as in a crontab", "[schedules]") {
  CHECK(cron("30\t9\t*\t* \t mon-fri", "2026-11-27T09:30:00Z") ==
        cron("30 9 * * mon-fri", "2026-11-27T09:30:00Z"));
}

TEST_CASE("a day of either kind counts where both are limited", "[schedules]") {
  CHECK(cron("0 0 13 * fri", "2026-11-01T00:00:00Z") ==
        Times{"2026-11-06T00:00", "2026-11-13T00:00", "2026-11-20T00:00"});
  CHECK(cron("0 0 */14 * fri", "2026-11-01T00:00:00Z", 1) == Times{"2027-01-01T00:00"});
}

TEST_CASE("a date that never comes is never due", "[schedules]") {
  CHECK(cron("0 0 31 2 *", "2026-11-27T00:00:00Z").empty());
}

TEST_CASE("a time that the clock skips is due when it jumps", "[schedules]") {
  CHECK(cron("30 2 * * *", "2026-03-28T00:00:00Z", 3, kSaving) ==
        Times{"2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"});
  CHECK(cron("*/15 2 * * *", "2026-03-29T00:00:00Z", 2, kSaving) ==
        Times{"2026-03-29T01:00", "2026-03-30T00:00"});
  CHECK(due(ScheduleKind::at, "2026-03-29 02:30", "2026-03-01T00:00:00Z", 1, kSaving) ==
        Times{"2026-03-29T01:00"});
}

TEST_CASE("a time that the clock shows twice is due once", "[schedules]") {
  CHECK(cron("30 2 * * *", "2026-10-24T12:00:00Z", 2, kSaving) ==
        Times{"2026-10-25T00:30", "2026-10-26T01:30"});
  CHECK(due(ScheduleKind::at, "2026-10-25 02:30", "2026-10-01T00:00:00Z", 2, kSaving) ==
        Times{"2026-10-25T00:30"});
}

TEST_CASE("with a star for the hours it is due whenever the minute comes", "[schedules]") {
  CHECK(cron("30 * * * *", "2026-03-29T00:00:00Z", 3, kSaving) ==
        Times{"2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"});
  CHECK(cron("30 * * * *", "2026-10-24T23:40:00Z", 3, kSaving) ==
        Times{"2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"});
}

TEST_CASE("steps are counted from when the schedule was added", "[schedules]") {
  CHECK(due(ScheduleKind::every, "1h30m", "2026-11-27T10:10:00Z") ==
        Times{"2026-11-27T11:40", "2026-11-27T13:10", "2026-11-27T14:40"});
  const Timing steps = *parse_timing(ScheduleKind::every, "1h");
  CHECK(next_due(steps, "UTC", kZones, at("2026-11-27T15:30:00Z"), at("2026-11-27T10:10:00Z")) ==
        at("2026-11-27T16:10:00Z"));
  // The clock was far behind when it was added.
  CHECK(next_due(steps, "UTC", kZones, at("2026-11-27T05:00:00Z"), at("2026-11-27T10:10:00Z")) ==
        at("2026-11-27T11:10:00Z"));
}

TEST_CASE("a time is due once, and only if it is still to come", "[schedules]") {
  CHECK(due(ScheduleKind::at, "2026-12-01 09:00", "2026-11-27T00:00:00Z", 2, kSaving) ==
        Times{"2026-12-01T08:00"});
  CHECK(due(ScheduleKind::at, "2026-12-01T09:00Z", "2026-11-27T00:00:00Z", 2, kSaving) ==
        Times{"2026-12-01T09:00"});
  CHECK(due(ScheduleKind::at, "2026-12-01 09:00", "2026-12-02T00:00:00Z").empty());
}

TEST_CASE("what is no timing is refused with what is accepted", "[schedules][C30]") {
  CHECK(
      fault_of(ScheduleKind::cron, "0 25 * * *") ==
      "'25' is no hour; accepted are 0 to 23, *, and of these lists (a,b), ranges (a-b) and steps "
      "(a-b/n)");
  CHECK(fault_of(ScheduleKind::cron, "0 1 * foo *")
            .find("'foo' is no month; accepted are 1 to 12, "
                  "jan to dec") == 0);
  CHECK(fault_of(ScheduleKind::cron, "0 1 * *").find("five fields") != std::string::npos);
  for (const char* line : {"5-1 * * * *", "*/0 * * * *", "1- * * * *", ", * * * *", "-1 * * * *",
                           "1.5 * * * *", "60 * * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *",
                           "* * * * 8", "99999999999 * * * *", "1/2/3 * * * *", ""}) {
    CAPTURE(line);
    CHECK_FALSE(fault_of(ScheduleKind::cron, line).empty());
  }
  for (const char* step :
       {"", "0s", "5", "h", "5x", "-5m", "1h 5m", "367d", "9999999999s", "1.5h"}) {
    CAPTURE(step);
    CHECK(fault_of(ScheduleKind::every, step).find("is no time; accepted are s, m, h and d") !=
          std::string::npos);
  }
  for (const char* time : {"", "tomorrow", "2026-12-01", "2026-13-01 09:00", "09:00"}) {
    CAPTURE(time);
    CHECK(fault_of(ScheduleKind::at, time).find("is no time; accepted are a date") !=
          std::string::npos);
  }
}

}  // namespace
}  // namespace domain
