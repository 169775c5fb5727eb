// Takes a query apart into words, as somebody has typed it. Nothing of it reaches the index's own
// query language but as a quoted word.
//
//   query  = group *("OR" group)          one of the groups must hold
//   group  = 1*(["AND"] term)             all of its terms must hold
//   term   = ["-" / "NOT"] (word / phrase) ["*"]
//   phrase = DQUOTE *char DQUOTE          its words must follow each other
//
// "-" excludes, and "*" stands for the rest of the last word. A group needs a term that it does not
// exclude. All other characters of a word divide it, so that foo.bar(1) is the phrase "foo bar 1".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"

namespace projections {

struct SearchTerm {
  std::string text;  // a word or a phrase, without its quotes
  bool is_prefix = false;
  bool is_excluded = false;

  bool operator==(const SearchTerm&) const = default;
};

using SearchGroup = std::vector<SearchTerm>;

// Longer queries are refused: they are pasted texts, and each term costs a look into the index.
constexpr std::size_t kSearchBytesMax = 2'000;
constexpr std::size_t kSearchTermsMax = 32;

// Error invalid: its text says what is wrong with the query, why, and how to write it.
base::Result<std::vector<SearchGroup>> parse_search(std::string_view query);

}  // namespace projections
