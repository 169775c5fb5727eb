// A SQLite database in one file that only this process opens, with the words of one text column
// (FTS5). SQLite's own types stay in sqlite.cpp. Used by one thread at a time.
//
// Errors: rows_damaged if the file is damaged, is no database, or has not the tables that a
// statement names; io if the operating system refuses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/result.hpp"

namespace projections {

using base::Result;

// A prepared statement, whose values are set with bind(), from place 1 on. The database must
// outlive it.
class SqliteStatement {
 public:
  struct Handle;
  SqliteStatement();  // of nothing, only to be assigned to
  explicit SqliteStatement(std::unique_ptr<Handle> handle);
  ~SqliteStatement();
  SqliteStatement(SqliteStatement&&) noexcept;
  SqliteStatement& operator=(SqliteStatement&&) noexcept;

  SqliteStatement& bind(int place, std::int64_t value);
  // The text, or bytes, must stay until the statement is begun anew.
  SqliteStatement& bind(int place, std::string_view text);
  SqliteStatement& bind_bytes(int place, std::string_view bytes);

  // Returns false at the end, from where the statement begins anew.
  Result<bool> step();
  // Steps to the end.
  Result<void> run();
  // Begins anew before the end.
  void reset();

  // Columns of the row that step() came to, from 0 on. The views are valid until the next step.
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;

 private:
  std::unique_ptr<Handle> handle_;
};

class SqliteDatabase {
 public:
  // Opens the file, and makes it if it is missing. Deleted rows are overwritten with zeros.
  // A commit survives the process at once, and the machine with the next checkpoint.
  static Result<std::unique_ptr<SqliteDatabase>> open(const std::string& path);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  // Runs statements that return nothing.
  Result<void> run(const std::string& sql);
  Result<SqliteStatement> prepare(const std::string& sql);
  // True between BEGIN and COMMIT.
  bool has_begun() const;
  // Reads every page. Error rows_damaged: they do not fit together.
  Result<void> check();
  // Moves all that is committed into the database's own file, synced, and empties the file beside
  // it.
  Result<void> checkpoint();

  // Returns how many words the index's tokenizer finds in the text; 0: nothing can match it.
  Result<std::size_t> count_words(std::string_view text);

 private:
  struct Handle;
  explicit SqliteDatabase(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

// How texts are divided into words: letters and digits of any script, without case and accents.
constexpr std::string_view kTokenizer = "unicode61";
constexpr std::string_view kTokenizerOption = "remove_diacritics";
constexpr std::string_view kTokenizerValue = "2";

}  // namespace projections
