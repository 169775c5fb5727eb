// Pages of the log for who reads a level. A session's events are found by the stream index, so that
// its page costs what it holds; those of an agent are found by going over the log, whose other
// events are neither decoded nor is their content read.
#pragma once

#include "bus/log_reader.hpp"
#include "eventlog/log/stream_index.hpp"

namespace workers {

using base::Position;

struct PageRequest {
  std::string_view level;  // one that is_level(); outlives the call
  Position durable;
  std::size_t events_max = 0;
  std::size_t bytes_max = 0;  // of facts and content, and some for what was only looked at
};

// Adds what the level has in (page.complete_through, durable] to the page, and moves
// complete_through to where it ends. `index`: has come to `durable`; null where there is none such.
// Where what it says turns out to be wrong, the log is gone over. Error not_found: the page would
// begin with what the log does not hold any more.
base::Result<bool> fill_log_page(eventlog::BlockStore& log, eventlog::StreamIndex* index,
                                 const PageRequest& request, bus::LogPage& page);

}  // namespace workers
