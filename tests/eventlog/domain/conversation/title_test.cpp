// Titles say what a conversation is about, in few characters.
#include "eventlog/domain/conversation/title.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

constexpr std::string_view kFamily = "👩‍👩‍👧";

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

std::string title(std::string_view said) {
  return title_of({"", " ", said, "abcd1234-5678", Time{}}).value_or("");
}

TEST_CASE("a title is cut at a word beyond 60 percent of its length", "[conversation][R285]") {
  const auto cut_at = [](std::size_t blank) {
    return title(repeated("a", blank) + " " + repeated("b", 70));
  };
  CHECK(cut_at(37) == repeated("a", 37) + "…");
  CHECK(cut_at(36) == repeated("a", 36) + " " + repeated("b", 22) + "…");
  CHECK(title(repeated("a", 60)) == repeated("a", 60));
  CHECK(title(repeated("a", 61)) == repeated("a", 59) + "…");
  CHECK(title(repeated("é", 37) + " " + repeated("e", 70)) == repeated("é", 37) + "…");
}

TEST_CASE("a title is counted in characters and never cut inside one", "[conversation][R285]") {
  CHECK(title(repeated(kFamily, 60)) == repeated(kFamily, 60));
  CHECK(title(repeated(kFamily, 61)) == repeated(kFamily, 59) + "…");
  CHECK(title("a" + repeated("\xCC\x81", 100'000)).size() < 10);
  CHECK(title(repeated("\xFF", 70)) == repeated("\xFF", 59) + "…");
}

TEST_CASE("a title is one line", "[conversation][R285]") {
  CHECK(title(" a\r\n\tb\xE2\x80\xA8\xC2\xA0 c ") == "a b c");
  CHECK(title(std::string(std::size_t{1} << 20, ' ') + "late") == "abcd1234");
}

TEST_CASE("blocks of code go with their content", "[conversation][R285]") {
  CHECK(title("a\n```js\nx\n```\nb\n~~~\ny\n~~~\nc") == "a b c");
  CHECK(title("a ```x``` b") == "a b");
  CHECK(title("```x``` b") == "b");
  CHECK(title("````md\n```\nx\n```\n````\nb") == "b");
  CHECK(title("```\nlet s = \"```\";\n```\nb") == "b");
  CHECK(title("- one:\n  ```\n  x\n  ```\nb") == "- one: b");
  CHECK(title("a\n```js\nlet b") == "a");
  CHECK(title("what does ``` mean, and ~~~ ?") == "what does mean, and ~~~ ?");
  CHECK(title("use `x` here") == "use `x` here");
  CHECK(title("```\nx\n```") == "abcd1234");
}

TEST_CASE("without words the title is the session's id and day", "[conversation]") {
  CHECK(title_of({"", "", "", "abcd1234-5", Time{1'710'498'600'000'000}}) ==
        "abcd1234 (2024-03-15)");
  CHECK(title_of({"", "", "", "ab", Time{-5}}) == "ab");
  CHECK(title_of({"", "", " \n ", " ", Time{5}}) == std::nullopt);
}

TEST_CASE("a label has at most 64 characters", "[conversation][R286]") {
  CHECK(parse_label(repeated(kFamily, 64)).label == repeated(kFamily, 64));
  CHECK(parse_label(repeated(kFamily, 65)).fault == LabelFault::too_long);
  CHECK(parse_label(" \xE3\x80\x80\n").fault == LabelFault::empty);
  CHECK(parse_label("a" + repeated("\xCC\x81", 10'000)).fault == LabelFault::too_long);
}

}  // namespace
}  // namespace domain
