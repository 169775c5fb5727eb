// The block store of tests and simulation: real semantics, no disk. Used by one thread.
#pragma once

#include <map>

#include "eventlog/store/block_store.hpp"

namespace eventlog {

class MemoryStore final : public BlockStore {
 public:
  AppendOutcome append(const SealedBlock& block) override;
  Position first() const override;
  Position tail() const override;
  Result<std::vector<StoredBlock>> read(Position from, std::size_t bytes_max,
                                        bool with_content) override;
  Result<std::vector<StoredBlock>> read_reverse(Position from, std::size_t bytes_max) override;
  Result<Bytes> read_chunk(ByteView key) override;
  Result<void> replace_content(Position first, ByteView content) override;
  Result<void> erase_chunks(ByteView prefix) override;
  Result<void> scrub(const ScrubScope&) override { return {}; }
  Result<void> copy_to(const std::string& folder) override {
    return base::failure(base::ErrorCode::refused, "a log in memory has no copies", folder);
  }
  Result<void> trim_before(Position position) override;

 private:
  using Blocks = std::map<Position, StoredBlock>;
  Blocks::const_iterator holding(Position position) const;

  Blocks blocks_;  // by first position
  std::map<Bytes, Bytes, std::less<>> chunks_;
  Position tail_;
};

}  // namespace eventlog
