// A block store over another one, as a base for stores with faults: calls that a test does not
// override go through. Also a store that counts reads. The other store must outlive both.
#pragma once

#include "eventlog/store/block_store.hpp"

namespace support {

class ForwardingStore : public eventlog::BlockStore {
 public:
  explicit ForwardingStore(eventlog::BlockStore& inner) : inner_(inner) {}

  eventlog::AppendOutcome append(const eventlog::SealedBlock& block) override {
    return inner_.append(block);
  }
  eventlog::Position first() const override { return inner_.first(); }
  eventlog::Position tail() const override { return inner_.tail(); }
  base::Result<std::vector<eventlog::StoredBlock>> read(eventlog::Position from,
                                                        std::size_t bytes_max,
                                                        bool with_content) override {
    return inner_.read(from, bytes_max, with_content);
  }
  base::Result<std::vector<eventlog::StoredBlock>> read_reverse(eventlog::Position from,
                                                                std::size_t bytes_max) override {
    return inner_.read_reverse(from, bytes_max);
  }
  base::Result<base::Bytes> read_chunk(base::ByteView key) override {
    return inner_.read_chunk(key);
  }
  base::Result<void> replace_content(eventlog::Position first, base::ByteView content) override {
    return inner_.replace_content(first, content);
  }
  base::Result<void> erase_chunks(base::ByteView prefix) override {
    return inner_.erase_chunks(prefix);
  }
  base::Result<void> scrub(const eventlog::ScrubScope& scope) override {
    return inner_.scrub(scope);
  }
  base::Result<void> copy_to(const std::string& folder) override { return inner_.copy_to(folder); }
  base::Result<void> trim_before(eventlog::Position position) override {
    return inner_.trim_before(position);
  }

 private:
  eventlog::BlockStore& inner_;
};

class CountingStore : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  base::Result<std::vector<eventlog::StoredBlock>> read(eventlog::Position from,
                                                        std::size_t bytes_max,
                                                        bool with_content) override {
    auto blocks = ForwardingStore::read(from, bytes_max, with_content);
    if (!blocks) return blocks;
    blocks_read += blocks->size();
    for (const eventlog::StoredBlock& block : *blocks) content_read += block.content.size();
    return blocks;
  }
  base::Result<base::Bytes> read_chunk(base::ByteView key) override {
    auto chunk = ForwardingStore::read_chunk(key);
    if (chunk) content_read += chunk->size();
    return chunk;
  }
  void forget() { blocks_read = content_read = 0; }

  std::size_t blocks_read = 0;
  std::size_t content_read = 0;  // bytes
};

}  // namespace support
