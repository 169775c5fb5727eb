// Finds and commands conversations for a caller.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eventlog/domain/conversation/conversation.hpp"
#include "workers/operations/caller.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/protocol/queries.hpp"

namespace workers {

struct NamedConversation {
  std::string agent;
  std::string key;  // in the form in which it is kept
};

// Returns the conversation that a caller means by `given`: "main" is that of the caller's agent.
// Refuses a text that is no key, and to an agent of a session the key of another agent.
Outcome<NamedConversation> named_conversation(const Caller& caller, const std::string& given);

Task<Outcome<ConversationReplyBody>> send_command(const Caller& caller,
                                                  const NamedConversation& named,
                                                  const domain::ConversationCommand& command);

// Error not_found if there is no such conversation.
Task<Outcome<projections::ConversationShown>> find_conversation(const Caller& caller,
                                                                const NamedConversation& named);

// What became of a message, as far as it has ended.
struct MessageOutcome {
  bool is_over = false;     // false: the agent is still to answer
  std::string why;          // no agent was given it, or its turn failed; empty: it was answered
  base::SessionId session;  // that has answered, or is about to; unset: none yet
  base::TurnId run;
  std::string answer;            // the agent's words
  std::vector<AskShown> asks{};  // what the agent asks of people, and waits for
  base::Time as_of{};            // of these, wall time
};
// Hears what the agent asks anew.
using OnAsk = std::function<void(const AskShown&)>;
// Waits at most so long until the message of that reply has been answered. One that left nothing
// for the agent is over at once. The arguments outlive the task.
Task<Outcome<MessageOutcome>> await_answer(const Caller& caller, const NamedConversation& named,
                                           const ConversationReplyBody& reply, base::Duration most,
                                           OnAsk on_ask = {});

}  // namespace workers
