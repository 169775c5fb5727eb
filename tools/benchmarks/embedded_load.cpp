// Each store gets one batch of all waiting values, and one sync.
#include "tools/benchmarks/embedded_load.hpp"

#include <poll.h>
#include <rocksdb/db.h>
#include <sqlite3.h>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/random.hpp"

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

// A database with one prepared statement at a time.
class Sqlite {
 public:
  Sqlite() = default;
  ~Sqlite() {
    sqlite3_finalize(statement_);
    sqlite3_close(db_);
  }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  base::Result<void> open(const std::string& path, const char* table) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) return failed();
    for (const char* text : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", table}) {
      if (auto ok = run(text); !ok) return ok;
    }
    return {};
  }
  base::Result<void> run(const char* text) {
    if (sqlite3_exec(db_, text, nullptr, nullptr, nullptr) != SQLITE_OK) return failed();
    return {};
  }
  base::Result<void> prepare(const char* text) {
    sqlite3_finalize(statement_);
    if (sqlite3_prepare_v2(db_, text, -1, &statement_, nullptr) != SQLITE_OK) return failed();
    return {};
  }
  // The bytes must stay where they are until another value is bound.
  base::Result<void> bind(int place, std::string_view bytes) {
    if (sqlite3_bind_blob(statement_, place, bytes.data(), static_cast<int>(bytes.size()),
                          SQLITE_STATIC) != SQLITE_OK) {
      return failed();
    }
    return {};
  }
  base::Result<void> bind(int place, std::int64_t number) {
    if (sqlite3_bind_int64(statement_, place, number) != SQLITE_OK) return failed();
    return {};
  }
  // Carries the statement out, which must change one row.
  base::Result<void> step() {
    if (sqlite3_step(statement_) != SQLITE_DONE || sqlite3_reset(statement_) != SQLITE_OK) {
      return failed();
    }
    if (sqlite3_changes(db_) == 1) return {};
    return base::failure(base::ErrorCode::damaged, "sqlite: a statement changed no row");
  }

 private:
  tl::unexpected<base::Error> failed() const {
    return base::failure(base::ErrorCode::io, std::string("sqlite: ") + sqlite3_errmsg(db_));
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

class SqliteLoad final : public EmbeddedLoad {
 public:
  explicit SqliteLoad(std::size_t value_bytes) : value_(value_bytes, 'v') {}

  base::Result<void> open(const std::string& path) {
    if (auto ok = sqlite_.open(path,
                               "CREATE TABLE events (position INTEGER PRIMARY KEY, session "
                               "INTEGER, body BLOB)");
        !ok) {
      return ok;
    }
    if (auto ok = sqlite_.prepare("INSERT INTO events (session, body) VALUES (1, ?)"); !ok) {
      return ok;
    }
    return sqlite_.bind(1, value_);
  }

 private:
  base::Result<void> store(std::size_t count) override {
    if (auto ok = sqlite_.run("BEGIN"); !ok) return ok;
    for (std::size_t i = 0; i < count; ++i) {
      if (auto ok = sqlite_.step(); !ok) return ok;
    }
    return sqlite_.run("COMMIT");
  }

  const base::Bytes value_;
  Sqlite sqlite_;
};

class SqliteEntriesLoad final : public EmbeddedLoad {
 public:
  explicit SqliteEntriesLoad(std::vector<StoredEntry> entries) : entries_(std::move(entries)) {}

  base::Result<void> open(const std::string& path) {
    if (auto ok = sqlite_.open(
            path, "CREATE TABLE entries (key BLOB PRIMARY KEY, entry BLOB, updated INTEGER)");
        !ok) {
      return ok;
    }
    if (auto ok = sqlite_.prepare("INSERT INTO entries (entry, updated, key) VALUES (?, ?, ?)");
        !ok) {
      return ok;
    }
    if (auto ok = sqlite_.run("BEGIN"); !ok) return ok;
    for (const StoredEntry& entry : entries_) {
      if (auto ok = write(entry); !ok) return ok;
    }
    if (auto ok = sqlite_.run("COMMIT"); !ok) return ok;
    return sqlite_.prepare("UPDATE entries SET entry = ?, updated = ? WHERE key = ?");
  }

 private:
  base::Result<void> store(std::size_t count) override {
    if (auto ok = sqlite_.run("BEGIN"); !ok) return ok;
    for (std::size_t i = 0; i < count; ++i) {
      if (auto ok = write(entries_[drawn_.below(entries_.size())]); !ok) return ok;
    }
    return sqlite_.run("COMMIT");
  }

  base::Result<void> write(const StoredEntry& entry) {
    if (auto ok = sqlite_.bind(1, entry.text); !ok) return ok;
    if (auto ok = sqlite_.bind(2, ++updates_); !ok) return ok;
    if (auto ok = sqlite_.bind(3, entry.key); !ok) return ok;
    return sqlite_.step();
  }

  const std::vector<StoredEntry> entries_;
  base::SeededRandom drawn_{1};
  std::int64_t updates_ = 0;  // so far
  Sqlite sqlite_;
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

base::Result<std::unique_ptr<EmbeddedLoad>> open_sqlite_entries_load(
    const std::string& folder, std::vector<StoredEntry> entries) {
  auto load = std::make_unique<SqliteEntriesLoad>(std::move(entries));
  if (auto ok = load->open(folder + "/entries.db"); !ok) return tl::unexpected(ok.error());
  return load;
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace benchmarks
