// A page of rows from session_list; names made from prompts are read from the log.
#include "workers/queries/attention.hpp"

#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

// A conversation at rest waits for its next message, whenever that comes. Its session can have
// ended meanwhile, and the next one goes on with it.
bool is_at_rest(const projections::SessionRow& row) {
  if (row.descriptor.conversation.empty()) return false;
  const bool has_news = row.denied > 0 || row.tasks_lost > 0;
  return row.attention == domain::Attention::ended_idle ||
         (row.attention == domain::Attention::waiting_for_input && !has_news);
}

base::Result<AttentionAnswer> attention(const QuerySources& sources, const QueryBody& body,
                                        const Query& query) {
  projections::AttentionFilter filter;
  filter.agent = body.agent;
  if (body.limit > 0) filter.limit = static_cast<std::size_t>(body.limit);
  filter.after = body.after;
  auto page = projections::list_attention(sources.views, filter);
  if (!page) return tl::unexpected(page.error());
  std::erase_if(page->sessions, is_at_rest);
  for (projections::SessionRow& row : page->sessions) name_row(sources, row);
  return AttentionAnswer{query.durable, std::move(page->sessions), page->has_more, page->after};
}

}  // namespace

const QueryKind kAttentionQuery{kVerbAttention, QueryReads::rows, projections::SessionList::kName,
                                run_query<attention>};

}  // namespace workers
