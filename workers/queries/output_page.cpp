// Events are taken from one end of the range. A pass from the page's end to its beginning then
// leaves out the parts of blocks that were finished.
#include "workers/queries/output_page.hpp"

#include "eventlog/domain/session/events.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace workers {
namespace {

using base::Result;
using base::StreamVersion;
using base::TurnId;
using domain::RecordedEvent;
using eventlog::BlockEvents;
using eventlog::StreamReader;

constexpr Position kEnd{std::numeric_limits<std::int64_t>::max()};

TurnId turn_of_part(const RecordedEvent& event) {
  const auto* part = event.event.as<domain::PartialOutputRecorded>();
  return part ? part->turn : TurnId{};
}

TurnId turn_of_block(const RecordedEvent& event) {
  if (const auto* block = event.event.as<domain::OutputRecorded>()) return block->turn;
  const auto* message = event.event.as<domain::MessageImported>();
  const bool is_said = message != nullptr && (message->kind == domain::ImportedKind::said ||
                                              message->kind == domain::ImportedKind::thought);
  return is_said ? message->turn : TurnId{};
}

// True if the turn ends with the event, so that no block of it is finished any more.
bool is_end_of(TurnId turn, const RecordedEvent& event) {
  if (event.event.is<domain::SessionClosed>()) return true;
  if (const auto* e = event.event.as<domain::TurnFinished>()) return e->turn == turn;
  if (const auto* e = event.event.as<domain::TurnFailed>()) return e->turn == turn;
  if (const auto* e = event.event.as<domain::TurnInterrupted>()) return e->turn == turn;
  return false;
}

// True if a block of the turn is finished at `version` or later, and before the position `before`.
Result<bool> is_finished_later(StreamReader& stream, StreamVersion version, Position before,
                               TurnId turn) {
  for (std::size_t looked_at = 0; looked_at < kOutputEventsMax;) {
    const auto block = stream.block_of(version);
    if (!block) return tl::unexpected(block.error());
    if (block->events.empty()) break;
    for (const RecordedEvent& event : block->events) {
      if (event.envelope.version < version) continue;
      if (event.envelope.position >= before || is_end_of(turn, event)) return false;
      if (turn_of_block(event) == turn) return true;
    }
    looked_at += block->events.size();
    version = block->events.back().envelope.version.next();
  }
  return false;
}

// Goes over a page's events from its end to its beginning, and tells which ones to show.
class BackPass {
 public:
  // `behind`: the version behind the page's last event. Blocks that are finished from there on, but
  // before the position `before`, count as well.
  BackPass(StreamReader& stream, StreamVersion behind, Position before)
      : stream_(stream), behind_(behind), before_(before) {}

  // True if the block seen last begins behind the event. Events between the parts of an unfinished
  // block, such as a prompt queued meanwhile, do not split it.
  bool is_before_last(const RecordedEvent& event) const {
    const TurnId part = turn_of_part(event);
    if (!open_.is_set()) return !finished_.contains(part);
    return turn_of_block(event).is_set() || (part.is_set() && part != open_);
  }

  Result<bool> keeps(const RecordedEvent& event) {
    if (const TurnId turn = turn_of_block(event); turn.is_set()) {
      finished_.insert(turn);
      open_ = {};
      ++said_;
      return true;
    }
    const TurnId turn = turn_of_part(event);
    if (!turn.is_set() || turn == open_) return true;
    if (finished_.contains(turn)) return false;
    if (said_ == 0) {
      // The last block on this page can be finished behind the page.
      auto finished = is_finished_later(stream_, behind_, before_, turn);
      if (!finished) return finished;
      if (*finished) {
        finished_.insert(turn);
        return false;
      }
    }
    open_ = turn;
    ++said_;
    return true;
  }

  std::size_t said() const { return said_; }

 private:
  StreamReader& stream_;
  const StreamVersion behind_;
  const Position before_;
  std::set<TurnId> finished_;  // turns whose finished block was seen
  TurnId open_;  // the turn of the unfinished block that the parts seen last belong to
  std::size_t said_ = 0;
};

// The amounts that a page has taken so far.
struct Taken {
  std::size_t items_max = kOutputItemsMax;
  std::size_t looked_at = 0;
  std::size_t items = 0;
  std::size_t text_bytes = 0;

  void add(const RecordedEvent& event) {
    ++items;
    if (event.envelope.content) {
      text_bytes += static_cast<std::size_t>(event.envelope.content->bytes);
    }
  }
  bool is_full() const {
    return looked_at >= kOutputEventsMax || items >= items_max || text_bytes >= kOutputTextBytesMax;
  }
};

// Goes from the end backwards until there is enough.
Result<OutputPage> choose_last(StreamReader& stream, const OutputRange& range,
                               const std::function<bool(const RecordedEvent&)>& is_shown) {
  OutputPage page;
  page.through = range.before.plus(-1);
  page.from = range.after.next();
  const auto behind = stream.version_behind(page.through);
  if (!behind) return tl::unexpected(behind.error());
  std::optional<BackPass> pass;
  Taken taken{std::min(range.items_max, kOutputItemsMax)};
  bool is_done = false;
  // The block in which the range ends can hold later events as well.
  for (StreamVersion version = *behind; !is_done && version.value >= 1;) {
    auto block = stream.block_of(version);
    if (!block) return tl::unexpected(block.error());
    const bool is_past_end = block->events.empty() && version == *behind;
    if (is_past_end) {
      version = version.plus(-1);
      continue;
    }
    if (block->events.empty() || block->events.front().envelope.version > version) break;
    version = block->events.front().envelope.version.plus(-1);
    std::vector<RecordedEvent> kept;
    for (auto at = block->events.rbegin(); at != block->events.rend() && !is_done; ++at) {
      const Position position = at->envelope.position;
      if (position > page.through) continue;
      if (!pass) pass.emplace(stream, at->envelope.version.next(), kEnd);
      const bool is_enough = pass->said() >= range.blocks_max && pass->is_before_last(*at);
      page.has_more = position > range.after && !is_enough && taken.is_full();
      is_done = position <= range.after || is_enough || page.has_more;
      if (is_done) {
        page.from = position.next();
        break;
      }
      ++taken.looked_at;
      if (!is_shown(*at)) continue;
      const auto is_kept = pass->keeps(*at);
      if (!is_kept) return tl::unexpected(is_kept.error());
      if (!*is_kept) continue;
      taken.add(*at);
      kept.push_back(std::move(*at));
    }
    if (kept.empty()) continue;
    std::reverse(kept.begin(), kept.end());
    block->events = std::move(kept);
    page.blocks.push_back(std::move(*block));
  }
  std::reverse(page.blocks.begin(), page.blocks.end());
  if (pass) page.said = pass->said();
  return page;
}

// Leaves the parts of finished blocks out. Returns how many blocks the agent said.
Result<std::size_t> drop_finished_parts(BackPass pass, std::vector<BlockEvents>& blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    std::vector<RecordedEvent> kept;
    for (auto at = block->events.rbegin(); at != block->events.rend(); ++at) {
      const auto is_kept = pass.keeps(*at);
      if (!is_kept) return tl::unexpected(is_kept.error());
      if (*is_kept) kept.push_back(std::move(*at));
    }
    std::reverse(kept.begin(), kept.end());
    block->events = std::move(kept);
  }
  std::erase_if(blocks, [](const BlockEvents& block) { return block.events.empty(); });
  return pass.said();
}

Result<OutputPage> choose_first(StreamReader& stream, const OutputRange& range,
                                const std::function<bool(const RecordedEvent&)>& is_shown) {
  OutputPage page;
  page.from = range.after.next();
  page.through = range.before.plus(-1);
  auto version = stream.version_behind(range.after);
  if (!version) return tl::unexpected(version.error());
  Taken taken{std::min(range.items_max, kOutputItemsMax)};
  std::size_t said = 0;
  for (bool is_done = false; !is_done;) {
    auto block = stream.block_of(*version);
    if (!block) return tl::unexpected(block.error());
    if (block->events.empty()) break;
    std::vector<RecordedEvent> kept;
    for (RecordedEvent& event : block->events) {
      const Position position = event.envelope.position;
      if (position <= range.after) continue;
      is_done = position >= range.before;
      if (is_done) break;
      page.has_more = taken.is_full() || said >= range.blocks_max;
      if (page.has_more) {
        page.through = position.plus(-1);
        is_done = true;
        break;
      }
      *version = event.envelope.version.next();
      ++taken.looked_at;
      if (!is_shown(event)) continue;
      taken.add(event);
      if (turn_of_block(event).is_set()) ++said;
      kept.push_back(std::move(event));
    }
    block->events = std::move(kept);
    page.blocks.push_back(std::move(*block));
  }
  const auto shown = drop_finished_parts(BackPass(stream, *version, range.before), page.blocks);
  if (!shown) return tl::unexpected(shown.error());
  page.said = *shown;
  return page;
}

}  // namespace

Result<OutputPage> choose_output(StreamReader& stream, const OutputRange& range,
                                 const std::function<bool(const RecordedEvent&)>& is_shown) {
  return range.is_tail ? choose_last(stream, range, is_shown)
                       : choose_first(stream, range, is_shown);
}

}  // namespace workers
