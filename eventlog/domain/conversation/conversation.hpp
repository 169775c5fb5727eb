// A conversation: a place under a session key, to which people and programs keep talking. Its
// messages are runs of one session after another.
#pragma once

#include "eventlog/domain/conversation/commands.hpp"
#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/stream_ref.hpp"

namespace domain {

struct ConversationStream {
  using State = ConversationState;
  using Events = ConversationEvents;
  using Command = ConversationCommand;
  using ClientCommands = ConversationClientCommands;
  using Reply = ConversationReply;
  static constexpr std::string_view kPattern = "{agent}/conversation/{id}";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "conversation";
};

// Returns the id of the stream of that key's conversation.
inline SessionId conversation_id(std::string_view agent, std::string_view key) {
  return keyed_id(ConversationStream::kPattern, agent, key);
}
inline std::string conversation_stream(std::string_view agent, std::string_view key) {
  return format_stream(ConversationStream::kPattern, agent, conversation_id(agent, key));
}

// Adds to a decision, of whichever stream, that the conversation's run is over: in the
// conversation, and in its lane, where it goes to the end of the line if more waits. `steered`: the
// messages that the agent was given within the run, too.
void end_run(Decision& decision, const ConversationState& state, RunEnd end,
             const std::vector<MessageSteered>& steered);

}  // namespace domain
