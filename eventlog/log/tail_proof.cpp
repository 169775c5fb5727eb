// The proof reads the last megabytes of the log backwards and one more block for the head. A whole
// log is proved by verify.hpp.
#include "eventlog/log/tail_proof.hpp"

#include "eventlog/domain/event_codec.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::failure;

std::string where_of(Position position) {
  return "position " + std::to_string(position.value);
}

Result<void> check_head_block(const BlockView& block, const Checkpoint& head) {
  if (block.header.last() == head.position && block.hash() == head.hash &&
      block.header.epoch == head.epoch) {
    return {};
  }
  return failure(ErrorCode::damaged,
                 "the log holds another block than the one that was acknowledged there",
                 where_of(head.position));
}

Result<BlockView> parse_at(const StoredBlock& stored, Position position) {
  auto block = parse_block(stored.facts);
  if (!block) return failure(block.error().code, block.error().text, where_of(position));
  return block;
}

// A server would otherwise go on behind events that it cannot fold.
Result<void> check_events(const BlockView& block) {
  Position position = block.header.first;
  for (const ByteView event : block.events) {
    if (auto ok = domain::check_known(event); !ok) {
      return failure(ok.error().code, ok.error().text,
                     where_of(position) + ", " + ok.error().where);
    }
    position = position.next();
  }
  return {};
}

// Proves that the last blocks are dense and chained, from the last one backwards.
Result<void> prove_last_blocks(BlockStore& store) {
  const auto stored = store.read_reverse(store.tail(), kProvedBytes);
  if (!stored) return tl::unexpected(stored.error());
  BlockHeader after;
  Position expected_last = store.tail();
  for (const StoredBlock& one : *stored) {
    const auto block = parse_at(one, expected_last);
    if (!block) return tl::unexpected(block.error());
    const BlockHeader& header = block->header;
    if (header.last() != expected_last) {
      return failure(ErrorCode::damaged, missing_text(header.last().next(), expected_last),
                     where_of(header.last().next()));
    }
    const bool is_last = &one == &stored->front();
    if (!is_last && after.log != header.log) {
      return failure(ErrorCode::wrong_log, "the block is of another log than the one before it",
                     where_of(after.first));
    }
    if (!is_last && after.previous != block->hash()) {
      return failure(ErrorCode::damaged,
                     "the chain is broken: the block does not follow the one before it",
                     where_of(after.first));
    }
    if (auto ok = check_events(*block); !ok) return ok;
    after = header;
    expected_last = header.first.plus(-1);
  }
  return {};
}

tl::unexpected<base::Error> of_another_log(const BlockView& block, const Checkpoint& head) {
  return failure(ErrorCode::wrong_log,
                 "the head file is of log " + head.log.text() + ", and the folder holds log " +
                     block.header.log.text(),
                 where_of(head.position));
}

// For a log shorter than its head: reports another log first, since that error says more.
Result<void> check_log_of_tail(BlockStore& store, const Checkpoint& head) {
  const auto stored = store.read(store.tail(), 1, false);
  if (!stored || stored->empty()) return {};
  const auto block = parse_block(stored->front().facts);
  if (block && block->header.log != head.log) return of_another_log(*block, head);
  return {};
}

Result<void> prove_head(BlockStore& store, const Checkpoint& head) {
  if (head.position.value == 0) return {};
  const Position tail = store.tail();
  if (tail < head.position) {
    if (auto ok = check_log_of_tail(store, head); !ok) return ok;
    return failure(ErrorCode::damaged,
                   missing_text(tail.next(), head.position) +
                       ": the log is shorter than what was acknowledged",
                   where_of(tail.next()));
  }
  const auto stored = store.read(head.position, 1, false);
  if (!stored) return tl::unexpected(stored.error());
  if (stored->empty()) {
    return failure(ErrorCode::damaged, missing_text(head.position, head.position),
                   where_of(head.position));
  }
  const auto block = parse_at(stored->front(), head.position);
  if (!block) return tl::unexpected(block.error());
  if (block->header.log != head.log) return of_another_log(*block, head);
  return check_head_block(*block, head);
}

}  // namespace

Result<void> prove_end(BlockStore& store, const std::optional<Checkpoint>& head, Position begin) {
  if (store.tail().value > 0) {
    if (store.first() != begin.next()) {
      return failure(ErrorCode::damaged, missing_text(begin.next(), store.first().plus(-1)),
                     where_of(begin.next()));
    }
    if (auto ok = prove_last_blocks(store); !ok) return ok;
  }
  // After a loss of power the head can be older than the log's anchor; then the anchor says more.
  const bool is_compared = head && (begin.value == 0 || head->position > begin);
  return is_compared ? prove_head(store, *head) : Result<void>();
}

Result<void> prove_checkpoint(BlockStore& store, const Checkpoint& reached) {
  const Position position = reached.position;
  if (position.value == 0 || position < store.first()) return {};
  const auto another = [&](const std::string& what) {
    return failure(ErrorCode::wrong_log, what, where_of(position));
  };
  const Position tail = store.tail();
  if (tail < position) {
    const auto missing = failure(
        ErrorCode::damaged,
        missing_text(tail.next(), position) +
            ": rows derived from this log hold them, so it was cut or replaced by an older copy; "
            "put the newer log back, or go on from this one with steno replay salvage",
        where_of(tail.next()));
    if (tail.value == 0) return missing;
    const auto stored = store.read(tail, 1, false);
    if (!stored) return tl::unexpected(stored.error());
    if (stored->empty()) return missing;
    const auto block = parse_at(stored->front(), tail);
    if (!block) return tl::unexpected(block.error());
    const BlockHeader& header = block->header;
    if (header.log != reached.log) return another("it is of log " + reached.log.text());
    const bool is_later = reached.epoch.counter > header.epoch.counter;
    if (reached.epoch == header.epoch || is_later) return missing;
    return another("it is of an epoch that this log has left, or never had");
  }
  const auto stored = store.read(position, 1, false);
  if (!stored) return tl::unexpected(stored.error());
  if (stored->empty()) return another("the log has no block there");
  const auto block = parse_at(stored->front(), position);
  if (!block) return tl::unexpected(block.error());
  if (block->header.last() == position && block->hash() == reached.hash) return {};
  return another("the log holds another block there");
}

std::string missing_text(Position from, Position through) {
  if (from == through) return "event " + std::to_string(from.value) + " is missing";
  return "events " + std::to_string(from.value) + " to " + std::to_string(through.value) +
         " are missing";
}

}  // namespace eventlog
