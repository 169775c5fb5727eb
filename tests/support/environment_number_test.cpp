// Seeds and counts from the environment: a number that cannot be read, or is too small, is an
// error.
#include "tests/support/environment_number.hpp"

#include "tests/support/catch.hpp"

namespace {

using support::environment_number;

constexpr const char* kNumber = "STENO_TEST_OF_ENVIRONMENT_NUMBER";

struct NumberSet {
  explicit NumberSet(const char* text) { ::setenv(kNumber, text, 1); }
  ~NumberSet() { ::unsetenv(kNumber); }
};

TEST_CASE("a number from the environment is taken whole, or fails the test", "[support]") {
  CHECK(environment_number(kNumber, -7) == -7);
  {
    const NumberSet set("9223372036854775807");
    CHECK(environment_number(kNumber, 1) == 9223372036854775807);
  }
  {
    const NumberSet set("0");
    CHECK(environment_number(kNumber, 1, 0) == 0);
  }
  for (const char* text :
       {"", "x", "0", "-1", "12x", " 12", "12 ", "+12", "1e3", "0x10", "9223372036854775808"}) {
    INFO(text);
    const NumberSet set(text);
    CHECK_THROWS_WITH(environment_number(kNumber, 1),
                      std::string(kNumber) + " is '" + text + "'; it must be a number from 1 on");
  }
}

}  // namespace
