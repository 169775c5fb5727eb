// Texts are counted and cut as a reader sees them.
#include "workers/text/characters.hpp"

#include "tests/support/catch.hpp"

namespace workers {
namespace {

const std::string kFamily = "👨‍👩‍👧";
const std::string kAccent = "e\u0301";

TEST_CASE("a character is what a reader sees as one", "[workers]") {
  CHECK(characters_in("") == 0);
  CHECK(characters_in("abc") == 3);
  CHECK(characters_in("日本語") == 3);
  CHECK(characters_in(kFamily + kAccent) == 2);
  CHECK(characters_in("🇩🇪🇫🇷") == 2);
  CHECK(characters_in("\xff\xfe") == 2);
}

TEST_CASE("a text is cut between characters", "[workers]") {
  CHECK(first_characters("abc", 3) == "abc");
  CHECK(first_characters("abcd", 3) == "abc…");
  CHECK(first_characters(kAccent + kFamily + "x", 2) == kAccent + kFamily + "…");
  CHECK(last_characters("abc", 3) == "abc");
  CHECK(last_characters("x" + kAccent + kFamily, 2) == "…" + kAccent + kFamily);
  CHECK(bytes_of("日本語", 2) == 6);
}

TEST_CASE("a piece ends behind a paragraph, else a line, else a word", "[workers]") {
  CHECK(piece_of("short", 10) == 5);
  CHECK(piece_of("one two\n\nthree\nfour", 16) == 9);
  CHECK(piece_of("one two three\nfour five", 16) == 14);
  CHECK(piece_of("one two three four", 16) == 14);
  CHECK(piece_of("abcdefghijkl", 5) == 5);
  // An early end would leave the piece almost empty.
  CHECK(piece_of("a bcdefghijkl", 10) == 10);
  CHECK(piece_of(kFamily + kFamily, 0) == kFamily.size());
}

TEST_CASE("pieces add up to the text", "[workers]") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "word" + std::to_string(i) + (i % 7 == 0 ? "\n\n" : " ");
  std::string all;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t bytes = piece_of(rest, 100);
    REQUIRE(bytes > 0);
    CHECK(characters_in(rest.substr(0, bytes)) <= 100);
    all += rest.substr(0, bytes);
    rest.remove_prefix(bytes);
  }
  CHECK(all == text);
}

}  // namespace
}  // namespace workers
