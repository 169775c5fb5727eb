// The output of a session as a text for a place where people chat.
#pragma once

#include <string>

#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"
#include "workers/notifications/notifier.hpp"

namespace workers {

// Of one message. Chat services take some 4,000.
constexpr std::size_t kShownCharactersMax = 3'500;

struct ShownOutput {
  std::string text;  // one message; empty: there is nothing to show
  Position through;  // of the last event that it covers wholly
  bool has_more = false;
  std::int64_t further_bytes = 0;  // that it covers of the text of the next event that is shown
};

// Returns what the agent itself said and the tools that it called, from the job's beginning on;
// without one, of the last 200 blocks. Errors: busy while the index is behind; rows_damaged; the
// store's.
base::Result<ShownOutput> read_shown(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                                     const ShowJob& job, int stop_fd);

// Waits for so long until the index, which follows the log, has come to the position. Error busy:
// it has not, or `stop_fd` is readable.
base::Result<void> wait_for_index(eventlog::StreamIndex& index, Position position,
                                  base::Duration patience, int stop_fd);

}  // namespace workers
