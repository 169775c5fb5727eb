// What is typed is words, phrases, prefixes, alternatives and exclusions; the rest is refused with
// the reason and the way on.
#include "projections/content/search_query.hpp"

#include "tests/support/catch.hpp"

namespace projections {
namespace {

// Returns the terms as text: groups by " | ", "-" of what is excluded, "*" of a prefix.
std::string parsed(std::string_view query) {
  const auto groups = parse_search(query);
  if (!groups) return "refused: " + groups.error().text;
  std::string text;
  for (const SearchGroup& group : *groups) {
    text += text.empty() ? "" : "| ";
    for (const SearchTerm& term : group) {
      text += (term.is_excluded ? "-" : "") + ("[" + term.text) + (term.is_prefix ? "*] " : "] ");
    }
  }
  return text;
}

TEST_CASE("a search consists of words, phrases, prefixes, alternatives and exclusions",
          "[projections]") {
  CHECK(parsed("fix login") == "[fix] [login] ");
  CHECK(parsed("  fix\t\nlogin ") == "[fix] [login] ");
  CHECK(parsed("\"fix login\" now") == "[fix login] [now] ");
  CHECK(parsed("fix*") == "[fix*] ");
  CHECK(parsed("\"fix log\"*") == "[fix log*] ");
  CHECK(parsed("a OR b c") == "[a] | [b] [c] ");
  CHECK(parsed("a AND b") == "[a] [b] ");
  CHECK(parsed("a -b") == "[a] -[b] ");
  CHECK(parsed("a NOT b") == "[a] -[b] ");
  CHECK(parsed("a -\"b c\"") == "[a] -[b c] ");
  CHECK(parsed("a\"b c\"d") == "[a] [b c] [d] ");
}

TEST_CASE("what is no operator is a word", "[projections]") {
  CHECK(parsed("or and not") == "[or] [and] [not] ");
  CHECK(parsed("\"OR\"") == "[OR] ");
  CHECK(parsed("--since 7d") == "[--since] [7d] ");
  CHECK(parsed("a - b") == "[a] [-] [b] ");
  CHECK(parsed("foo.bar(1) {text}: x^2 NEAR(a b)") ==
        "[foo.bar(1)] [{text}:] [x^2] [NEAR(a] [b)] ");
  CHECK(parsed("'; DROP TABLE words; --") == "[';] [DROP] [TABLE] [words;] [--] ");
  CHECK(parsed(std::string_view("a\0b \"c\0d\"", 9)) == "[a] [b] [c d] ");
  CHECK(parsed("AND") == "[AND] ");
  CHECK(parsed("*") == "[*] ");
}

TEST_CASE("a search that says nothing to look for is refused", "[projections]") {
  const auto refuses = [](std::string_view query, const char* word) {
    INFO(query);
    const auto groups = parse_search(query);
    REQUIRE_FALSE(groups);
    CHECK(groups.error().code == base::ErrorCode::invalid);
    CHECK_THAT(groups.error().text, Catch::Contains(word));
  };
  refuses("", "is empty");
  refuses(" \t", "is empty");
  refuses("\"open", "not closed");
  refuses("-a", "only excludes");
  refuses("a OR -b", "only excludes");
  refuses("OR a", "before it");
  refuses("a OR", "after it");
  refuses("a OR OR b", "before it");
  refuses("a NOT", "NOT has no word after it");
  refuses("a \xFF", "UTF-8");
  refuses(std::string(kSearchBytesMax + 1, 'a'), "bytes");
  std::string many;
  for (std::size_t i = 0; i <= kSearchTermsMax; ++i) many += "a ";
  refuses(many, "more than 32");
}

}  // namespace
}  // namespace projections
