// Chooses the events of a page of a session's output. It looks at their facts only, a block of the
// log at a time, from one end of the range. So a page costs what it shows, however long the session
// is.
#pragma once

#include <functional>

#include "eventlog/log/stream_reader.hpp"

namespace workers {

using base::Position;

// Bounds of one page, whatever was asked for.
constexpr std::size_t kOutputItemsMax = 1000;         // ten screens' worth, some 300 bytes each
constexpr std::size_t kOutputTextBytesMax = 4 << 20;  // only the last item can go beyond it
constexpr std::size_t kOutputEventsMax = 10'000;      // looked at: some ms of work

struct OutputRange {
  Position after;   // only later events
  Position before;  // only earlier events
  // The most blocks of the agent's words; the parts of an unfinished one count as one block.
  std::size_t blocks_max = 0;
  bool is_tail = false;  // take the last ones of the range; else the first ones
  std::size_t items_max = kOutputItemsMax;
};

struct OutputPage {
  std::vector<eventlog::BlockEvents> blocks;  // ascending, with facts of the events that are shown
  std::size_t said = 0;                       // blocks of the agent's words, counted as above
  Position from;  // the first and the last position that the page covers
  Position through;
  bool has_more = false;  // a bound ended the page; for a tail, another one than blocks_max
};

// Chooses the page. `is_shown` tells whether an event is an item of output. A block's parts are
// left out if the finished block exists; for the first ones of a range, if it exists within the
// range. The stream's index must have reached the end of the range.
base::Result<OutputPage> choose_output(
    eventlog::StreamReader& stream, const OutputRange& range,
    const std::function<bool(const domain::RecordedEvent&)>& is_shown);

}  // namespace workers
