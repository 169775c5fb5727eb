// Finds the blocks by the stream index, and rewrites the content block of each without the erased
// entries. Chunks are removed by their key's prefix.
#include "eventlog/copies/erase.hpp"

#include <algorithm>

#include "eventlog/base/mutant.hpp"
#include "eventlog/domain/event_codec.hpp"

namespace eventlog {
namespace {

// Most bytes that encoding adds to a content's text: a map's head, its key, the text's head.
constexpr std::int64_t kEncodingBytesMax = 64;

void widen(ScrubScope& scope, Position first) {
  scope.first = scope.first.value == 0 ? first : std::min(scope.first, first);
  scope.last = std::max(scope.last, first);
}

struct BlockErasure {
  BlockStore& store;
  const std::string& stream;
  const domain::VersionRanges& events;
  ScrubScope& scope;

  Result<void> run(Position first);

 private:
  Result<void> erase_chunks(const domain::Envelope& envelope);
  Result<void> erase_entries(const StoredBlock& stored, Position first,
                             const std::vector<std::int64_t>& indexes);
};

Result<void> BlockErasure::run(Position first) {
  const auto blocks = store.read(first, 1, true);
  if (!blocks) return tl::unexpected(blocks.error());
  if (blocks->empty()) return {};
  const StoredBlock& stored = blocks->front();
  const auto block = parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  std::vector<std::int64_t> indexes;
  std::vector<domain::Envelope> large;
  for (std::size_t i = 0; i < block->events.size(); ++i) {
    auto envelope = domain::decode_envelope(block->events[i]);
    if (!envelope) return tl::unexpected(envelope.error());
    if (!envelope->content || envelope->stream != stream ||
        !domain::contains(events, envelope->version)) {
      continue;
    }
    indexes.push_back(static_cast<std::int64_t>(i));
    const bool may_be_chunks =
        envelope->content->bytes + kEncodingBytesMax > static_cast<std::int64_t>(kInlineContentMax);
    if (may_be_chunks) large.push_back(std::move(*envelope));
  }
  if (indexes.empty()) return {};
  widen(scope, block->header.first);
  // The entries that refer to the chunks go first, so that no reader finds chunks missing.
  if (auto ok = erase_entries(stored, block->header.first, indexes); !ok) return ok;
  for (const domain::Envelope& envelope : large) {
    if (auto ok = erase_chunks(envelope); !ok) return ok;
  }
  return {};
}

Result<void> BlockErasure::erase_entries(const StoredBlock& stored, Position first,
                                         const std::vector<std::int64_t>& indexes) {
  if (stored.content.empty()) return {};
  auto content = base::decode<ContentBlock>(stored.content);
  if (!content) return tl::unexpected(content.error());
  const auto erased = std::erase_if(content->entries, [&](const StoredContent& entry) {
    return base::mutant(base::Mutant::whole_block_erased) ||
           std::binary_search(indexes.begin(), indexes.end(), entry.index);
  });
  if (erased == 0) return {};
  return store.replace_content(first, content->entries.empty() ? Bytes() : base::encode(*content));
}

Result<void> BlockErasure::erase_chunks(const domain::Envelope& envelope) {
  const Bytes of_stream = stream + '\0';
  const auto known = std::find(scope.chunk_prefixes.begin(), scope.chunk_prefixes.end(), of_stream);
  if (known == scope.chunk_prefixes.end()) scope.chunk_prefixes.push_back(of_stream);
  return store.erase_chunks(chunk_prefix(stream, envelope.content->digest));
}

}  // namespace

// The prefix is a chunk's key without the index at its end.
Bytes chunk_prefix(const std::string& stream, const Hash& digest) {
  Bytes key = chunk_key(stream, digest, 0);
  key.resize(key.size() - sizeof(std::uint32_t));
  return key;
}

Result<void> erase_content(BlockStore& store, StreamIndex& index, const std::string& stream,
                           const domain::VersionRanges& events, ScrubScope& scope) {
  BlockErasure erasure{store, stream, events, scope};
  for (const domain::VersionRange& range : events) {
    const auto blocks = index.blocks_between(stream, range.first, range.last);
    if (!blocks) return tl::unexpected(blocks.error());
    for (const IndexedBlock& block : *blocks) {
      if (auto ok = erasure.run(block.first); !ok) return ok;
    }
  }
  return {};
}

}  // namespace eventlog
