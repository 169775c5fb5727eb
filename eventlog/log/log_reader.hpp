// Reads events back from a block store: all from a position, or one by one, with or without
// content.
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

// Returns the events at positions `from` to `through` (both inclusive), in order, from as many
// blocks as `options.bytes_max` allows. Empty: nothing is there. Errors name the position: damaged;
// wrong_log; not_found when a chunk of a content is missing; the store's.
Result<std::vector<domain::RecordedEvent>> read_events(BlockStore& store, Position from,
                                                       Position through,
                                                       const ReadOptions& options);

// The requested part of one block.
struct BlockEvents {
  Position first;  // of the block; 0: there is none
  Position last;
  std::vector<domain::RecordedEvent> events;  // in order
};

// Returns the facts of the events at or behind `from`, in the block that holds `from`, whose
// streams are wanted; other events are not decoded. If `from` was trimmed, reads the log's first
// block. Errors: as read_events.
Result<BlockEvents> read_block_of(BlockStore& store, Position from,
                                  const std::function<bool(ByteView stream)>& wants_stream);

// Adds the contents of `events`, which are in order and in the block that begins at `first`. Texts
// longer than `text_bytes_max` are not read. An event whose content was erased, or whose block was
// trimmed meanwhile, gets none. Errors: damaged when a content does not match its digest; not_found
// when a chunk is missing; the store's.
Result<void> add_contents(BlockStore& store, Position first,
                          std::span<domain::RecordedEvent> events,
                          std::int64_t text_bytes_max = std::numeric_limits<std::int64_t>::max());

// Returns BlockView::hash of each block, several computed at a time, for callers that follow the
// chain.
std::vector<Hash> hashes_of(std::span<const StoredBlock> blocks);

// Returns the content of one event; none when it has none or it was erased. Errors: damaged when
// the content does not match the digest among the event's facts; not_found when there is no such
// event or a chunk is missing.
Result<std::optional<domain::Content>> read_content(BlockStore& store, Position position);

// Returns the content of an event as it stands beside its block; none when it was erased. Errors:
// damaged when the event has no content, or when it does not match the digest among the event's
// facts; not_found when a chunk is missing.
Result<std::optional<domain::Content>> open_content(BlockStore& store,
                                                    const domain::Envelope& envelope,
                                                    const StoredContentView& stored);

// As open_content, but only proves the content and returns the length of its text in bytes.
// `digest` must be blake2b(stored.content.bytes, stored.salt) and is trusted; content in chunks is
// hashed here.
Result<std::optional<std::size_t>> check_content(BlockStore& store,
                                                 const domain::Envelope& envelope,
                                                 const StoredContentView& stored,
                                                 const Hash& digest);

// Returns the error with the position added to where it arose.
base::Error at_position(base::Error error, Position position);

}  // namespace eventlog
