// KeyValueStore over RocksDB. Nothing goes into a write-ahead log: rows reach the disk by flushes,
// each of which adds a table file and a record of the manifest. A cut or older manifest is
// therefore an older state of the whole store, or names a file that is missing. With a write-ahead
// log behind it, it could be a later state with a hole.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <shared_mutex>

#include "eventlog/base/list_files.hpp"
#include "eventlog/rocksdb/private_folder.hpp"
#include "eventlog/rocksdb/rocksdb_calls.hpp"
#include "eventlog/rocksdb/rocksdb_no_log.hpp"
#include "eventlog/rocksdb/rocksdb_no_resume.hpp"
#include "eventlog/store/key_value_store.hpp"

namespace eventlog {
namespace {

using base::Bytes;
using base::ByteView;
using base::Error;
using base::ErrorCode;
using base::Result;

// How far the disk can be behind: rows that are lost with the process are folded again from the
// log. Folding this many takes some 50 ms.
constexpr std::size_t kFlushRows = 64 << 10;
constexpr auto kFlushInterval = std::chrono::seconds(2);

// For what was read of tables: partitions of indexes and filters, which stay longest, and rows.
constexpr std::size_t kCacheBytes = 4 << 20;
constexpr double kCacheOfIndexes = 0.9;
// Few shards, so that each has room for a table's largest block.
constexpr int kCacheShardBits = 2;

rocksdb::Options options_for_rows() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 8 << 20;
  options.max_write_buffer_number = 2;
  options.max_open_files = open_tables_max();
  options.max_file_opening_threads = kOpeningThreads;
  options.compression = rocksdb::kNoCompression;
  forbid_resume(options);
  forbid_log(options);
  rocksdb::BlockBasedTableOptions table;
  // A start opens every table. With unpartitioned indexes it would read all of each index and
  // filter and keep them in memory. That costs 14 MB and 100 ms of processor time for 850 MB of
  // rows.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = rocksdb::NewLRUCache(kCacheBytes, kCacheShardBits, false, kCacheOfIndexes);
  // Many rows that are looked up do not exist: a snapshot, a session that is under way.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// The path of the mark file of a folder in which damage was met.
std::string mark_of(const std::string& folder) {
  return folder + "/damaged";
}

Error damaged(const rocksdb::Status& status, const std::string& folder) {
  return {ErrorCode::rows_damaged,
          "rows that are derived from the log are damaged: " + status.ToString(), folder};
}

// True for a file that is missing, cut, foreign or of a later release; false for a failing disk.
bool is_damage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsInvalidArgument() || status.IsNotSupported() ||
         status.IsNotFound() || status.IsPathNotFound();
}

Error open_rows_error(const rocksdb::Status& status, const std::string& folder) {
  if (is_damage(status)) return damaged(status, folder);
  return open_error_of(status, folder);
}

Result<std::unique_ptr<rocksdb::DB>> open_database(const std::string& folder, Disk& disk) {
  rocksdb::Options options = options_for_rows();
  if (auto* env = static_cast<rocksdb::Env*>(disk.rocksdb_env())) options.env = env;
  rocksdb::DB* raw = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, folder, &raw);
  if (!status.ok()) return tl::unexpected(open_rows_error(status, folder));
  return std::unique_ptr<rocksdb::DB>(raw);
}

Result<void> empty_folder(const std::string& folder, Disk& disk) {
  disk.remove_all(folder);
  if (auto made = disk.make_folder(folder); !made) return tl::unexpected(made.error());
  return {};
}

class RocksDbKeyValueStore final : public KeyValueStore {
 public:
  RocksDbKeyValueStore(std::unique_ptr<rocksdb::DB> db, std::string folder, Disk& disk)
      : path_(std::move(folder)), disk_(&disk), db_(std::move(db)) {}
  // A view; its secondary instance keeps its own log in `own`.
  RocksDbKeyValueStore(std::unique_ptr<rocksdb::DB> db, std::string folder, PrivateFolder own)
      : path_(std::move(folder)), own_(std::move(own)), db_(std::move(db)) {}
  RocksDbKeyValueStore(const RocksDbKeyValueStore&) = delete;
  RocksDbKeyValueStore& operator=(const RocksDbKeyValueStore&) = delete;

  // Flushes first, because RocksDB abandons a flush that is under way when it is closed.
  ~RocksDbKeyValueStore() override {
    if (disk_ != nullptr && db_) static_cast<void>(db_->Flush(rocksdb::FlushOptions()));
  }

  Result<void> write(const WriteBatch& batch) override {
    const std::shared_lock use(database_);
    if (!db_) return tl::unexpected(closed());
    rocksdb::WriteBatch raw;
    for (const Bytes& key : batch.removes) raw.Delete(key);
    for (const auto& [key, value] : batch.puts) raw.Put(key, value);
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    if (auto ok = done(db_->Write(options, &raw)); !ok) return ok;
    unflushed_ += static_cast<std::size_t>(raw.Count());
    if (unflushed_ >= kFlushRows) begin_flush();
    return {};
  }

  Result<std::optional<Bytes>> get(ByteView key) override {
    const std::shared_lock use(database_);
    if (!db_) return tl::unexpected(closed());
    Bytes value;
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (auto ok = done(status); !ok) return tl::unexpected(ok.error());
    return std::optional(std::move(value));
  }

  Result<std::vector<KeyValue>> scan(ByteView prefix, ByteView from,
                                     std::size_t count_max) override {
    const std::shared_lock use(database_);
    if (!db_) return tl::unexpected(closed());
    return scan_database(prefix, from, count_max, rocksdb::ReadOptions());
  }

  Result<std::optional<KeyValue>> last(ByteView prefix) override {
    const std::shared_lock use(database_);
    if (!db_) return tl::unexpected(closed());
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(rocksdb::ReadOptions()));
    // The end lies behind every key with the prefix: keys are shorter than this run of 0xFF.
    const Bytes end = Bytes(prefix) + Bytes(64, '\xFF');
    at->SeekForPrev(end);
    if (auto ok = done(at->status()); !ok) return tl::unexpected(ok.error());
    if (!at->Valid() || !at->key().starts_with(slice(prefix))) return std::nullopt;
    return std::optional(KeyValue{at->key().ToString(), at->value().ToString()});
  }

  Result<void> clear() override {
    if (disk_ == nullptr) {
      return base::failure(ErrorCode::refused, "a view of rows is only read", path_);
    }
    const std::unique_lock alone(database_);
    ++generation_;
    {
      const std::lock_guard guard(snapshots_mutex_);
      for (const Taken& one : std::exchange(snapshots_, {})) db_->ReleaseSnapshot(one.second);
    }
    db_.reset();
    if (auto ok = empty_folder(path_, *disk_); !ok) return ok;
    auto opened = open_database(path_, *disk_);
    if (!opened) return tl::unexpected(opened.error());
    db_ = std::move(*opened);
    const std::lock_guard guard(damage_mutex_);
    damage_.reset();
    return {};
  }

  Result<std::unique_ptr<ReadableRows>> snapshot() override {
    const std::shared_lock use(database_);
    if (!db_) return tl::unexpected(closed());
    const Taken taken{generation_, db_->GetSnapshot()};
    if (taken.second == nullptr)
      return base::failure(ErrorCode::io, "no snapshot can be taken", path_);
    const std::lock_guard guard(snapshots_mutex_);
    snapshots_.insert(taken);
    return std::make_unique<StoreSnapshot>(*this, taken);
  }

  std::uint64_t generation() const override { return generation_; }

  void note_damage(const Error& error) override {
    const std::lock_guard guard(damage_mutex_);
    if (damage_) return;
    damage_ = error;
    // The mark is for the next opening, in case this process ends before it can clear the store.
    if (disk_ != nullptr) static_cast<void>(disk_->open(mark_of(path_)));
  }

  std::optional<Error> damage() const override {
    const std::lock_guard guard(damage_mutex_);
    return damage_;
  }

  bool flush_when_due() override {
    const std::shared_lock use(database_);
    if (!db_ || unflushed_ == 0) return true;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const auto due = std::chrono::steady_clock::duration(kFlushInterval).count();
    if (now - flushed_at_ < due) return false;
    begin_flush();
    return true;
  }

  Result<void> flush() override {
    const std::shared_lock use(database_);
    if (!db_) return tl::unexpected(closed());
    return done(db_->Flush(rocksdb::FlushOptions()));
  }

 private:
  // A snapshot with its generation, since a later snapshot can have the same address.
  using Taken = std::pair<std::uint64_t, const rocksdb::Snapshot*>;

  class StoreSnapshot final : public ReadableRows {
   public:
    StoreSnapshot(RocksDbKeyValueStore& store, Taken taken) : store_(store), taken_(taken) {}
    ~StoreSnapshot() override { store_.release(taken_); }
    StoreSnapshot(const StoreSnapshot&) = delete;
    StoreSnapshot& operator=(const StoreSnapshot&) = delete;

    Result<std::vector<KeyValue>> scan(ByteView prefix, ByteView from,
                                       std::size_t count_max) override {
      return store_.scan_snapshot(taken_, prefix, from, count_max);
    }

   private:
    RocksDbKeyValueStore& store_;
    const Taken taken_;
  };

  // The caller must hold `database_`.
  Result<std::vector<KeyValue>> scan_database(ByteView prefix, ByteView from, std::size_t count_max,
                                              const rocksdb::ReadOptions& options) {
    std::vector<KeyValue> found;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options));
    for (at->Seek(slice(std::max(prefix, from)));
         at->Valid() && at->key().starts_with(slice(prefix)) && found.size() < count_max;
         at->Next()) {
      found.push_back({at->key().ToString(), at->value().ToString()});
    }
    if (auto ok = done(at->status()); !ok) return tl::unexpected(ok.error());
    return found;
  }

  // The lock is released between two pages, so clear() waits for one page at most.
  Result<std::vector<KeyValue>> scan_snapshot(const Taken& taken, ByteView prefix, ByteView from,
                                              std::size_t count_max) {
    const std::shared_lock use(database_);
    {
      const std::lock_guard guard(snapshots_mutex_);
      if (!snapshots_.contains(taken)) {
        return base::failure(ErrorCode::busy, "the rows were removed meanwhile", path_);
      }
    }
    rocksdb::ReadOptions options;
    options.snapshot = taken.second;
    // A snapshot is read through once and would evict what others look up.
    options.fill_cache = false;
    return scan_database(prefix, from, count_max, options);
  }

  void release(const Taken& taken) {
    const std::shared_lock use(database_);
    const std::lock_guard guard(snapshots_mutex_);
    if (snapshots_.erase(taken) > 0) db_->ReleaseSnapshot(taken.second);
  }

  Error closed() const {
    return {ErrorCode::io, "the store could not be recreated; the server's log has the reason",
            path_};
  }

  void begin_flush() {
    unflushed_ = 0;
    flushed_at_ = std::chrono::steady_clock::now().time_since_epoch().count();
    rocksdb::FlushOptions options;
    options.wait = false;
    options.allow_write_stall = true;
    // A failed flush makes the next write fail.
    static_cast<void>(done(db_->Flush(options)));
  }

  Result<void> done(const rocksdb::Status& status) {
    if (status.ok()) return {};
    if (!status.IsCorruption() && !status.IsPathNotFound()) {
      return tl::unexpected(error_of(status, path_));
    }
    note_damage(damaged(status, path_));
    return tl::unexpected(*damage());
  }

  const std::string path_;
  Disk* const disk_ = nullptr;        // null in a view
  std::optional<PrivateFolder> own_;  // set in a view; outlives the database
  std::shared_mutex database_;        // held exclusively while the database is replaced
  std::unique_ptr<rocksdb::DB> db_;   // null: it could not be recreated
  std::mutex snapshots_mutex_;
  std::set<Taken> snapshots_;  // of this database
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<std::size_t> unflushed_{0};  // rows, since the last requested flush
  std::atomic<std::chrono::steady_clock::rep> flushed_at_{0};
  mutable std::mutex damage_mutex_;
  std::optional<Error> damage_;
};

// Returns damage that is visible before the folder is opened; empty if there is none.
std::string seen_damage(const std::string& folder) {
  std::error_code failed;
  const bool is_there = std::filesystem::exists(folder, failed);
  if (is_there && !std::filesystem::is_directory(folder, failed)) return "it is not a folder";
  const auto entries = base::list_files(folder);
  if (!entries) return {};  // opening it says why
  for (const base::ListedFile& entry : *entries) {
    if (entry.path == mark_of(folder)) return "damage was met in it before";
    if (entry.extension() != ".log") continue;
    std::error_code unknown;
    const bool holds_rows = std::filesystem::file_size(entry.path, unknown) > 0 && !unknown;
    if (holds_rows) return "it has a write-ahead log, which an earlier release wrote";
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_store(const std::string& folder,
                                                                    Disk& disk) {
  auto db = open_database(folder, disk);
  if (!db) return tl::unexpected(db.error());
  return std::make_unique<RocksDbKeyValueStore>(std::move(*db), folder, disk);
}

Result<OpenedRows> open_derived_rows(const std::string& folder, Disk& disk) {
  OpenedRows opened;
  opened.damage = seen_damage(folder);
  if (opened.damage.empty()) {
    auto rows = open_rocksdb_key_value_store(folder, disk);
    if (rows) opened.rows = std::move(*rows);
    if (opened.rows) return opened;
    if (rows.error().code != ErrorCode::rows_damaged) return tl::unexpected(rows.error());
    opened.damage = rows.error().text;
  }
  if (auto ok = empty_folder(folder, disk); !ok) return tl::unexpected(ok.error());
  auto rows = open_rocksdb_key_value_store(folder, disk);
  if (!rows) return tl::unexpected(rows.error());
  opened.rows = std::move(*rows);
  return opened;
}

Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_view(const std::string& folder) {
  if (!has_database(folder)) {
    return base::failure(ErrorCode::not_found, "there is no database", folder);
  }
  auto own = PrivateFolder::make();
  if (!own) return tl::unexpected(own.error());
  rocksdb::Options options = options_for_rows();
  options.create_if_missing = false;
  options.max_open_files = -1;
  rocksdb::DB* raw = nullptr;
  rocksdb::Status status;
  for (int attempt = 0; attempt < kViewAttemptsMax; ++attempt) {
    status = rocksdb::DB::OpenAsSecondary(options, folder, own->path(), &raw);
    if (status.ok()) break;
  }
  if (!status.ok()) return tl::unexpected(open_rows_error(status, folder));
  auto view = std::make_unique<RocksDbKeyValueStore>(std::unique_ptr<rocksdb::DB>(raw), folder,
                                                     std::move(*own));
  // Reads rows that the writer flushed while the secondary was opened.
  status = raw->TryCatchUpWithPrimary();
  if (!status.ok()) return tl::unexpected(open_rows_error(status, folder));
  return view;
}

}  // namespace eventlog
