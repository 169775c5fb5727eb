// Reading events back from a block store: all from a position, one by one, with or without content.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

struct ReadOptions {
  std::size_t bytes_max = 1 << 20;  // at least one block is read
  bool with_content = false;
};

// Events of the blocks that hold positions `from` to `through` (both inclusive), in order, cut to
// that range. Empty: nothing there. Errors: damaged or wrong_log, naming the position.
Result<std::vector<domain::RecordedEvent>> read_events(BlockStore& store, Position from,
                                                       Position through,
                                                       const ReadOptions& options);

// The part of one block that is wanted.
struct BlockEvents {
  Position first;  // of the block; 0: there is none
  Position last;
  std::vector<domain::RecordedEvent> events;  // in order
};

// The facts of those events in the block that holds `from` whose streams are wanted; the others are
// not decoded. Where `from` was trimmed it is the log's first block. Errors: as of read_events.
Result<BlockEvents> read_block_of(BlockStore& store, Position from,
                                  const std::function<bool(ByteView stream)>& wants_stream);

// Adds their contents to events, in order, of the block that begins at `first`. Texts longer than
// `text_bytes_max` are not read. An event whose content was erased, or whose block was trimmed
// meanwhile, gets none. Error damaged: a content does not match its digest.
Result<bool> add_contents(BlockStore& store, Position first,
                          std::span<domain::RecordedEvent> events,
                          std::int64_t text_bytes_max = std::numeric_limits<std::int64_t>::max());

// BlockView::hash of each block, computed several at a time: for who follows the chain.
std::vector<Hash> hashes_of(std::span<const StoredBlock> blocks);

// The content of one event; none when it has none or it was erased. Error damaged: the content does
// not match the digest among the event's facts.
Result<std::optional<domain::Content>> read_content(BlockStore& store, Position position);

// The content of an event as it stands beside its block; none when it was erased. Error damaged:
// the event has none, or it does not match the digest among the event's facts, or a chunk is
// missing.
Result<std::optional<domain::Content>> open_content(BlockStore& store,
                                                    const domain::Envelope& envelope,
                                                    const StoredContentView& stored);

// As open_content, for who wants to know that it is whole: the length of its text, in bytes.
// `digest`: blake2b(stored.content.bytes, stored.salt), which is believed; what lies in chunks is
// hashed here.
Result<std::optional<std::size_t>> check_content(BlockStore& store,
                                                 const domain::Envelope& envelope,
                                                 const StoredContentView& stored,
                                                 const Hash& digest);

// The error, with the position at which it came up.
base::Error at_position(base::Error error, Position position);

}  // namespace eventlog
