// Texts as a reader sees them.
#include "eventlog/domain/conversation/shown_text.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("a text is cut between characters that a reader sees", "[conversation]") {
  const std::string_view shown[] = {
      "e\u0301", "👩🏽‍🚀", "🇩🇪", "🇫🇷", "❤️", "নি", "각", "\r\n", "x"};
  std::string text;
  for (const std::string_view one : shown) text += one;
  std::size_t end = 0;
  for (std::size_t count = 0; count < std::size(shown); ++count) {
    INFO(count);
    CHECK(first_shown(text, count).size() == end);
    end += shown[count].size();
  }
  CHECK(first_shown(text, 100) == text);
}

TEST_CASE("a bound of bytes leaves out the character that does not fit", "[conversation]") {
  CHECK(first_shown("ae\u0301", 9, 3) == "a");
  CHECK(first_shown("ae\u0301", 9, 4) == "ae\u0301");
  CHECK(first_shown("", 9).empty());
}

TEST_CASE("bytes that are not UTF-8 are characters, wherever they stand", "[conversation]") {
  for (const std::string_view bytes :
       {"\xF0\x9F", "\xC3", "\x80\x80", "\xFF\xFE", "\xED\xA0\x80"}) {
    CHECK(first_shown(bytes, 9) == bytes);
    CHECK(first_shown(bytes, 1).size() == 1);
    CHECK(trimmed(bytes) == bytes);
    CHECK(small_letters(bytes) == bytes);
    CHECK(one_line(bytes) == bytes);
  }
}

TEST_CASE("white space of all scripts is trimmed and becomes one blank", "[conversation]") {
  CHECK(trimmed("\uFEFF\u3000 a b\u2003\n") == "a b");
  CHECK(trimmed(" \n ").empty());
  CHECK(one_line("\n a \t\u00A0\r\n b\u2028") == "a b");
  CHECK(one_line("").empty());
  CHECK(one_line("abcdef", 3) == "abcd");
  CHECK(small_letters("ÄSTÉ Ж") == "ästé ж");
}

}  // namespace
}  // namespace domain
