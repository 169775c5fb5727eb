// The results of operations as JSON, for programs. The names are those of claude-code.sessions.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "workers/operations/results.hpp"

namespace workers {

using Json = nlohmann::ordered_json;

// Returns JSON on one line. Texts of agents can hold bytes that are not UTF-8; each becomes U+FFFD.
std::string json_text(const Json& json);
// Likewise, in ASCII: what an agent asks must not reach a terminal as it is.
std::string ascii_text(const Json& json);

// Returns an amount as a number of dollars.
Json dollars_json(base::NanoUsd amount);

// Each returns an object.
Json json_of(const SessionPage& page);
Json json_of(const ResumableSessions& resumable);
Json json_of(const Launched& launched);
Json json_of(const SentPrompt& sent);
Json json_of(const KilledSession& killed);
Json json_of(const InterruptedTurn& interrupted);
Json json_of(const ChangedSession& changed);
Json json_of(const RenamedSession& renamed);
Json json_of(const OfferedCommands& offered);
Json json_of(const AskPage& page);
Json json_of(const AnsweredAsk& answered);
Json json_of(const LastOutput& output);
Json json_of(const EventPage& page);
Json json_of(const InForeground& watched);
Json json_of(const InBackground& unwatched);
Json json_of(const SessionTotals& totals);
Json json_of(const SentMessage& sent);
Json json_of(const StartedTask& started);
Json json_of(const ConversationPage& page);
Json json_of(const OneConversation& one);
Json json_of(const ConversationHistory& history);
Json json_of(const ConversationPreviews& previews);
Json json_of(const DeletedConversation& deleted);
template <class... Results>
Json json_of(const std::variant<Results...>& result) {
  return std::visit([](const auto& one) { return json_of(one); }, result);
}

}  // namespace workers
