// One RocksDB write for each block. Erasing is a removal, then a flush of the write-ahead log and a
// compaction, then a wait until the old files are gone. A view opens the same files read-only or as
// a secondary.
#include "eventlog/rocksdb/rocksdb_store.hpp"

#include <poll.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>

#include "eventlog/rocksdb/private_folder.hpp"
#include "eventlog/rocksdb/rocksdb_calls.hpp"
#include "eventlog/rocksdb/rocksdb_no_log.hpp"
#include "eventlog/rocksdb/rocksdb_no_resume.hpp"

namespace eventlog {
namespace {

constexpr std::size_t kKeyBytes = 8;

Bytes key_of(Position position) {
  Bytes key;
  base::append_u64(key, static_cast<std::uint64_t>(position.value));
  return key;
}

Position position_of(const rocksdb::Slice& key) {
  return {static_cast<std::int64_t>(base::read_u64({key.data(), key.size()}))};
}

struct Families {
  rocksdb::ColumnFamilyHandle* facts = nullptr;
  rocksdb::ColumnFamilyHandle* content = nullptr;
  rocksdb::ColumnFamilyHandle* chunks = nullptr;
};

// RocksDB deletes a file on another thread, right after it became obsolete. A file that is being
// read takes longer.
constexpr auto kDeletionWait = std::chrono::milliseconds(500);

// Returns the first file that is still there after the wait; none if all are gone.
std::optional<std::string> wait_until_gone(const std::vector<std::string>& files) {
  const auto deadline = std::chrono::steady_clock::now() + kDeletionWait;
  for (const std::string& file : files) {
    while (!is_gone(file)) {
      if (std::chrono::steady_clock::now() > deadline) return file;
      ::poll(nullptr, 0, 1);
    }
  }
  return std::nullopt;
}

bool is_kept_log(const std::string& file) {
  return file.ends_with(".log") && !is_gone(file);
}

class RocksDbStore final : public BlockStore {
 public:
  RocksDbStore(std::unique_ptr<rocksdb::DB> db, Families families, bool sync, Disk& disk)
      : disk_(&disk), db_(std::move(db)), families_(families) {
    write_.sync = sync;
  }
  // A view; its secondary instance keeps its own log in `folder`.
  RocksDbStore(std::unique_ptr<rocksdb::DB> db, Families families, PrivateFolder folder)
      : folder_(std::move(folder)), db_(std::move(db)), families_(families) {}

  ~RocksDbStore() override {
    for (auto* family : {families_.facts, families_.content, families_.chunks}) {
      db_->DestroyColumnFamilyHandle(family);
    }
    db_->Close();
  }

  // Sets where the first block of an empty store must begin.
  void begin_after(Position position) {
    if (tail_.load() == 0) tail_ = position.value;
  }

  // Sets first() and tail() from the blocks at positions up to `through`.
  Result<void> find_ends(Position through, bool allow_damage);

  AppendOutcome append(const SealedBlock& block) override;
  Position first() const override { return {first_.load()}; }
  Position tail() const override { return {tail_.load()}; }
  Result<std::vector<StoredBlock>> read(Position from, std::size_t bytes_max,
                                        bool with_content) override;
  Result<std::vector<StoredBlock>> read_reverse(Position from, std::size_t bytes_max) override;
  Result<Bytes> read_chunk(ByteView key) override;
  Result<void> replace_content(Position first, ByteView content) override;
  Result<void> erase_chunks(ByteView prefix) override;
  Result<void> scrub(const ScrubScope& scope) override;
  Result<void> copy_to(const std::string& folder) override;
  Result<void> trim_before(Position position) override;

 private:
  using Blocks = Result<std::vector<StoredBlock>>;
  template <class Read>
  Blocks beside_trimming(Read&& read) const;
  Blocks read_forward(Position from, std::size_t bytes_max, bool with_content);
  Blocks read_back(Position from, Position through, std::size_t bytes_max);
  Result<void> add_content(const rocksdb::Slice& key, Bytes& content);
  rocksdb::Status leave_write_ahead_log();
  Result<void> rewrite(const ScrubScope& scope);

  std::optional<PrivateFolder> folder_;  // set in a view; outlives the database
  Disk* disk_ = nullptr;                 // null in a view
  std::unique_ptr<rocksdb::DB> db_;
  Families families_;
  rocksdb::WriteOptions write_;
  std::atomic<std::int64_t> first_{0};
  std::atomic<std::int64_t> tail_{0};
  ScrubScope scrubbed_;              // the scope that the files below were rewritten for
  std::vector<std::string> doomed_;  // files that were rewritten but may still exist
  bool is_scrubbed_ = false;         // those files are gone, and nothing was removed since
};

// Returns at least the size of the batch that holds the whole block.
std::size_t batch_bytes(const SealedBlock& block) {
  constexpr std::size_t kEntryBytesMax = 32;  // besides key and value: kind, family, two lengths
  std::size_t bytes = 2 * (kKeyBytes + kEntryBytesMax) + block.facts.size() + block.content.size();
  for (const Chunk& chunk : block.chunks) {
    bytes += chunk.key.size() + chunk.bytes.size() + kEntryBytesMax;
  }
  return bytes;
}

AppendOutcome RocksDbStore::append(const SealedBlock& block) {
  if (block.header.first != tail().next()) {
    return {AppendStatus::conflict, tail(), {base::ErrorCode::conflict, "position is taken", {}}};
  }
  // One record of the write-ahead log, the block before its chunks. A torn record leaves no orphan
  // chunk, which an erasure would miss.
  const Bytes key = key_of(block.header.first);
  rocksdb::WriteBatch batch(batch_bytes(block));
  rocksdb::Status status = batch.Put(families_.facts, slice(key), slice(block.facts));
  if (status.ok() && !block.content.empty()) {
    status = batch.Put(families_.content, slice(key), slice(block.content));
  }
  for (const Chunk& chunk : block.chunks) {
    if (status.ok()) status = batch.Put(families_.chunks, slice(chunk.key), slice(chunk.bytes));
  }
  if (status.ok()) status = db_->Write(write_, &batch);
  if (!status.ok()) return {AppendStatus::unknown, tail(), error_of(status, "log")};
  if (first_.load() == 0) first_ = block.header.first.value;
  tail_ = block.header.last().value;
  return {AppendStatus::stored, tail(), {}};
}

Result<void> RocksDbStore::add_content(const rocksdb::Slice& key, Bytes& content) {
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), families_.content, key, &content);
  if (status.IsNotFound()) return {};
  if (!status.ok()) return tl::unexpected(error_of(status, "content"));
  return {};
}

// A block that is trimmed between the reads of its facts and its content would seem to have no
// content. The read is then repeated on the blocks that are left.
template <class Read>
RocksDbStore::Blocks RocksDbStore::beside_trimming(Read&& read) const {
  for (;;) {
    const Position begin = first();
    Blocks found = read(begin);
    if (first() == begin) return found;
  }
}

Result<std::vector<StoredBlock>> RocksDbStore::read(Position from, std::size_t bytes_max,
                                                    bool with_content) {
  return beside_trimming(
      [&](Position begin) { return read_forward(std::max(from, begin), bytes_max, with_content); });
}

Result<std::vector<StoredBlock>> RocksDbStore::read_reverse(Position from, std::size_t bytes_max) {
  return beside_trimming([&](Position begin) { return read_back(from, begin, bytes_max); });
}

RocksDbStore::Blocks RocksDbStore::read_forward(Position from, std::size_t bytes_max,
                                                bool with_content) {
  std::vector<StoredBlock> found;
  if (from > tail() || tail().value == 0) return found;
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  std::size_t bytes = 0;
  if (bytes_max == 1) {
    // Most callers ask for a block by its first position; an iterator also reads its neighbours.
    StoredBlock block;
    const Bytes key = key_of(from);
    const rocksdb::Status got = db_->Get(options, families_.facts, slice(key), &block.facts);
    if (got.ok()) {
      if (with_content) {
        if (auto ok = add_content(slice(key), block.content); !ok) {
          return tl::unexpected(ok.error());
        }
      }
      found.push_back(std::move(block));
      return found;
    }
  }
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options, families_.facts));
  at->SeekForPrev(slice(key_of(from)));
  // Nothing lies before `from`. If the block there is damaged, do not fall back to the log's
  // beginning.
  if (!at->Valid() && at->status().ok()) at->SeekToFirst();
  // Stop before a step that is not needed: it would read from the disk.
  for (const Position last = tail(); at->Valid() && position_of(at->key()) <= last; at->Next()) {
    StoredBlock block{at->value().ToString(), {}};
    if (with_content) {
      if (auto ok = add_content(at->key(), block.content); !ok) return tl::unexpected(ok.error());
    }
    bytes += block.bytes();
    found.push_back(std::move(block));
    if (bytes >= bytes_max) break;
  }
  if (!at->status().ok()) return tl::unexpected(error_of(at->status(), "log"));
  return found;
}

RocksDbStore::Blocks RocksDbStore::read_back(Position from, Position through,
                                             std::size_t bytes_max) {
  std::vector<StoredBlock> found;
  const std::unique_ptr<rocksdb::Iterator> at(
      db_->NewIterator(rocksdb::ReadOptions(), families_.facts));
  std::size_t bytes = 0;
  for (at->SeekForPrev(slice(key_of(from))); at->Valid() && position_of(at->key()) >= through;
       at->Prev()) {
    StoredBlock block{at->value().ToString(), {}};
    if (auto ok = add_content(at->key(), block.content); !ok) return tl::unexpected(ok.error());
    bytes += block.bytes();
    found.push_back(std::move(block));
    if (bytes >= bytes_max) break;
  }
  if (!at->status().ok()) return tl::unexpected(error_of(at->status(), "log"));
  return found;
}

Result<Bytes> RocksDbStore::read_chunk(ByteView key) {
  Bytes bytes;
  const rocksdb::Status status =
      db_->Get(rocksdb::ReadOptions(), families_.chunks, slice(key), &bytes);
  if (!status.ok()) return tl::unexpected(error_of(status, "chunk"));
  return bytes;
}

Result<void> RocksDbStore::replace_content(Position first, ByteView content) {
  const Bytes key = key_of(first);
  Bytes facts;
  rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), families_.facts, slice(key), &facts);
  if (!status.ok()) return tl::unexpected(error_of(status, std::to_string(first.value)));
  status = content.empty() ? db_->Delete(write_, families_.content, slice(key))
                           : db_->Put(write_, families_.content, slice(key), slice(content));
  if (!status.ok()) return tl::unexpected(error_of(status, "content"));
  is_scrubbed_ = false;
  return {};
}

Result<void> RocksDbStore::erase_chunks(ByteView prefix) {
  Bytes end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xFF) end.pop_back();
  if (end.empty()) return base::failure(base::ErrorCode::invalid, "a prefix must be given");
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  const std::unique_ptr<rocksdb::Iterator> at(
      db_->NewIterator(rocksdb::ReadOptions(), families_.chunks));
  at->Seek(slice(prefix));
  if (!at->status().ok()) return tl::unexpected(error_of(at->status(), "chunks"));
  if (!at->Valid() || at->key().compare(slice(end)) >= 0) return {};
  const rocksdb::Status status =
      db_->DeleteRange(write_, families_.chunks, slice(prefix), slice(end));
  if (!status.ok()) return tl::unexpected(error_of(status, "chunks"));
  is_scrubbed_ = false;
  return {};
}

// Moves everything from the write-ahead log into tables. RocksDB deletes the obsolete log files
// itself, once they are not needed.
// Each flush records which write-ahead logs are still needed, from what it knows of the others.
// Several flushes at once can each take the others for unfinished, and an unneeded log then stays.
// So the families are flushed one by one, last a family that always has something to flush.
rocksdb::Status RocksDbStore::leave_write_ahead_log() {
  rocksdb::Status status = db_->Delete(write_, families_.content, slice(key_of(Position{0})));
  for (auto* family : {families_.facts, families_.chunks, families_.content}) {
    if (status.ok()) status = db_->Flush({}, family);
  }
  return status;
}

Result<void> RocksDbStore::rewrite(const ScrubScope& scope) {
  rocksdb::VectorLogPtr logs;
  rocksdb::Status status = db_->GetSortedWalFiles(logs);
  if (status.ok()) {
    status = leave_write_ahead_log();
  }
  if (!status.ok()) return tl::unexpected(error_of(status, "scrub"));
  for (const auto& log : logs) doomed_.push_back(db_->GetName() + log->PathName());

  std::vector<rocksdb::LiveFileMetaData> tables;
  db_->GetLiveFilesMetaData(&tables);
  const auto compact = [&](rocksdb::ColumnFamilyHandle* family, const Bytes& from,
                           const Bytes& through) {
    // RocksDB skips a table that has keys on both sides of the range and none in it. So the range
    // is widened to the ends of the tables.
    Bytes first = from;
    Bytes last = through;
    for (const auto& table : tables) {
      if (table.column_family_name == family->GetName() && table.smallestkey <= through &&
          table.largestkey >= from) {
        doomed_.push_back(table.db_path + table.name);
        first = std::min(first, table.smallestkey);
        last = std::max(last, table.largestkey);
      }
    }
    if (!status.ok()) return;
    rocksdb::CompactRangeOptions options;
    options.exclusive_manual_compaction = false;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    const rocksdb::Slice begin = slice(first);
    const rocksdb::Slice end = slice(last);
    status = db_->CompactRange(options, family, &begin, &end);
  };
  if (scope.first.value > 0) compact(families_.content, key_of(scope.first), key_of(scope.last));
  for (const Bytes& prefix : scope.chunk_prefixes) {
    compact(families_.chunks, prefix, prefix + Bytes(64, '\xFF'));
  }
  if (!status.ok()) return tl::unexpected(error_of(status, "scrub"));
  return {};
}

Result<void> RocksDbStore::scrub(const ScrubScope& scope) {
  if (disk_ == nullptr) return base::failure(base::ErrorCode::refused, "a view changes nothing");
  // The call is repeated while something else delays an erasure.
  if (is_scrubbed_ && scope == scrubbed_) return {};
  rocksdb::Status status;
  if (doomed_.empty() || scope != scrubbed_) {
    scrubbed_ = {};
    doomed_.clear();
    if (auto ok = rewrite(scope); !ok) return ok;
    scrubbed_ = scope;
  } else if (std::any_of(doomed_.begin(), doomed_.end(), is_kept_log)) {
    status = leave_write_ahead_log();
  }
  // RocksDB can lose track of write-ahead logs that it found when it was opened. Enabling file
  // deletions again makes it look for all unneeded files.
  if (status.ok()) status = db_->DisableFileDeletions();
  if (status.ok()) status = db_->EnableFileDeletions(false);
  if (!status.ok()) return tl::unexpected(error_of(status, "scrub"));
  if (const auto left = wait_until_gone(doomed_)) {
    return base::failure(base::ErrorCode::busy, "a file with erased content is still in use",
                         *left);
  }
  doomed_.clear();
  // The removal of the files must also survive a loss of power.
  if (auto ok = disk_->sync_folder(db_->GetName()); !ok) return ok;
  is_scrubbed_ = true;
  return {};
}

Result<void> RocksDbStore::copy_to(const std::string& folder) {
  rocksdb::Checkpoint* raw = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(db_.get(), &raw);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  // Flush everything into tables: a write-ahead log that is linked into the copy can lack its last
  // bytes.
  constexpr std::uint64_t kFlushAlways = 0;
  if (status.ok()) status = checkpoint->CreateCheckpoint(folder, kFlushAlways);
  if (!status.ok()) return tl::unexpected(error_of(status, folder));
  return {};
}

Result<void> RocksDbStore::trim_before(Position position) {
  const std::unique_ptr<rocksdb::Iterator> at(
      db_->NewIterator(rocksdb::ReadOptions(), families_.facts));
  at->SeekForPrev(slice(key_of(position)));
  if (!at->status().ok()) return tl::unexpected(error_of(at->status(), "trim"));
  if (!at->Valid() || position_of(at->key()) == first()) return {};
  const Bytes keep = at->key().ToString();
  const Bytes zero = key_of(Position{0});
  rocksdb::WriteBatch batch;
  batch.DeleteRange(families_.facts, slice(zero), slice(keep));
  batch.DeleteRange(families_.content, slice(zero), slice(keep));
  const std::int64_t before = first_.exchange(position_of(keep).value);
  rocksdb::Status status = db_->Write(write_, &batch);
  if (!status.ok()) {
    first_ = before;
    return tl::unexpected(error_of(status, "trim"));
  }
  // Drop whole tables first, which costs nothing; then compact the one that holds the seam.
  const rocksdb::Slice begin = slice(zero);
  const rocksdb::Slice end = slice(keep);
  for (auto* family : {families_.facts, families_.content}) {
    if (status.ok()) status = rocksdb::DeleteFilesInRange(db_.get(), family, &begin, &end, false);
    if (status.ok()) status = db_->CompactRange({}, family, &begin, &end);
  }
  if (!status.ok()) return tl::unexpected(error_of(status, "trim"));
  return {};
}

Result<void> RocksDbStore::find_ends(Position through, bool allow_damage) {
  const std::unique_ptr<rocksdb::Iterator> at(
      db_->NewIterator(rocksdb::ReadOptions(), families_.facts));
  at->SeekToFirst();
  if (!at->Valid() && at->status().ok()) return {};
  const bool is_damage_passed = allow_damage && at->status().IsCorruption();
  if (!at->Valid() && !is_damage_passed) return tl::unexpected(error_of(at->status(), "log"));
  if (at->Valid() && at->key().size() != kKeyBytes) {
    return base::failure(base::ErrorCode::wrong_log, "the database is not a log of Steno",
                         db_->GetName());
  }
  const Position first = at->Valid() ? position_of(at->key()) : Position{1};
  if (first > through) return {};
  at->SeekForPrev(slice(key_of(through)));
  if (!at->Valid()) return tl::unexpected(error_of(at->status(), "log"));
  const Position last_key = position_of(at->key());
  const Bytes last_block = at->value().ToString();
  const auto last = parse_block(last_block);
  first_ = first.value;
  tail_ = last_key.value;
  if (last && last->header.first == last_key) {
    tail_ = last->header.last().value;
  } else if (!allow_damage) {
    const std::string where = "position " + std::to_string(last_key.value);
    if (!last) return base::failure(last.error().code, last.error().text, where);
    return base::failure(base::ErrorCode::damaged, "the last block lies under another position",
                         where);
  }
  return {};
}

rocksdb::ColumnFamilyOptions family_options(std::size_t write_buffer_bytes) {
  rocksdb::ColumnFamilyOptions options;
  // Not compressed: salvage finds blocks in table files by their own bytes.
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = write_buffer_bytes;
  options.max_write_buffer_number = 2;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 16 << 10;
  table.format_version = 5;
  // The kernel reads ahead for sequential reads; RocksDB's own read-ahead would copy everything
  // once more.
  table.max_auto_readahead_size = 0;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// How many tables stay open, each with an index of some 45 KB. A start keeps at most 16 of them
// open (RocksDB's kInitialLoadLimit), however long the log is. The others are opened when they are
// read.
int open_log_tables_max() {
  constexpr int kLogTablesMax = 512;
  const int most = open_tables_max();
  return most < 0 ? kLogTablesMax : std::min(most, kLogTablesMax);
}

rocksdb::DBOptions db_options(const RocksDbStoreOptions& wanted) {
  rocksdb::DBOptions options;
  if (auto* env = static_cast<rocksdb::Env*>(wanted.disk->rocksdb_env())) options.env = env;
  options.create_if_missing = wanted.create_if_missing && !wanted.read_only;
  options.create_missing_column_families = options.create_if_missing;
  // Halves the time to open; the limit on the write-ahead log's size keeps the rest short.
  options.avoid_flush_during_recovery = true;
  options.max_total_wal_size = 64 << 20;
  // This mode drops a torn end silently; our own chain and head file detect that.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.track_and_verify_wals_in_manifest = true;  // hence SyncWAL is never called (#10892)
  options.wal_bytes_per_sync = 512 << 10;
  options.bytes_per_sync = 1 << 20;
  options.advise_random_on_open = false;  // it would keep the kernel from reading ahead
  options.max_background_jobs = 2;
  options.max_open_files = open_log_tables_max();
  // With RocksDB's 64 shards, tables in one shard would evict each other long before the limit.
  options.table_cache_numshardbits = 2;
  options.max_file_opening_threads = kOpeningThreads;
  forbid_resume(options);
  forbid_log(options);
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> descriptors(
    std::size_t write_buffer_bytes = kWriteBufferBytes) {
  const rocksdb::ColumnFamilyOptions family = family_options(write_buffer_bytes);
  return {{rocksdb::kDefaultColumnFamilyName, family}, {"content", family}, {"chunks", family}};
}

constexpr Position kEverything{std::numeric_limits<std::int64_t>::max()};

base::Error failed_opening(const rocksdb::Status& status, const std::string& folder) {
  base::Error error = open_error_of(status, folder);
  if (error.code == base::ErrorCode::io && has_database(folder) && status.IsPathNotFound()) {
    error.code = base::ErrorCode::damaged;  // a file of the database is missing
  }
  if (status.IsInvalidArgument() &&
      said_of(status, folder).find("Column famil") != std::string::npos) {
    error = {base::ErrorCode::wrong_log,
             "the database is not a log of Steno, or one of a newer release: " + error.text,
             folder};
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<BlockStore>> open_rocksdb_store(const RocksDbStoreOptions& options) {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  const rocksdb::DBOptions db = db_options(options);
  const rocksdb::Status status =
      options.read_only
          ? rocksdb::DB::OpenForReadOnly(db, options.folder, descriptors(), &handles, &raw)
          : rocksdb::DB::Open(db, options.folder, descriptors(options.write_buffer_bytes), &handles,
                              &raw);
  if (!status.ok()) return tl::unexpected(failed_opening(status, options.folder));
  auto store = std::make_unique<RocksDbStore>(std::unique_ptr<rocksdb::DB>(raw),
                                              Families{handles[0], handles[1], handles[2]},
                                              options.sync, *options.disk);
  if (auto ok = store->find_ends(kEverything, false); !ok) return tl::unexpected(ok.error());
  store->begin_after(options.after);
  return store;
}

Result<std::unique_ptr<BlockStore>> open_rocksdb_view(const RocksDbViewOptions& options) {
  if (!has_database(options.folder)) {
    return base::failure(base::ErrorCode::not_found, "there is no database", options.folder);
  }
  auto folder = PrivateFolder::make();
  if (!folder) return tl::unexpected(folder.error());
  rocksdb::DBOptions db = db_options({options.folder, false});
  db.max_open_files = -1;  // keeps files readable after the writer removes them
  db.track_and_verify_wals_in_manifest = !options.has_writer;  // not possible beside a writer
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  rocksdb::Status status;
  for (int attempt = 0; attempt < (options.has_writer ? kViewAttemptsMax : 1); ++attempt) {
    // A secondary skips missing files, since the writer may have removed them, and refuses a
    // damaged write-ahead log. Without a writer, opening read-only reports more.
    status = options.has_writer
                 ? rocksdb::DB::OpenAsSecondary(db, options.folder, folder->path(), descriptors(),
                                                &handles, &raw)
                 : rocksdb::DB::OpenForReadOnly(db, options.folder, descriptors(), &handles, &raw);
    if (status.ok()) break;
  }
  if (!status.ok()) return tl::unexpected(failed_opening(status, options.folder));
  auto store = std::make_unique<RocksDbStore>(std::unique_ptr<rocksdb::DB>(raw),
                                              Families{handles[0], handles[1], handles[2]},
                                              std::move(*folder));
  // Catch up: a write-ahead log that the writer removed meanwhile is in a table by now.
  if (options.has_writer) status = raw->TryCatchUpWithPrimary();
  if (!status.ok()) return tl::unexpected(failed_opening(status, options.folder));
  auto found = store->find_ends(options.through.value_or(kEverything), options.allow_damage);
  if (!found) return tl::unexpected(found.error());
  return store;
}

}  // namespace eventlog
