// Each store gets one batch of all waiting values, and one sync.
#include "tools/benchmarks/embedded_load.hpp"

#include <poll.h>
#include <rocksdb/db.h>
#include <sqlite3.h>

#include "eventlog/base/bytes.hpp"

namespace benchmarks {
namespace {

class RocksDbLoad final : public EmbeddedLoad {
 public:
  RocksDbLoad(std::unique_ptr<rocksdb::DB> db, std::size_t value_bytes)
      : db_(std::move(db)), value_(value_bytes, 'v') {}

 private:
  base::Result<void> store(std::size_t count) override {
    rocksdb::WriteBatch batch;
    for (std::size_t i = 0; i < count; ++i) {
      ++next_;
      char key[8];
      for (int byte = 0; byte < 8; ++byte) key[byte] = static_cast<char>(next_ >> (56 - 8 * byte));
      batch.Put({key, sizeof key}, value_);
    }
    rocksdb::WriteOptions options;
    options.sync = true;
    const rocksdb::Status status = db_->Write(options, &batch);
    if (status.ok()) return {};
    return base::failure(base::ErrorCode::io, "rocksdb: " + status.ToString());
  }

  std::unique_ptr<rocksdb::DB> db_;
  const base::Bytes value_;
  std::uint64_t next_ = 0;
};

class SqliteLoad final : public EmbeddedLoad {
 public:
  explicit SqliteLoad(std::size_t value_bytes) : value_(value_bytes, 'v') {}
  ~SqliteLoad() override {
    sqlite3_finalize(insert_);
    sqlite3_close(db_);
  }
  SqliteLoad(const SqliteLoad&) = delete;
  SqliteLoad& operator=(const SqliteLoad&) = delete;

  base::Result<void> open(const std::string& path) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) return failed();
    for (const char* text : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL",
                             "CREATE TABLE events (position INTEGER PRIMARY KEY, session INTEGER, "
                             "body BLOB)"}) {
      if (auto ok = run(text); !ok) return ok;
    }
    if (sqlite3_prepare_v2(db_, "INSERT INTO events (session, body) VALUES (1, ?)", -1, &insert_,
                           nullptr) != SQLITE_OK ||
        sqlite3_bind_blob(insert_, 1, value_.data(), static_cast<int>(value_.size()),
                          SQLITE_STATIC) != SQLITE_OK) {
      return failed();
    }
    return {};
  }

 private:
  tl::unexpected<base::Error> failed() const {
    return base::failure(base::ErrorCode::io, std::string("sqlite: ") + sqlite3_errmsg(db_));
  }
  base::Result<void> run(const char* text) {
    if (sqlite3_exec(db_, text, nullptr, nullptr, nullptr) != SQLITE_OK) return failed();
    return {};
  }
  base::Result<void> store(std::size_t count) override {
    if (auto ok = run("BEGIN"); !ok) return ok;
    for (std::size_t i = 0; i < count; ++i) {
      if (sqlite3_step(insert_) != SQLITE_DONE || sqlite3_reset(insert_) != SQLITE_OK) {
        return failed();
      }
    }
    return run("COMMIT");
  }

  const base::Bytes value_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace

base::Result<void> EmbeddedLoad::advance(std::vector<std::size_t>& done) {
  if (waiting_.empty()) return {};
  if (auto ok = store(waiting_.size()); !ok) return ok;
  done.insert(done.end(), waiting_.begin(), waiting_.end());
  waiting_.clear();
  return {};
}

// Nothing is ever in flight, so only the clock is waited for.
base::Result<void> EmbeddedLoad::wait(int timer_fd) {
  pollfd item{timer_fd, POLLIN, 0};
  if (timer_fd >= 0) poll(&item, 1, 1000);
  return {};
}

base::Result<std::unique_ptr<EmbeddedLoad>> open_rocksdb_load(const std::string& folder,
                                                              std::size_t value_bytes) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 16 << 20;
  options.compression = rocksdb::kNoCompression;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, folder, &db);
  if (!status.ok()) return base::failure(base::ErrorCode::io, "rocksdb: " + status.ToString());
  return std::make_unique<RocksDbLoad>(std::unique_ptr<rocksdb::DB>(db), value_bytes);
}

base::Result<std::unique_ptr<EmbeddedLoad>> open_sqlite_load(const std::string& folder,
                                                             std::size_t value_bytes) {
  auto load = std::make_unique<SqliteLoad>(value_bytes);
  if (auto ok = load->open(folder + "/events.db"); !ok) return tl::unexpected(ok.error());
  return load;
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace benchmarks
