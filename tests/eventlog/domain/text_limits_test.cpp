// Texts that become facts: their bounds, and how they are cut.
#include "eventlog/domain/text_limits.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("a text that becomes a fact has a bound, which it may reach", "[session]") {
  CHECK_FALSE(check_length("model", 0, 5));
  CHECK_FALSE(check_length("model", 5, 5));
  const auto fault = check_length("model", 6, 5);
  REQUIRE(fault);
  CHECK(fault->code == RejectionCode::invalid);
  CHECK(fault->text == "model has 6 bytes, of 5 at most");
}

TEST_CASE("a text is cut between characters, and no further than it must be", "[session]") {
  const std::string text = "aé日🐛z";  // of 1, 2, 3, 4 and 1 bytes
  const std::size_t cuts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t bytes_max = 0; bytes_max < std::size(cuts); ++bytes_max) {
    INFO("at most " << bytes_max);
    std::string cut = text;
    cut_text(cut, bytes_max);
    CHECK(cut == text.substr(0, cuts[bytes_max]));
  }
  std::string no_text(9, '\x80');  // no character begins in it
  cut_text(no_text, 5);
  CHECK(no_text.empty());
  CHECK(cut_fact(std::string(kFactBytesMax, 'x')) == std::string(kFactBytesMax, 'x'));
  CHECK(cut_fact(std::string(kFactBytesMax + 1, 'x')) == std::string(kFactBytesMax, 'x'));
  std::string split(kFactBytesMax - 1, 'x');
  split.append("é");
  CHECK(cut_fact(split) == std::string(kFactBytesMax - 1, 'x'));
}

}  // namespace
}  // namespace domain
