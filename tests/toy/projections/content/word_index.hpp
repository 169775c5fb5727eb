// A content index that finds the events in whose texts a word is.
#pragma once

#include <vector>

#include "eventlog/store/key_value_store.hpp"
#include "projections/content/content_set.hpp"

namespace projections {

inline constexpr std::string_view kWordIndexName = "words";

// Returns the positions of the events whose texts have the word, ascending.
Result<std::vector<Position>> find_word(ContentSet& contents, std::string_view word);

// Returns all rows of the index.
Result<std::vector<eventlog::KeyValue>> word_rows(ContentSet& contents);

// Called before and after each change of the index's files, for tests that end the process there;
// unset: not called.
extern void (*at_word_index_commit)();

extern const ContentIndexKind kWordIndex;

}  // namespace projections
