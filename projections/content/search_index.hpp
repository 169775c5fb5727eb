// A content index of what was said in all sessions: prompts, the agents' words, and their tools'
// inputs and results (said_text.hpp). It is a SQLite database, search.db, in the index's folder.
//
// Each row has a checksum, so that no text is returned that is not as it was said. Pages that do
// not fit together are found at the opening; a posting that a fault of the disk has removed is not.
#pragma once

#include <string>
#include <vector>

#include "projections/content/content_set.hpp"
#include "projections/content/found_texts.hpp"

namespace projections {

inline constexpr std::string_view kSearchIndexName = "search";

// Errors: invalid, if a word has no letter or digit or the request is over a limit; rows_damaged,
// and then the index is being built anew; those of ContentSet::read.
Result<FoundTexts> search_said(ContentSet& contents, const SearchRequest& request);

// Returns all rows in words, ascending, for comparing two indexes.
Result<std::vector<std::string>> search_rows(ContentSet& contents);

// Called before and after each change of the index's files, for tests that end the process there;
// unset: not called.
extern void (*at_search_index_commit)();

extern const ContentIndexKind kSearchIndex;

}  // namespace projections
