// The results of operations as text for people and models: lines, without a line feed at the end.
// They fit what their reader takes, and can hold an agent's own text.
#pragma once

#include <string>

#include "workers/operations/results.hpp"

namespace workers {

std::string text_of(const SessionPage& page, Reader reader);
std::string text_of(const ResumableSessions& resumable, Reader reader);
std::string text_of(const Launched& launched, Reader reader);
std::string text_of(const SentPrompt& sent, Reader reader);
std::string text_of(const KilledSession& killed, Reader reader);
std::string text_of(const InterruptedTurn& interrupted, Reader reader);
std::string text_of(const ChangedSession& changed, Reader reader);
std::string text_of(const RenamedSession& renamed, Reader reader);
std::string text_of(const OfferedCommands& offered, Reader reader);
std::string text_of(const AskPage& page, Reader reader);
std::string text_of(const AnsweredAsk& answered, Reader reader);
std::string text_of(const LastOutput& output, Reader reader);
std::string text_of(const EventPage& page, Reader reader);
std::string text_of(const InForeground& watched, Reader reader);
std::string text_of(const InBackground& unwatched, Reader reader);
std::string text_of(const SessionTotals& totals, Reader reader);
std::string text_of(const SentMessage& sent, Reader reader);
std::string text_of(const StartedTask& started, Reader reader);
std::string text_of(const ConversationPage& page, Reader reader);
std::string text_of(const OneConversation& one, Reader reader);
std::string text_of(const ConversationHistory& history, Reader reader);
std::string text_of(const ConversationPreviews& previews, Reader reader);
std::string text_of(const DeletedConversation& deleted, Reader reader);
template <class... Results>
std::string text_of(const std::variant<Results...>& result, Reader reader) {
  return std::visit([&](const auto& one) { return text_of(one, reader); }, result);
}

}  // namespace workers
