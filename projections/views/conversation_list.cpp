// Each conversation has one row with its folded state.
#include "projections/views/conversation_list.hpp"

#include <algorithm>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/evolve.hpp"

namespace projections {
namespace {

using domain::ConversationState;

constexpr std::int64_t kConversationRowSchema = 1;

Bytes prefix_of(std::string_view agent) {
  return Bytes("c/").append(agent).append(agent.empty() ? "" : "/");
}

Bytes key_of(std::string_view agent, base::SessionId conversation) {
  return prefix_of(agent).append(conversation.view());
}

ConversationShown shown(const ConversationState& state) {
  ConversationShown row;
  row.conversation = domain::conversation_id(state.agent, state.key);
  row.agent = state.agent;
  row.key = state.key;
  row.entry = state.entry;
  row.origin = *state.origin;
  row.parent = state.parent;
  row.last_route = state.last_route;
  row.waiting = static_cast<std::int64_t>(state.queue.waiting.size());
  if (state.run) row.run = state.run->run;
  row.session = state.session;
  row.past = state.past;
  row.messages = state.messages;
  row.runs = state.runs;
  row.resets = state.resets;
  row.opened_at = state.opened_at;
  row.updated_at = state.updated_at;
  return row;
}

}  // namespace

std::int64_t ConversationList::schema() const {
  return domain::kSchemaOf<ConversationState> * 1000 + kConversationRowSchema;
}

void ConversationList::apply(const domain::RecordedEvent& event,
                             const std::optional<domain::StreamRef>& stream, Rows& rows) const {
  if (!stream || !stream->is<domain::ConversationStream>()) return;
  rows.edit<ConversationState>(key_of(stream->agent, stream->id), [&](ConversationState& state) {
    domain::evolve(state, event.envelope, event.event);
    state.requests.clear();
    return true;
  });
}

Result<std::vector<ConversationShown>> list_conversations(eventlog::KeyValueStore& store,
                                                          std::string_view agent, std::size_t limit,
                                                          base::Time before) {
  std::vector<ConversationShown> all;
  Result<void> read;
  const auto walked = for_each_row(RowScanner(store, ConversationList::kName), prefix_of(agent), {},
                                   [&](const Bytes& key, const Bytes& value) {
                                     auto state = detail::decode_row<ConversationState>(key, value);
                                     if (!state) {
                                       read = tl::unexpected(state.error());
                                       return false;
                                     }
                                     const bool is_in =
                                         before.us == 0 || state->updated_at < before;
                                     if (is_in && !state->key.empty()) all.push_back(shown(*state));
                                     return true;
                                   });
  if (!walked) return tl::unexpected(walked.error());
  if (!read) return tl::unexpected(read.error());
  std::sort(all.begin(), all.end(), [](const ConversationShown& a, const ConversationShown& b) {
    return std::tie(b.updated_at, a.key) < std::tie(a.updated_at, b.key);
  });
  if (all.size() > limit) all.resize(limit);
  return all;
}

Result<std::optional<ConversationShown>> get_conversation(eventlog::KeyValueStore& store,
                                                          std::string_view agent,
                                                          base::SessionId conversation) {
  const RowReader rows(store, ConversationList::kName);
  auto state = rows.get<ConversationState>(key_of(agent, conversation));
  if (!state) return tl::unexpected(state.error());
  if (!*state || (*state)->key.empty()) return std::nullopt;
  return shown(**state);
}

}  // namespace projections
