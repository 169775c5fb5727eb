// A content index of what was said in all sessions: prompts, the agents' words, and their tools'
// inputs and results (said_text.hpp). It is a SQLite database, search.db, in the index's folder.
//
// Each row has a checksum, so that no text is returned that is not as it was said. Pages that do
// not fit together are found at the opening; a posting that a fault of the disk has removed is not.
#pragma once

#include <set>
#include <vector>

#include "projections/content/content_set.hpp"
#include "projections/content/said_text.hpp"
#include "projections/content/search_query.hpp"
#include "projections/content/snippet.hpp"

namespace projections {

inline constexpr std::string_view kSearchIndexName = "search";

constexpr std::size_t kSearchHitsMax = 1'000;
constexpr std::size_t kSearchSessionsMax = 100;
// Only so many of the matches said last are ranked, since each costs a few µs and a frequent word
// has millions.
constexpr std::int64_t kSearchRankedMax = 5'000;

struct SearchRequest {
  std::vector<SearchGroup> groups;          // of parse_search
  std::string agent{};                      // empty: all agents
  std::vector<base::SessionId> sessions{};  // at most kSearchSessionsMax; empty: all
  std::set<Speaker> speakers{};             // empty: all
  base::Time since{};                       // said then or later, by log time; 0: ever
  Position before{};                        // said before it; 0: no bound
  bool is_newest_first = false;             // otherwise those come first that fit best
  std::size_t limit = 20;                   // 1 to kSearchHitsMax
};

struct FoundText {
  Position position;
  base::Time time;  // log time
  std::string agent;
  base::SessionId session;
  Speaker by = Speaker::user;
  std::string tool;  // of a call that was started
  Snippet snippet;   // the words around the first matches
};

struct FoundTexts {
  Position indexed;  // all that was said up to here was searched
  std::vector<FoundText> texts;
  bool has_more = false;
  bool is_ranked_in_part = false;  // there are more matches than kSearchRankedMax
};

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
