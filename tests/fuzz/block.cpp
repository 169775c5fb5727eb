// A block's facts. Random bytes seldom match its checksum, so the checksum is computed for them.
#include "eventlog/store/block.hpp"

#include <algorithm>

#include "eventlog/base/hash.hpp"
#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using eventlog::BlockHeader;
using eventlog::BlockView;
using fuzz::require;

constexpr std::size_t kLengthAt = 100;  // of the body length in the header
constexpr std::size_t kBodyAt = 104;
constexpr std::size_t kChecksumBytes = 8;

void set_u32(Bytes& bytes, std::size_t at, std::size_t value) {
  Bytes encoded;
  base::append_u32(encoded, static_cast<std::uint32_t>(value));
  bytes.replace(at, 4, encoded);
}

// Sets everything that only proves the bytes: magic, format, body length, checksum.
void make_whole(Bytes& bytes) {
  bytes.resize(std::max(bytes.size(), kBodyAt + kChecksumBytes));
  bytes.replace(0, 8, Bytes("STNB\0\0\0\1", 8));
  set_u32(bytes, kLengthAt, bytes.size() - kBodyAt - kChecksumBytes);
  bytes.resize(bytes.size() - kChecksumBytes);
  base::append_u64(bytes, base::xxh3(bytes));
}

Bytes build(fuzz::Source& source) {
  BlockHeader header;
  fuzz::SourceRandom random(source);
  support::RandomValue values(random, false);
  values.fill(header.log);
  values.fill(header.epoch);
  values.fill(header.writer_term);
  values.fill(header.first);
  values.fill(header.time);
  values.fill(header.previous);
  header.writer_term = std::abs(header.writer_term);
  header.epoch.counter = std::abs(header.epoch.counter);
  header.first.value = 1 + header.first.value / 2;
  eventlog::BlockBuilder builder;
  for (int events = source.byte() % 8; events >= 0; --events) builder.add(source.piece());
  const auto sealed = builder.seal(header);
  const auto read = eventlog::parse_block(sealed.facts);
  require(read && read->header == sealed.header && read->hash() == sealed.hash,
          "a sealed block is read as it was sealed");
  Bytes whole = sealed.facts;
  make_whole(whole);
  require(whole == sealed.facts, "this target knows where a block's proof lies");
  return whole;
}

void read(const Bytes& bytes) {
  const auto claimed = eventlog::claimed_header(bytes);
  const auto block = eventlog::parse_block(bytes);
  if (!block) return;
  require(claimed && *claimed == block->header, "the header is what it claims to be");
  require(static_cast<std::int64_t>(block->events.size()) == block->header.count,
          "a block holds as many events as it says");
  require(block->header.last() >= block->header.first, "positions ascend");
  // A reader stores this as its checkpoint.
  const eventlog::Checkpoint reached{block->header.log, block->header.epoch, block->header.last(),
                                     block->hash()};
  require(base::decode<eventlog::Checkpoint>(base::encode(reached)) == reached,
          "where a block ends can be stored");

  eventlog::BlockBuilder builder;
  for (const ByteView event : block->events) builder.add(event);
  const auto sealed = builder.seal(block->header);
  require(sealed.hash == block->hash() && sealed.facts == bytes,
          "sealed again, it is the same block");

  Bytes flipped = bytes;
  const std::size_t bit = base::read_u64(base::view(block->hash())) % (8 * bytes.size());
  flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
  require(!eventlog::parse_block(flipped), "one bit that is flipped is found");
}

}  // namespace

// The first byte chooses: 0 bytes as they come; 1 bytes with a matching checksum; 2 a block that
// the rest describes, damaged, with a matching checksum.
void fuzz::run(ByteView in) {
  Source source(in);
  Bytes bytes;
  switch (source.byte() % 3) {
    case 0:
      bytes = source.rest();
      break;
    case 1:
      bytes = source.rest();
      make_whole(bytes);
      break;
    default:
      bytes = build(source);
      damage(source, bytes);
      make_whole(bytes);
  }
  read(bytes);
}
