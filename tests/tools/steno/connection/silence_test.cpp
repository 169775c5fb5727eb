// The words about an agent that gives no sign of its work.
#include "tools/steno/connection/silence.hpp"

#include "tests/support/catch.hpp"

namespace steno {
namespace {

projections::SessionRow working() {
  projections::SessionRow row;
  row.turn.bytes.back() = 1;
  row.updated_at = base::Time{1'000'000'000};
  return row;
}

base::Time after(const projections::SessionRow& row, std::chrono::seconds time) {
  return row.updated_at + time;
}

TEST_CASE("an agent at work is silent once it said nothing for a minute", "[tools]") {
  const auto row = working();
  CHECK(silence_text(row, after(row, std::chrono::seconds(59))).empty());
  CHECK(silence_text(row, after(row, std::chrono::seconds(60))) == "silent 1m0s");
}

TEST_CASE("an agent without work is not silent", "[tools]") {
  auto row = working();
  row.turn = {};
  CHECK(silence_text(row, after(row, std::chrono::hours(9))).empty());
  row.own_turn.bytes.back() = 1;
  CHECK(silence_text(row, after(row, std::chrono::seconds(200))) == "silent 3m20s");
}

TEST_CASE("why an agent makes a call again is told at once", "[tools]") {
  auto row = working();
  row.trouble = "rate_limit, HTTP 429, attempt 3 of 10";
  CHECK(silence_text(row, row.updated_at) == "retrying (rate_limit, HTTP 429, attempt 3 of 10)");
  CHECK(silence_text(row, after(row, std::chrono::seconds(61))) ==
        "silent 1m1s, retrying (rate_limit, HTTP 429, attempt 3 of 10)");
}

}  // namespace
}  // namespace steno
