#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "eventlog/key_value_store.hpp"
#include "eventlog/private_folder.hpp"
#include "eventlog/rocksdb_calls.hpp"
#include "eventlog/rocksdb_no_log.hpp"
#include "eventlog/rocksdb_no_resume.hpp"

namespace eventlog {
namespace {

using base::Bytes;
using base::ByteView;
using base::Result;

class RocksDbKeyValueStore final : public KeyValueStore {
 public:
  explicit RocksDbKeyValueStore(std::unique_ptr<rocksdb::DB> db) : db_(std::move(db)) {}
  // A view, whose secondary instance keeps its own log in `folder`.
  RocksDbKeyValueStore(std::unique_ptr<rocksdb::DB> db, PrivateFolder folder)
      : folder_(std::move(folder)), db_(std::move(db)) {}

  Result<bool> write(const WriteBatch& batch) override {
    rocksdb::WriteBatch raw;
    for (const Bytes& key : batch.removes) raw.Delete(key);
    for (const auto& [key, value] : batch.puts) raw.Put(key, value);
    return done(db_->Write(rocksdb::WriteOptions(), &raw));
  }

  Result<std::optional<Bytes>> get(ByteView key) override {
    Bytes value;
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return tl::unexpected(error_of(status, db_->GetName()));
    return std::optional(std::move(value));
  }

  Result<std::vector<KeyValue>> scan(ByteView prefix, ByteView from,
                                     std::size_t count_max) override {
    std::vector<KeyValue> found;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(rocksdb::ReadOptions()));
    for (at->Seek(slice(std::max(prefix, from)));
         at->Valid() && at->key().starts_with(slice(prefix)) && found.size() < count_max;
         at->Next()) {
      found.push_back({at->key().ToString(), at->value().ToString()});
    }
    if (!at->status().ok()) return tl::unexpected(error_of(at->status(), db_->GetName()));
    return found;
  }

  Result<std::optional<KeyValue>> last(ByteView prefix) override {
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(rocksdb::ReadOptions()));
    // Behind every key with the prefix: keys are shorter than this run of 0xFF.
    const Bytes end = Bytes(prefix) + Bytes(64, '\xFF');
    at->SeekForPrev(end);
    if (!at->status().ok()) return tl::unexpected(error_of(at->status(), db_->GetName()));
    if (!at->Valid() || !at->key().starts_with(slice(prefix))) return std::nullopt;
    return std::optional(KeyValue{at->key().ToString(), at->value().ToString()});
  }

  Result<bool> clear() override {
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(rocksdb::ReadOptions()));
    at->SeekToLast();
    if (!at->Valid()) return true;
    const Bytes end = at->key().ToString() + '\0';
    return done(db_->DeleteRange(rocksdb::WriteOptions(), db_->DefaultColumnFamily(), "", end));
  }

 private:
  Result<bool> done(const rocksdb::Status& status) {
    if (!status.ok()) return tl::unexpected(error_of(status, db_->GetName()));
    return true;
  }

  std::optional<PrivateFolder> folder_;  // of a view; outlives the database
  std::unique_ptr<rocksdb::DB> db_;
};

rocksdb::Options options_for_rows() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 8 << 20;
  options.max_write_buffer_number = 2;
  // At each opening the write-ahead log goes into a table. Kept, as the log's is, it would be torn
  // by a loss of power below what a later one holds: rows are not synced, and must have no holes.
  options.avoid_flush_during_recovery = false;
  options.compression = rocksdb::kNoCompression;
  forbid_resume(options);
  forbid_log(options);
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(4 << 20);
  // Many a row that is asked for is not there: a snapshot, a session that is under way.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_store(const std::string& folder,
                                                                    Disk& disk) {
  rocksdb::Options options = options_for_rows();
  if (auto* env = static_cast<rocksdb::Env*>(disk.rocksdb_env())) options.env = env;
  rocksdb::DB* raw = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, folder, &raw);
  if (!status.ok()) return tl::unexpected(open_error_of(status, folder));
  return std::make_unique<RocksDbKeyValueStore>(std::unique_ptr<rocksdb::DB>(raw));
}

Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_view(const std::string& folder) {
  if (!has_database(folder)) {
    return base::failure(base::ErrorCode::not_found, "there is no database", folder);
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
  if (!status.ok()) return tl::unexpected(open_error_of(status, folder));
  auto view =
      std::make_unique<RocksDbKeyValueStore>(std::unique_ptr<rocksdb::DB>(raw), std::move(*own));
  // A write-ahead log that the writer removed while the secondary was opened is in a table by now.
  status = raw->TryCatchUpWithPrimary();
  if (!status.ok()) return tl::unexpected(open_error_of(status, folder));
  return view;
}

}  // namespace eventlog
