// Times in a few characters.
#include "eventlog/domain/conversation/short_age.hpp"

#include <limits>

#include "tests/support/catch.hpp"

namespace domain {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST_CASE("a short duration is rounded to the nearest second", "[conversation]") {
  CHECK(short_duration(499ms) == "0s");
  CHECK(short_duration(500ms) == "1s");
  CHECK(short_duration(59'499ms) == "59s");
  CHECK(short_duration(59'500ms) == "1m0s");
  CHECK(short_duration(3'599'500ms) == "1h0m");
  CHECK(short_duration(49h) == "49h0m");
  CHECK(short_duration(-1s) == "n/a");
}

TEST_CASE("a short age is rounded from minutes to hours to days", "[conversation]") {
  CHECK(short_age(std::nullopt) == "n/a");
  CHECK(short_age(0s) == "n/a");
  CHECK(short_age(29'999ms) == "just now");
  CHECK(short_age(30s) == "1m ago");
  CHECK(short_age(59min) == "59m ago");
  CHECK(short_age(60min) == "1h ago");
  CHECK(short_age(89min) == "1h ago");
  CHECK(short_age(90min) == "2h ago");
  CHECK(short_age(48h) == "2d ago");
  CHECK(short_age(60h) == "3d ago");
  CHECK_FALSE(short_age(base::Duration::max()).empty());
}

}  // namespace
}  // namespace domain
