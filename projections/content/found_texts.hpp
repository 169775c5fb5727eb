// The question to the search index, and its answer.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "eventlog/base/ids.hpp"
#include "projections/content/said_text.hpp"
#include "projections/content/search_query.hpp"
#include "projections/content/snippet.hpp"

namespace projections {

using base::Position;

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

}  // namespace projections
