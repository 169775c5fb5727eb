// A log together with the archives of its beginning, for one reader that may need both. An archive
// is opened when it is first needed. Archives that erasures rewrite are read as they were when they
// were opened, so the reader lives only as long as one question.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eventlog/store/block_store.hpp"

namespace workers {

using base::Bytes;
using base::ByteView;
using base::Position;
using base::Result;
using eventlog::BlockStore;

// Where an archive can be, the likeliest folder first, and its last event.
struct ArchivePlace {
  std::vector<std::string> folders;
  Position through;
};

// Opens the log in an archive's folder for reading.
using OpenArchive = std::function<Result<std::unique_ptr<BlockStore>>(const std::string& folder)>;

class ArchivedLog final : public BlockStore {
 public:
  // `log` must outlive it. Without `open` nothing but the log is read.
  ArchivedLog(BlockStore& log, std::vector<ArchivePlace> places, OpenArchive open);

  // Opens archives back to the one that holds `position`, as far as they are there, are readable
  // and belong to this log. Returns the first position that can be read.
  Position reach(Position position);
  // As reach(), and true if `position` can be read.
  bool holds(Position position) { return reach(position) <= position; }

  // The first position that was reached.
  Position first() const override;
  Position tail() const override { return log_.tail(); }
  Result<std::vector<eventlog::StoredBlock>> read(Position from, std::size_t bytes_max,
                                                  bool with_content) override;
  Result<std::vector<eventlog::StoredBlock>> read_reverse(Position from,
                                                          std::size_t bytes_max) override;
  Result<Bytes> read_chunk(ByteView key) override;

  // It is only read: each of these fails with `refused`.
  eventlog::AppendOutcome append(const eventlog::SealedBlock& block) override;
  Result<void> replace_content(Position first, ByteView content) override;
  Result<void> erase_chunks(ByteView prefix) override;
  Result<void> scrub(const eventlog::ScrubScope& scope) override;
  Result<void> copy_to(const std::string& folder) override;
  Result<void> trim_before(Position position) override;

 private:
  BlockStore& part_of(Position position);
  std::unique_ptr<BlockStore> open(const ArchivePlace& place);

  BlockStore& log_;
  std::vector<ArchivePlace> places_;  // not opened yet, the newest last
  OpenArchive open_;
  std::vector<std::unique_ptr<BlockStore>> opened_;  // the newest first, without a gap
};

}  // namespace workers
