// Rows from conversation_list.
#include "workers/queries/conversations.hpp"

#include "eventlog/domain/conversation/conversation.hpp"
#include "workers/protocol/conversations.hpp"

namespace workers {
namespace {

base::Result<ConversationsAnswer> conversations(const QuerySources& sources, const QueryBody& body,
                                                const Query& query) {
  ConversationsAnswer answer;
  answer.position = query.durable;
  if (!body.reference.empty()) {
    const auto id = domain::conversation_id(body.agent, body.reference);
    auto one = projections::get_conversation(sources.views, body.agent, id);
    if (!one) return tl::unexpected(one.error());
    if (*one) answer.conversations.push_back(std::move(**one));
    return answer;
  }
  const std::size_t most = projections::kConversationsMax;
  const std::size_t limit =
      body.limit > 0 ? std::min(static_cast<std::size_t>(body.limit), most) : most;
  auto listed = projections::list_conversations(sources.views, body.agent, limit, {});
  if (!listed) return tl::unexpected(listed.error());
  answer.conversations = std::move(*listed);
  return answer;
}

}  // namespace

const QueryKind kConversationsQuery{kVerbConversations, QueryReads::rows,
                                    projections::ConversationList::kName, run_query<conversations>};

}  // namespace workers
