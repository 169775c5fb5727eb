// A page is filled a block at a time, found by the stream index or by going over the log, until it
// is full or at the durable head.
#include "workers/queries/log_page.hpp"

#include <algorithm>

#include "eventlog/base/mutant.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/log/stream_reader.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace workers {
namespace {

using base::Result;
using domain::RecordedEvent;
using eventlog::BlockEvents;

// The cost of looking at an event, counted in bytes, so that a page ends even if it finds no event
// of its level.
constexpr std::size_t kLookBytes = 256;

tl::unexpected<base::Error> not_held(const eventlog::BlockStore& log, Position from) {
  return base::failure(base::ErrorCode::not_found,
                       "the log begins at position " + std::to_string(log.first().value),
                       "position " + std::to_string(from.value));
}

// Finds a session's events block by block, through the stream index.
class StreamBlocks {
 public:
  StreamBlocks(eventlog::BlockStore& log, eventlog::StreamIndex& index, std::string stream)
      : reader_(log, index, std::move(stream)), is_whole_(log.first().value <= 1) {}

  // Returns the next block that holds events behind `after`; its `first` is 0: there is none. Error
  // damaged: the index leaves events out.
  Result<BlockEvents> next(Position after) {
    if (next_.value == 0) {
      const auto begin = reader_.version_behind(after);
      if (!begin) return tl::unexpected(begin.error());
      next_ = *begin;
    }
    auto block = reader_.block_of(next_);
    if (!block) return block;
    for (const RecordedEvent& event : block->events) {
      // In a log without its beginning the first version is not known.
      if (event.envelope.version != next_ && is_whole_) {
        return base::failure(base::ErrorCode::damaged, "the stream index leaves events out");
      }
      is_whole_ = true;
      next_ = event.envelope.version.next();
    }
    return block;
  }

 private:
  eventlog::StreamReader reader_;
  base::StreamVersion next_;
  bool is_whole_;
};

// The page while it is filled.
class Filling {
 public:
  Filling(const PageRequest& request, bus::LogPage& page) : request_(request), page_(page) {}

  bool is_done() const {
    return page_.events.size() >= request_.events_max || bytes_ >= request_.bytes_max ||
           page_.complete_through >= request_.durable;
  }
  Position after() const { return page_.complete_through; }
  void end() { page_.complete_through = request_.durable; }

  // Takes the block's events as far as there is room, at least one. Call it while the page is not
  // done.
  Result<void> add(eventlog::BlockStore& log, BlockEvents& block) {
    const Position from = std::max(block.first, after().next());
    Position through = std::min(block.last, request_.durable);
    std::size_t bytes = bytes_;
    std::vector<RecordedEvent> taken;
    for (RecordedEvent& event : block.events) {
      const Position position = event.envelope.position;
      if (position < from || position > through) continue;
      if (page_.events.size() + taken.size() >= request_.events_max ||
          (bytes >= request_.bytes_max && !taken.empty())) {
        through = base::mutant(base::Mutant::page_skips_event) ? position : position.plus(-1);
        break;
      }
      bytes += kLookBytes + text_bytes(event);
      taken.push_back(std::move(event));
    }
    if (!request_.is_facts_only) {
      auto added = eventlog::add_contents(log, block.first, taken, bus::kFeedContentMax);
      if (!added) return added;
    }
    if (log.first() > block.first) return not_held(log, from);  // so the contents are gone, too
    for (const RecordedEvent& event : taken) {
      page_.events.push_back(to_feed_event(event, domain::encode_facts(event)));
      const bus::FeedEvent& feed = page_.events.back();
      bytes_ += feed.facts.bytes.size() + (feed.content ? feed.content->bytes.size() : 0);
    }
    bytes_ += kLookBytes * static_cast<std::size_t>(through.value - from.value + 1);
    page_.complete_through = through;
    return {};
  }

 private:
  std::size_t text_bytes(const RecordedEvent& event) const {
    if (!event.envelope.content || request_.is_facts_only) return 0;
    const auto bytes = static_cast<std::size_t>(event.envelope.content->bytes);
    return bytes <= bus::kFeedContentMax ? bytes : 0;
  }

  const PageRequest& request_;
  bus::LogPage& page_;
  std::size_t bytes_ = 0;
};

// Returns false if the index is wrong; the events taken until then are right.
Result<bool> fill_by_index(eventlog::BlockStore& log, StreamBlocks stream, Filling& filling) {
  while (!filling.is_done()) {
    auto block = stream.next(filling.after());
    if (!block) return false;
    if (block->first.value == 0) {
      filling.end();
      break;
    }
    if (auto ok = filling.add(log, *block); !ok) return tl::unexpected(ok.error());
  }
  return true;
}

Result<void> fill_by_scan(eventlog::BlockStore& log, const LevelStreams& streams,
                          Filling& filling) {
  while (!filling.is_done()) {
    const Position from = filling.after().next();
    auto block = eventlog::read_block_of(
        log, from, [&](base::ByteView stream) { return streams.contains(stream); });
    if (!block) return tl::unexpected(block.error());
    if (block->first.value == 0) break;
    if (block->first > from) return not_held(log, from);
    if (auto ok = filling.add(log, *block); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<void> fill_log_page(eventlog::BlockStore& log, eventlog::StreamIndex* index,
                           const PageRequest& request, bus::LogPage& page) {
  const LevelStreams streams(request.level);
  Filling filling(request, page);
  // The index does not know about trimmed events; going over the log finds that they are missing.
  const bool is_held = filling.after().next() >= log.first();
  if (index != nullptr && is_held && !streams.only().empty()) {
    auto filled = fill_by_index(log, {log, *index, streams.only()}, filling);
    if (!filled) return tl::unexpected(filled.error());
    if (*filled) return {};
  }
  return fill_by_scan(log, streams, filling);
}

}  // namespace workers
