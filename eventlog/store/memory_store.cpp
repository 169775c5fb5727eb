// Blocks and chunks lie in two maps; a block is found by the last first position at or before the
// one that is asked for.
#include "eventlog/store/memory_store.hpp"

namespace eventlog {

AppendOutcome MemoryStore::append(const SealedBlock& block) {
  if (block.header.first != tail_.next()) {
    return {AppendStatus::conflict, tail_, {base::ErrorCode::conflict, "position is taken", {}}};
  }
  for (const Chunk& chunk : block.chunks) chunks_[chunk.key] = chunk.bytes;
  blocks_[block.header.first] = {block.facts, block.content};
  tail_ = block.header.last();
  return {AppendStatus::stored, tail_, {}};
}

Position MemoryStore::first() const {
  return blocks_.empty() ? Position{} : blocks_.begin()->first;
}

Position MemoryStore::tail() const {
  return tail_;
}

MemoryStore::Blocks::const_iterator MemoryStore::holding(Position position) const {
  auto after = blocks_.upper_bound(position);
  return after == blocks_.begin() ? after : std::prev(after);
}

Result<std::vector<StoredBlock>> MemoryStore::read(Position from, std::size_t bytes_max,
                                                   bool with_content) {
  std::vector<StoredBlock> found;
  if (from > tail_) return found;
  std::size_t bytes = 0;
  for (auto at = holding(from); at != blocks_.end() && (found.empty() || bytes < bytes_max); ++at) {
    found.push_back({at->second.facts, with_content ? at->second.content : Bytes{}});
    bytes += found.back().bytes();
  }
  return found;
}

Result<std::vector<StoredBlock>> MemoryStore::read_reverse(Position from, std::size_t bytes_max) {
  std::vector<StoredBlock> found;
  if (blocks_.empty() || from < blocks_.begin()->first) return found;
  std::size_t bytes = 0;
  for (auto at = holding(from); found.empty() || bytes < bytes_max; --at) {
    found.push_back(at->second);
    bytes += found.back().bytes();
    if (at == blocks_.begin()) break;
  }
  return found;
}

Result<Bytes> MemoryStore::read_chunk(ByteView key) {
  const auto found = chunks_.find(key);
  if (found == chunks_.end()) return base::failure(base::ErrorCode::not_found, "no such chunk");
  return found->second;
}

Result<void> MemoryStore::replace_content(Position first, ByteView content) {
  const auto found = blocks_.find(first);
  if (found == blocks_.end()) {
    return base::failure(base::ErrorCode::not_found, "no block begins there",
                         std::to_string(first.value));
  }
  found->second.content = content;
  return {};
}

Result<void> MemoryStore::erase_chunks(ByteView prefix) {
  if (prefix.empty()) return base::failure(base::ErrorCode::invalid, "a prefix must be given");
  std::erase_if(chunks_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  return {};
}

Result<void> MemoryStore::trim_before(Position position) {
  const auto keep = holding(position);
  blocks_.erase(blocks_.begin(), keep);
  return {};
}

}  // namespace eventlog
