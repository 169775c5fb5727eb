// What people search for, and the texts of agents and tools that are searched.
#include "eventlog/base/bytes.hpp"
#include "projections/content/said_text.hpp"
#include "projections/content/search_query.hpp"
#include "projections/content/snippet.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

void fuzz_query(base::ByteView in) {
  const auto groups = projections::parse_search(in);
  if (!groups) {
    fuzz::require(groups.error().code == base::ErrorCode::invalid && !groups.error().text.empty(),
                  "an error says what is wrong");
    return;
  }
  std::size_t terms = 0;
  for (const projections::SearchGroup& group : *groups) {
    bool has_wanted = false;
    for (const projections::SearchTerm& term : group) {
      has_wanted |= !term.is_excluded;
      ++terms;
      fuzz::require(base::is_utf8(term.text) && term.text.find('\0') == std::string::npos,
                    "a term can be quoted");
    }
    fuzz::require(has_wanted, "each group says what to look for");
  }
  fuzz::require(terms <= projections::kSearchTermsMax, "the terms are bounded");
}

void fuzz_snippet(base::ByteView in) {
  const projections::Snippet snippet = projections::make_snippet(in);
  fuzz::require(snippet.text.size() <= projections::kSnippetBytesMax + 6, "a snippet is short");
  fuzz::require(snippet.marks.size() % 2 == 0, "each match has an end");
  std::int64_t last = 0;
  for (const std::int64_t mark : snippet.marks) {
    fuzz::require(mark >= last && mark <= static_cast<std::int64_t>(snippet.text.size()),
                  "matches are in the text, in order");
    last = mark;
  }
  if (base::is_utf8(in)) fuzz::require(base::is_utf8(snippet.text), "a snippet is text");
}

}  // namespace

// Every input is tried as each of them.
void fuzz::run(ByteView in) {
  fuzz_query(in);
  fuzz_snippet(in);
  for (const bool may_be_json : {false, true}) {
    const std::string said = projections::said_text(in, may_be_json);
    require(base::is_utf8(said) &&
                said.find_first_of(std::string_view("\0\1\2", 3)) == std::string::npos,
            "what is searched is text without marks");
    require(said.size() <= 3 * projections::kSaidBytesMax, "what is searched is bounded");
  }
}
