// Tells a new agent process what was said in a session, where the agent itself has lost that.
#pragma once

#include <span>
#include <string>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"

namespace workers {

// A text to be told has at most so many bytes; older words are left out first.
constexpr std::size_t kConversationBytesMax = 64 << 10;

// Returns the words of the events of a conversation, in order, in front of the prompt that goes on
// with it. Leaves out the prompt of `current`, those that no agent was given, and those that were
// erased. Empty: nothing was said.
std::string conversation_text(std::span<const domain::RecordedEvent> events, base::TurnId current,
                              std::size_t bytes_max = kConversationBytesMax);

struct ConversationWanted {
  std::string agent;
  base::SessionId session;
  base::Position known;  // events up to here must be in the index
  base::TurnId current;
};

// Returns conversation_text() of a session and of those that it resumes, each up to where it was
// resumed. Reads as much of their ends as can be told. Errors: busy while the index is behind
// `known`; rows_damaged, which the index has noted; the store's.
base::Result<std::string> read_conversation(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                                            const ConversationWanted& wanted);

}  // namespace workers
