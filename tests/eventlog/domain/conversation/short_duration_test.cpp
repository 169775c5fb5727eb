// Durations that users write in one word.
#include "eventlog/domain/conversation/short_duration.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

using std::chrono::milliseconds;

std::optional<base::Duration> parsed(std::string_view text) {
  return parse_short_duration(text, milliseconds(1));
}

TEST_CASE("a duration is exact in decimal, and halves of a millisecond go up", "[conversation]") {
  CHECK(parsed("0.5ms") == milliseconds(1));
  CHECK(parsed("0.49999999999999999ms") == milliseconds(0));
  CHECK(parsed("1.9999999999d") == milliseconds(172'800'000));
  CHECK(parsed("007s") == milliseconds(7'000));
  CHECK(parsed("\t1H ") == milliseconds(3'600'000));
  CHECK(parse_short_duration("1.5", std::chrono::hours(24)) == std::chrono::hours(36));
}

TEST_CASE("a text that is no duration gives none", "[conversation]") {
  for (const char* text : {" ", ".", ".5s", "5.", "5.s", "s", "+1s", "1e3", "1w", "1s2", "1.2.3s",
                           "0x10", "١s", "1\xFF", "٣"}) {
    INFO(text);
    CHECK_FALSE(parsed(text));
  }
  CHECK_FALSE(parsed(std::string_view("1\0s", 3)));
}

TEST_CASE("a duration beyond what can be kept gives none", "[conversation]") {
  CHECK(parsed("9223372036854775ms"));
  CHECK_FALSE(parsed("9223372036854776ms"));
  CHECK_FALSE(parsed("9223372036854775.9ms"));
  CHECK_FALSE(parsed("9223372036854775807d"));
  CHECK_FALSE(parsed(std::string(1'000, '9') + "s"));
}

}  // namespace
}  // namespace domain
