// Each conversation has one row with its folded state.
#include "projections/views/conversation_list.hpp"

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/evolve.hpp"

namespace projections {
namespace {

using domain::ConversationState;

constexpr std::int64_t kConversationRowSchema = 2;

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
  for (const domain::QueuedMessage& message : state.queue.waiting) {
    for (const domain::QueuedFile& file : *message.files) row.files.push_back(file.facts);
  }
  if (state.run) row.run = state.run->run;
  row.session = state.session;
  row.past = state.past;
  row.messages = state.messages;
  row.runs = state.runs;
  row.resets = state.resets;
  row.opened_at = state.opened_at;
  row.updated_at = state.updated_at;
  row.first = state.first;
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

Result<void> for_each_conversation(eventlog::KeyValueStore& store, std::string_view agent,
                                   const std::function<void(const ConversationShown&)>& visit) {
  Result<void> read;
  const auto walked = for_each_row(RowScanner(store, ConversationList::kName), prefix_of(agent), {},
                                   [&](const Bytes& key, const Bytes& value) {
                                     auto state = detail::decode_row<ConversationState>(key, value);
                                     if (!state) {
                                       read = tl::unexpected(state.error());
                                       return false;
                                     }
                                     if (!state->key.empty()) visit(shown(*state));
                                     return true;
                                   });
  if (!walked) return tl::unexpected(walked.error());
  return read;
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
