// Pages of the log for a reader of a level. A session's events are found by the stream index, so
// that its page costs what it holds. An agent's events are found by going over the log; other
// agents' events are not decoded, and their content is not read.
#pragma once

#include "bus/log_reader.hpp"
#include "eventlog/log/stream_index.hpp"

namespace workers {

using base::Position;

struct PageRequest {
  std::string_view level;  // one that is_level(); must outlive the call
  Position durable;
  std::size_t events_max = 0;
  std::size_t bytes_max = 0;   // of facts and content, and some for each event looked at
  bool is_facts_only = false;  // no content is read
};

// Adds the level's events in (page.complete_through, durable] to the page, as far as it has room,
// and moves complete_through to the page's end. `index` must have reached `durable`; null: there is
// none. If the index proves wrong, the log is gone over instead. Error not_found: the page would
// begin with events that the log no longer holds.
base::Result<void> fill_log_page(eventlog::BlockStore& log, eventlog::StreamIndex* index,
                                 const PageRequest& request, bus::LogPage& page);

}  // namespace workers
