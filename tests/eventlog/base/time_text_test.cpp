// Points in time as text: exact in both directions, also when the end is left out.
#include "eventlog/base/time_text.hpp"

#include "tests/support/catch.hpp"

namespace {

using base::parse_time_text;
using base::Time;
using base::time_text;

constexpr std::int64_t kNoonUs = 1795176000000000;

TEST_CASE("a time is written so that it is read again", "[base]") {
  CHECK(time_text(Time{kNoonUs + 1}) == "2026-11-20T12:00:00.000001Z");
  for (const std::int64_t us : {std::int64_t{0}, std::int64_t{951782399999999}, kNoonUs}) {
    CHECK(parse_time_text(time_text(Time{us})) == Time{us});
  }
}

TEST_CASE("a time may be cut short at its end", "[base]") {
  for (const auto* text : {"2026-11-20T12:00:00.000000Z", "2026-11-20T12:00:00Z",
                           "2026-11-20 12:00:00", "2026-11-20T12:00", "2026-11-20 12:00Z"}) {
    CHECK(parse_time_text(text) == Time{kNoonUs});
  }
  CHECK(parse_time_text("2026-11-20") == Time{kNoonUs - 43200000000});
  CHECK(parse_time_text("2026-11-20T12:00:00.25") == Time{kNoonUs + 250000});
}

TEST_CASE("what is no time is refused", "[base]") {
  for (const auto* text : {"", "noon", "2026", "2026-11", "2026-13-01", "2026-02-29", "2026-11-20T",
                           "2026-11-20T25:00", "2026-11-20T12:60", "2026-11-20T12:00:00.",
                           "2026-11-20T12:00:00.1234567", "2026-11-20T12:00:00+01:00",
                           "2026-11-20T12:00Zulu", "-2026-11-20", "1969-12-31"}) {
    INFO(text);
    CHECK_FALSE(parse_time_text(text));
  }
}

}  // namespace
