// The encoding of blocks: a header of fixed width, the events each behind its length, a checksum.
// Parsing checks all of it before a view of the bytes is handed out.
#include "eventlog/store/block.hpp"

namespace eventlog {
namespace {

// magic, format, log, epoch, term, first, count, time, previous, body length
constexpr std::size_t kHeaderBytes = 4 + 4 + 16 + 8 + 8 + 8 + 8 + 4 + 8 + 32 + 4;
constexpr std::size_t kChecksumBytes = 8;

std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

Bytes encode_header(const BlockHeader& h, std::size_t body_bytes) {
  Bytes out;
  out.reserve(kHeaderBytes + body_bytes + kChecksumBytes);
  out.append(kBlockMagic);
  base::append_u32(out, kBlockFormat);
  out.append(h.log.view());
  base::append_u64(out, unsigned_of(h.epoch.counter));
  out.append(h.epoch.random.data(), h.epoch.random.size());
  base::append_u64(out, unsigned_of(h.writer_term));
  base::append_u64(out, unsigned_of(h.first.value));
  base::append_u32(out, static_cast<std::uint32_t>(h.count));
  base::append_u64(out, unsigned_of(h.time.us));
  out.append(base::view(h.previous));
  base::append_u32(out, static_cast<std::uint32_t>(body_bytes));
  return out;
}

// Takes fixed-width pieces off the front; the caller has checked the length.
struct Taker {
  ByteView in;

  ByteView take(std::size_t size) {
    const ByteView piece = in.substr(0, size);
    in.remove_prefix(size);
    return piece;
  }
  std::int64_t u32() { return base::read_u32(take(4)); }
  std::int64_t u64() { return static_cast<std::int64_t>(base::read_u64(take(8))); }
};

BlockHeader decode_header(ByteView bytes) {
  Taker t{bytes.substr(8)};
  BlockHeader h;
  t.take(16).copy(h.log.bytes.data(), 16);
  h.epoch.counter = t.u64();
  t.take(8).copy(h.epoch.random.data(), 8);
  h.writer_term = t.u64();
  h.first.value = t.u64();
  h.count = t.u32();
  h.time.us = t.u64();
  t.take(32).copy(h.previous.data(), 32);
  return h;
}

}  // namespace

bool BlockBuilder::is_full() const {
  return static_cast<std::size_t>(count_) >= kBlockEventsMax ||
         body_.size() + content_bytes_ >= kBlockBytesMax;
}

void BlockBuilder::add(ByteView facts) {
  base::append_u32(body_, static_cast<std::uint32_t>(facts.size()));
  body_.append(facts);
  ++count_;
}

void BlockBuilder::add_content(const base::Salt& salt, Bytes content) {
  content_bytes_ += content.size();
  content_.entries.push_back({count_ - 1, salt, {std::move(content)}, 0});
}

void BlockBuilder::add_chunks(const base::Salt& salt, std::vector<Chunk> chunks) {
  content_.entries.push_back({count_ - 1, salt, {}, static_cast<std::int64_t>(chunks.size())});
  for (Chunk& chunk : chunks) {
    content_bytes_ += chunk.bytes.size();
    chunks_.push_back(std::move(chunk));
  }
}

SealedBlock BlockBuilder::seal(BlockHeader header) {
  header.count = count_;
  SealedBlock block;
  block.header = header;
  block.facts = encode_header(header, body_.size());
  block.facts.append(body_);
  base::append_u64(block.facts, base::xxh3(block.facts));
  block.hash = base::blake2b(block.facts);
  if (!content_.entries.empty()) block.content = base::encode(content_);
  block.chunks = std::move(chunks_);
  *this = BlockBuilder{};
  return block;
}

Result<BlockView> parse_block(ByteView bytes) {
  const auto damaged = [](const char* what) {
    return base::failure(base::ErrorCode::damaged, what);
  };
  if (bytes.size() < kHeaderBytes + kChecksumBytes) return damaged("block is cut short");
  if (!bytes.starts_with(kBlockMagic)) return damaged("not a block: its first bytes are wrong");
  const std::uint32_t format = base::read_u32(bytes.substr(4));
  if (format > kBlockFormat) {
    return base::failure(base::ErrorCode::wrong_log,
                         "block format " + std::to_string(format) + " is newer than " +
                             std::to_string(kBlockFormat) +
                             ", the newest that this release reads; read this log with the release "
                             "that wrote it, or a newer one");
  }
  const ByteView checked = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (base::read_u64(bytes.substr(checked.size())) != base::xxh3(checked)) {
    return damaged("block's checksum does not match its bytes");
  }
  BlockView view;
  view.header = decode_header(bytes);
  ByteView body = checked.substr(kHeaderBytes);
  if (base::read_u32(bytes.substr(kHeaderBytes - 4)) != body.size()) {
    return damaged("block's body has another length than its header says");
  }
  if (view.header.first.value < 1 || view.header.count < 1) {
    return damaged("block's header names no events");
  }
  // The header's numbers are later written as msgpack, in checkpoints, which holds no larger ones.
  const BlockHeader& h = view.header;
  const auto fits = [](std::int64_t number) {
    return number > -base::kIntegerLimit && number < base::kIntegerLimit;
  };
  if (!fits(h.epoch.counter) || !fits(h.writer_term) || !fits(h.time.us) || !fits(h.first.value) ||
      !fits(h.last().value)) {
    return damaged("block's header holds a number that is out of range");
  }
  while (!body.empty()) {
    if (body.size() < 4) return damaged("block's body is cut short");
    const std::size_t size = base::read_u32(body);
    body.remove_prefix(4);
    if (body.size() < size) return damaged("block's body is cut short");
    view.events.push_back(body.substr(0, size));
    body.remove_prefix(size);
  }
  if (static_cast<std::int64_t>(view.events.size()) != view.header.count) {
    return damaged("block holds another number of events than its header says");
  }
  view.bytes = bytes;
  return view;
}

std::optional<BlockHeader> claimed_header(ByteView bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kBlockMagic)) return std::nullopt;
  return decode_header(bytes);
}

std::size_t claimed_bytes(ByteView bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kBlockMagic)) return 0;
  return kHeaderBytes + base::read_u32(bytes.substr(kHeaderBytes - 4)) + kChecksumBytes;
}

Bytes chunk_key(ByteView stream, const Hash& digest, std::uint32_t index) {
  Bytes key(stream);
  key.push_back('\0');
  key.append(base::view(digest));
  base::append_u32(key, index);
  return key;
}

}  // namespace eventlog
