// Tells a new agent process what was said in a session, where the agent itself has lost that.
#pragma once

#include <span>
#include <string>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"

namespace workers {

// A text to be told has at most so many bytes; older words are left out first.
constexpr std::size_t kSpokenBytesMax = 64 << 10;

// True if spoken_so_far() has a use for the event or its content.
bool is_told(const domain::Event& event);

// Returns the words of the events of a conversation, in order, to be put in front of the prompt
// that goes on with it. Leaves out the prompt of `current` and those that no agent was given; a
// text that was erased is told as missing. Told texts cannot end the quotation that they are in.
// `is_cut`: events before the first were left out. Empty: nothing was said.
std::string spoken_so_far(std::span<const domain::RecordedEvent> events, base::TurnId current,
                          bool is_cut = false, std::size_t bytes_max = kSpokenBytesMax);

struct SpokenWanted {
  std::string agent;
  base::SessionId session;
  base::Position known;  // events up to here must be in the index
  base::TurnId current;
};

// Returns spoken_so_far() of a session and of those that it resumes, each up to where it was
// resumed. Reads as much of their ends as can be told. Errors: busy while the index is behind
// `known`; rows_damaged, which the index has noted; the store's.
base::Result<std::string> read_spoken_so_far(eventlog::BlockStore& log,
                                             eventlog::StreamIndex& index,
                                             const SpokenWanted& wanted);

}  // namespace workers
