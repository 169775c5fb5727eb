// A page of rows from session_list; names made from prompts are read from the log.
#include "workers/queries/list.hpp"

#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

// The rows of the sessions that are named, as far as they are there. An agent is named with them.
base::Result<ListAnswer> list_named(const QuerySources& sources, const QueryBody& body,
                                    const Query& query) {
  ListAnswer answer;
  answer.position = query.durable;
  for (const base::SessionId& session : body.sessions) {
    if (answer.sessions.size() >= projections::kSessionsMax) break;
    auto row = projections::get_session(sources.views, body.agent, session);
    if (!row) return tl::unexpected(row.error());
    if (!*row) continue;
    complete_row(sources, **row);
    answer.sessions.push_back(std::move(**row));
  }
  answer.total = static_cast<std::int64_t>(answer.sessions.size());
  return answer;
}

base::Result<ListAnswer> list(const QuerySources& sources, const QueryBody& body,
                              const Query& query) {
  if (!body.sessions.empty()) return list_named(sources, body, query);
  projections::SessionFilter filter;
  filter.agent = body.agent;
  filter.statuses = body.statuses;
  if (body.limit > 0) filter.limit = static_cast<std::size_t>(body.limit);
  filter.active_since = body.active_since;
  filter.before = body.before;
  auto page = projections::list_sessions(sources.views, filter);
  if (!page) return tl::unexpected(page.error());
  for (projections::SessionRow& row : page->sessions) complete_row(sources, row);
  return ListAnswer{query.durable, std::move(page->sessions), page->has_more, page->before,
                    page->total};
}

}  // namespace

const QueryKind kListQuery{kVerbList, QueryReads::rows, projections::SessionList::kName,
                           run_query<list>};

}  // namespace workers
