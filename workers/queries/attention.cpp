// A page of rows from session_list, and the lanes from conversation_list; names made from prompts
// are read from the log.
#include "workers/queries/attention.hpp"

#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

base::Result<AttentionAnswer> attention(const QuerySources& sources, const QueryBody& body,
                                        const Query& query) {
  projections::AttentionFilter filter;
  filter.agent = body.agent;
  if (body.limit > 0) filter.limit = static_cast<std::size_t>(body.limit);
  filter.after = body.after;
  auto page = projections::list_attention(sources.views, filter);
  if (!page) return tl::unexpected(page.error());
  for (projections::SessionRow& row : page->sessions) complete_row(sources, row);
  std::erase_if(page->sessions, [](const projections::SessionRow& row) {
    return row.attention == domain::Attention::none;
  });
  auto lanes = projections::list_lanes(sources.views);
  if (!lanes) return tl::unexpected(lanes.error());
  for (projections::LaneShown& lane : *lanes) {
    const bool is_seen = body.agent.empty() || lane.agent == body.agent;
    if (!is_seen) lane.first = lane.agent = {};
  }
  return AttentionAnswer{query.durable, std::move(page->sessions), page->has_more, page->after,
                         std::move(*lanes)};
}

}  // namespace

const QueryKind kAttentionQuery{
    kVerbAttention,       QueryReads::rows, projections::SessionList::kName,
    run_query<attention>, nullptr,          projections::ConversationList::kName};

}  // namespace workers
