// The list of all kinds of queries: a further one is a line here.
#include "workers/queries/queries.hpp"

#include <algorithm>

#include "workers/queries/asks.hpp"
#include "workers/queries/attention.hpp"
#include "workers/queries/conversations.hpp"
#include "workers/queries/list.hpp"
#include "workers/queries/output.hpp"
#include "workers/queries/read_log.hpp"
#include "workers/queries/record.hpp"
#include "workers/queries/search.hpp"
#include "workers/queries/show.hpp"
#include "workers/queries/stats.hpp"

namespace workers {
namespace {

// The service answers this one: digests of all rows take seconds with a million sessions.
constexpr QueryKind kDigestsQuery{kVerbDigests, QueryReads::rows, {}, nullptr};

constexpr const QueryKind* kAll[] = {
    &kListQuery,   &kAttentionQuery,     &kShowQuery,    &kOutputQuery,
    &kStatsQuery,  &kDigestsQuery,       &kReadLogQuery, &kAsksQuery,
    &kSearchQuery, &kConversationsQuery, &kRecordQuery,
};

}  // namespace

std::span<const QueryKind* const> query_kinds() {
  return kAll;
}

const QueryKind* find_query(std::string_view verb) {
  const auto found = std::find_if(std::begin(kAll), std::end(kAll),
                                  [&](const QueryKind* kind) { return kind->verb == verb; });
  return found == std::end(kAll) ? nullptr : *found;
}

}  // namespace workers
