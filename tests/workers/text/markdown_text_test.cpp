// Headings, strong words and code are shown, and no character of a text is lost by it.
#include "workers/text/markdown_text.hpp"

#include "tests/support/catch.hpp"

namespace {

using workers::styled_markdown;

// Writes the sequences as the letters B, b, C and c.
std::string shown(std::string_view text) {
  std::string styled = styled_markdown(text);
  const std::pair<std::string, char> kinds[] = {
      {"\x1b[1m", 'B'}, {"\x1b[22m", 'b'}, {"\x1b[36m", 'C'}, {"\x1b[39m", 'c'}};
  for (const auto& [sequence, letter] : kinds) {
    for (std::size_t at = 0; (at = styled.find(sequence)) != std::string::npos;) {
      styled.replace(at, sequence.size(), std::string("<") + letter + ">");
    }
  }
  return styled;
}

TEST_CASE("headings and strong words are bold", "[workers]") {
  CHECK(shown("# All\ntext\n###### six\n") == "<B># All<b>\ntext\n<B>###### six<b>\n");
  CHECK(shown("a **strong** word, **two of them**") ==
        "a <B>**strong**<b> word, <B>**two of them**<b>");
  CHECK(shown("**with `code` inside**") == "<B>**with <C>`code`<c> inside**<b>");
}

TEST_CASE("code has a colour", "[workers]") {
  CHECK(shown("run `make **x**` now") == "run <C>`make **x**`<c> now");
  CHECK(shown("a ``tick ` inside`` b") == "a <C>``tick ` inside``<c> b");
  CHECK(shown("```sh\n# no heading\n\nls\n```\nafter **b**") ==
        "<C>```sh<c>\n<C># no heading<c>\n\n<C>ls<c>\n<C>```<c>\nafter <B>**b**<b>");
  CHECK(shown("~~~\n```\n~~~\nout") == "<C>~~~<c>\n<C>```<c>\n<C>~~~<c>\nout");
}

TEST_CASE("marks that mean nothing stay plain", "[workers]") {
  for (const std::string text :
       {"2 ** 3 ** 4", "**", "****", "** blank **", "**open", "`open", "``two` of one", "#hash",
        "####### seven", "#", "a * b * c", "", "\n\n", "*"}) {
    CHECK(shown(text) == text);
  }
}

TEST_CASE("no character is left out, whatever the text is", "[workers]") {
  const std::string_view pieces[] = {"**", "*", "`", "``", "```", "# ", "\n", " ", "a", "é", "~~~"};
  constexpr std::size_t kPieces = std::size(pieces);
  for (std::size_t seed = 0; seed < kPieces * kPieces * kPieces * kPieces; ++seed) {
    std::string text;
    for (std::size_t rest = seed, i = 0; i < 4; ++i, rest /= kPieces) {
      text += pieces[rest % kPieces];
    }
    std::string plain = styled_markdown(text);
    for (const std::string sequence : {"\x1b[1m", "\x1b[22m", "\x1b[36m", "\x1b[39m"}) {
      for (std::size_t at = 0; (at = plain.find(sequence)) != std::string::npos;) {
        plain.erase(at, sequence.size());
      }
    }
    if (plain != text) CHECK(plain == text);
  }
}

}  // namespace
