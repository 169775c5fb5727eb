// A block is the unit of commit, of the hash chain and of reading. It holds the facts of one or
// more events. Their content lies beside it, under the same key, in the same write.
// eventlog/README.md has the grammar of the bytes and a worked example.
#pragma once

#include <optional>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/log_format.hpp"
#include "eventlog/base/msgpack_bin.hpp"

namespace eventlog {

using base::Bytes;
using base::ByteView;
using base::Hash;
using base::Position;
using base::Result;
using base::Time;

constexpr ByteView kBlockMagic = "STNB";  // how a block begins
constexpr std::uint16_t kBlockFormat = base::kLogFormat;
// The next block is begun once either bound is reached. 1,024 events are as many as one sync can
// carry without the next one waiting noticeably longer; 1 MiB keeps a reader's buffer small. The
// events of one append are never parted, so a block can exceed both bounds by one append.
constexpr std::size_t kBlockEventsMax = 1024;
constexpr std::size_t kBlockBytesMax = 1 << 20;
// Content up to this size lies in the content block; larger content is cut into chunks.
constexpr std::size_t kInlineContentMax = 64 << 10;
constexpr std::size_t kChunkBytes = 256 << 10;
static_assert(kInlineContentMax < kChunkBytes && kChunkBytes < kBlockBytesMax);

// Names one history of one log. A new epoch begins with every creation, restore and salvage.
struct Epoch {
  std::int64_t counter = 0;
  std::array<char, 8> random{};

  bool operator==(const Epoch&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("counter", &Epoch::counter);
    visit("random", &Epoch::random);
  }
};

// Where a reader stands, and proof that it stands in this history. `hash` is that of the block that
// holds `position`. Position 0 is before the first event.
struct Checkpoint {
  base::LogId log;
  Epoch epoch;
  Position position;
  Hash hash{};

  bool operator==(const Checkpoint&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("log", &Checkpoint::log);
    visit("epoch", &Checkpoint::epoch);
    visit("position", &Checkpoint::position);
    visit("hash", &Checkpoint::hash);
  }
};

struct BlockHeader {
  base::LogId log;
  Epoch epoch;
  std::int64_t writer_term = 0;  // grows with every take-over of the log by a server
  Position first;
  std::int64_t count = 0;
  Time time;        // log time of the last event
  Hash previous{};  // hash of the block before; all zero for the first

  bool operator==(const BlockHeader&) const = default;
  Position last() const { return first.plus(count - 1); }
};

// A piece of large content, stored with the block whose event refers to it.
struct Chunk {
  Bytes key;  // chunk_key()
  Bytes bytes;
};

// A finished block, as the store is given it.
struct SealedBlock {
  BlockHeader header;
  Hash hash{};  // BLAKE2b-256 of `facts`
  Bytes facts;
  Bytes content;  // empty: no event of the block has any
  std::vector<Chunk> chunks;
};

// A decoded block; the views point into the bytes that it was parsed from.
struct BlockView {
  ByteView bytes;
  BlockHeader header;
  std::vector<ByteView> events;  // encoded facts, one for each event

  // BLAKE2b-256 of all its bytes, which the next block names as `previous`. Computed at each call:
  // most readers of a block do not need it, and it costs as much as decoding a small one.
  Hash hash() const { return base::blake2b(bytes); }
};

// Content of one event as it stands in the content block. Exactly one of `content` and `chunks`.
// `Octets`: base::Binary, or base::BinaryView into the bytes of the content block.
template <class Octets>
struct StoredContentOf {
  std::int64_t index = 0;  // of the event within its block, from 0
  base::Salt salt{};
  Octets content;           // domain::encode_content()
  std::int64_t chunks = 0;  // number of chunks; their key prefix follows from stream and digest
  bool operator==(const StoredContentOf&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("i", &StoredContentOf::index);
    visit("s", &StoredContentOf::salt);
    visit("c", &StoredContentOf::content);
    visit("k", &StoredContentOf::chunks);
  }
};

template <class Octets>
struct ContentBlockOf {
  std::vector<StoredContentOf<Octets>> entries;  // ascending by index
  bool operator==(const ContentBlockOf&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("e", &ContentBlockOf::entries);
  }
};

using StoredContent = StoredContentOf<base::Binary>;
using ContentBlock = ContentBlockOf<base::Binary>;
// Views of stored content, for reading without a copy of each.
using StoredContentView = StoredContentOf<base::BinaryView>;
using ContentBlockView = ContentBlockOf<base::BinaryView>;

// Collects encoded events until they are sealed into one block.
class BlockBuilder {
 public:
  bool is_empty() const { return count_ == 0; }
  // True when the next event belongs in the next block.
  bool is_full() const;
  std::int64_t count() const { return count_; }

  void add(ByteView facts);
  // These add to the event that was added last.
  void add_content(const base::Salt& salt, Bytes content);
  void add_chunks(const base::Salt& salt, std::vector<Chunk> chunks);

  // Fills in the header's `count` and leaves the builder empty.
  SealedBlock seal(BlockHeader header);

 private:
  std::int64_t count_ = 0;
  std::size_t content_bytes_ = 0;
  Bytes body_;
  ContentBlock content_;
  std::vector<Chunk> chunks_;
};

// Checks magic, format, lengths, own checksum, and that the events fill the body. Errors:
// wrong_log for a newer format, damaged for everything else. `bytes` must outlive the view.
Result<BlockView> parse_block(ByteView bytes);

// Returns the header of a block that parse_block refused, as a hint: nothing proves it. None when
// the bytes are too few or do not begin as a block does.
std::optional<BlockHeader> claimed_header(ByteView bytes);

// Returns the length that the block beginning here claims, as a hint; 0 when none begins here.
std::size_t claimed_bytes(ByteView bytes);

// Returns the key of chunk number `index`, from 0, of the content with that digest in that stream.
Bytes chunk_key(ByteView stream, const Hash& digest, std::uint32_t index);

}  // namespace eventlog
