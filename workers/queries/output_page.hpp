// Which events make a page of a session's output. They are chosen by their facts, a block of the
// log at a time, from one end of what was asked for; so a page costs what it shows, however long
// the session is.
#pragma once

#include <functional>

#include "eventlog/log/stream_reader.hpp"

namespace workers {

using base::Position;

// Of one page, whatever was asked for.
constexpr std::size_t kOutputItemsMax = 1000;         // ten screens' worth, some 300 bytes each
constexpr std::size_t kOutputTextBytesMax = 4 << 20;  // it is reached by the last item at most
constexpr std::size_t kOutputEventsMax = 10'000;      // looked at: some ms of work

struct OutputRange {
  Position after;   // only what is later
  Position before;  // only what is earlier
  // So many blocks of what the agent said; parts of one that is not finished count as one block.
  std::size_t blocks_max = 0;
  bool is_tail = false;  // the last ones of the range; else the first ones
};

struct OutputPage {
  std::vector<eventlog::BlockEvents> blocks;  // ascending, with the events that are shown, facts
  std::size_t said = 0;                       // blocks of what the agent said, so counted
  Position from;                              // the first and the last position that it stands for
  Position through;
  bool has_more = false;  // a bound ended it, of the last blocks not the one that was asked for
};

// `is_shown`: whether an event is an item of output. A block's parts are left out once the finished
// block is there, of the first ones of a range within the range. The index has come to its end.
base::Result<OutputPage> choose_output(
    eventlog::StreamReader& stream, const OutputRange& range,
    const std::function<bool(const domain::RecordedEvent&)>& is_shown);

}  // namespace workers
