// The write-ahead log makes a commit cheap, as it needs no sync, and whole, as its frames have
// checksums. The exclusive lock spares the file of shared memory.
#include "projections/content/sqlite.hpp"

#include <sqlite3.h>

#include <utility>

namespace projections {
namespace {

using base::ErrorCode;

constexpr const char* kSettings =
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA secure_delete=ON;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA trusted_schema=OFF;"
    "PRAGMA cell_size_check=ON;"
    "PRAGMA cache_size=-8192;"              // KiB of pages in memory
    "PRAGMA journal_size_limit=16777216;";  // bytes that the write-ahead log keeps

bool is_of_rows(int code) {
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_FORMAT:
      return true;
    default:
      return code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_CORRUPTFS;
  }
}

tl::unexpected<base::Error> failure_of(sqlite3* database, int code) {
  const char* path = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
  const std::string where = path == nullptr ? std::string() : path;
  if (is_of_rows(code)) {
    return base::failure(ErrorCode::rows_damaged,
                         std::string("the index cannot be read: ") + sqlite3_errstr(code), where);
  }
  if ((code & 0xFF) == SQLITE_FULL) {
    return base::failure(ErrorCode::io, "the disk of the index is full; make room on it", where);
  }
  return base::failure(ErrorCode::io,
                       std::string("the index cannot be used: ") + sqlite3_errstr(code) +
                           "; see to its disk and its permissions",
                       where);
}

// The statements are the program's own. One that SQLite does not understand names a table that the
// file has not. When they run, SQLITE_ERROR says no such thing: a query's words can be the cause.
tl::unexpected<base::Error> failure_to_prepare(sqlite3* database, int code) {
  const bool lacks_table = (code & 0xFF) == SQLITE_ERROR || (code & 0xFF) == SQLITE_SCHEMA;
  return failure_of(database, lacks_table ? SQLITE_CORRUPT : code);
}

}  // namespace

struct SqliteStatement::Handle {
  explicit Handle(sqlite3_stmt* prepared) : statement(prepared) {}
  ~Handle() { sqlite3_finalize(statement); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  sqlite3_stmt* const statement;
};

SqliteStatement::SqliteStatement() = default;
SqliteStatement::SqliteStatement(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
SqliteStatement::~SqliteStatement() = default;
SqliteStatement::SqliteStatement(SqliteStatement&&) noexcept = default;
SqliteStatement& SqliteStatement::operator=(SqliteStatement&&) noexcept = default;

SqliteStatement& SqliteStatement::bind(int place, std::int64_t value) {
  sqlite3_bind_int64(handle_->statement, place, value);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int place, std::string_view text) {
  sqlite3_bind_text64(handle_->statement, place, text.data(), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::bind_bytes(int place, std::string_view bytes) {
  sqlite3_bind_blob64(handle_->statement, place, bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> SqliteStatement::step() {
  const int code = sqlite3_step(handle_->statement);
  if (code == SQLITE_ROW) return true;
  sqlite3* const database = sqlite3_db_handle(handle_->statement);
  const int extended = code == SQLITE_DONE ? code : sqlite3_extended_errcode(database);
  reset();
  if (code == SQLITE_DONE) return false;
  return failure_of(database, extended);
}

Result<void> SqliteStatement::run() {
  for (;;) {
    const auto has_row = step();
    if (!has_row) return tl::unexpected(has_row.error());
    if (!*has_row) return {};
  }
}

void SqliteStatement::reset() {
  sqlite3_reset(handle_->statement);
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(handle_->statement, column);
}

std::string_view SqliteStatement::text(int column) const {
  const void* bytes = sqlite3_column_blob(handle_->statement, column);
  const int size = sqlite3_column_bytes(handle_->statement, column);
  if (bytes == nullptr || size <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

struct SqliteDatabase::Handle {
  ~Handle() {
    if (tokenizer != nullptr) words.xDelete(tokenizer);
    sqlite3_close_v2(database);
  }

  // Finds the tokenizer by the way that FTS5 has for its extensions.
  Result<void> find_tokenizer() {
    fts5_api* api = nullptr;
    sqlite3_stmt* asked = nullptr;
    if (sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &asked, nullptr) == SQLITE_OK) {
      sqlite3_bind_pointer(asked, 1, &api, "fts5_api_ptr", nullptr);
      sqlite3_step(asked);
    }
    sqlite3_finalize(asked);
    void* context = nullptr;
    const char* options[] = {kTokenizerOption.data(), kTokenizerValue.data()};
    const bool is_found =
        api != nullptr &&
        api->xFindTokenizer(api, kTokenizer.data(), &context, &words) == SQLITE_OK &&
        words.xCreate(context, options, 2, &tokenizer) == SQLITE_OK;
    if (is_found) return {};
    return base::failure(ErrorCode::io,
                         "this machine's SQLite has no full-text search (FTS5); install Debian's "
                         "libsqlite3-0");
  }

  sqlite3* database = nullptr;
  fts5_tokenizer words{};
  Fts5Tokenizer* tokenizer = nullptr;
};

SqliteDatabase::SqliteDatabase(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
SqliteDatabase::~SqliteDatabase() = default;

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const std::string& path) {
  auto handle = std::make_unique<Handle>();
  const int code =
      sqlite3_open_v2(path.c_str(), &handle->database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) return failure_of(handle->database, code);
  sqlite3_extended_result_codes(handle->database, 1);
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(std::move(handle)));
  if (auto ok = database->run(kSettings); !ok) return tl::unexpected(ok.error());
  if (auto ok = database->handle_->find_tokenizer(); !ok) return tl::unexpected(ok.error());
  return database;
}

Result<void> SqliteDatabase::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_->database, sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return failure_to_prepare(handle_->database, code);
}

Result<SqliteStatement> SqliteDatabase::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_->database, sql.c_str(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failure_to_prepare(handle_->database, code);
  return SqliteStatement(std::make_unique<SqliteStatement::Handle>(statement));
}

bool SqliteDatabase::has_begun() const {
  return sqlite3_get_autocommit(handle_->database) == 0;
}

Result<void> SqliteDatabase::check() {
  auto checked = prepare("PRAGMA quick_check(1)");
  if (!checked) return tl::unexpected(checked.error());
  const auto has_row = checked->step();
  if (!has_row) return tl::unexpected(has_row.error());
  const bool is_whole = *has_row && checked->text(0) == "ok";
  checked->reset();
  return is_whole ? Result<void>() : Result<void>(failure_of(handle_->database, SQLITE_CORRUPT));
}

Result<void> SqliteDatabase::checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(handle_->database, nullptr, SQLITE_CHECKPOINT_TRUNCATE,
                                             nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return failure_of(handle_->database, code);
}

Result<std::size_t> SqliteDatabase::count_words(std::string_view text) {
  std::size_t count = 0;
  const auto add = [](void* counted, int, const char*, int, int, int) {
    ++*static_cast<std::size_t*>(counted);
    return SQLITE_OK;
  };
  const int code = handle_->words.xTokenize(handle_->tokenizer, &count, FTS5_TOKENIZE_QUERY,
                                            text.data(), static_cast<int>(text.size()), add);
  if (code != SQLITE_OK) return failure_of(handle_->database, code);
  return count;
}

}  // namespace projections
