// A page of rows from session_list; names made from prompts are read from the log.
#include "workers/queries/list.hpp"

#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

base::Result<ListAnswer> list(const QuerySources& sources, const QueryBody& body,
                              const Query& query) {
  projections::SessionFilter filter;
  filter.agent = body.agent;
  filter.statuses = body.statuses;
  if (body.limit > 0) filter.limit = static_cast<std::size_t>(body.limit);
  filter.active_since = body.active_since;
  filter.before = body.before;
  auto page = projections::list_sessions(sources.views, filter);
  if (!page) return tl::unexpected(page.error());
  for (projections::SessionRow& row : page->sessions) name_row(sources, row);
  return ListAnswer{query.durable, std::move(page->sessions), page->has_more, page->before,
                    page->total};
}

}  // namespace

const QueryKind kListQuery{kVerbList, QueryReads::rows, projections::SessionList::kName,
                           run_query<list>};

}  // namespace workers
