// What all that calls RocksDB needs: its slices, and rocksdb::Status → base::Error. Included by the
// .cpp files that call RocksDB, never by a header.
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <unistd.h>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace eventlog {

// While a view is opened the writer may remove a file that the view was about to read; the next
// attempt begins with the files that there are then.
constexpr int kViewAttemptsMax = 5;

inline rocksdb::Slice slice(base::ByteView view) {
  return {view.data(), view.size()};
}

inline base::Error error_of(const rocksdb::Status& status, std::string where) {
  using base::ErrorCode;
  ErrorCode code = ErrorCode::io;
  if (status.IsNotFound()) code = ErrorCode::not_found;
  if (status.IsCorruption()) code = ErrorCode::damaged;
  return {code, status.ToString(), std::move(where)};
}

// A view of a folder that holds no database would fail with a text that says less.
inline bool has_database(const std::string& folder) {
  return ::access((folder + "/CURRENT").c_str(), F_OK) == 0;
}

// For opening: tells "another process has it" and "there is none" apart from failures.
inline base::Error open_error_of(const rocksdb::Status& status, const std::string& folder) {
  const std::string text = status.ToString();
  if (text.find("lock") != std::string::npos && status.IsIOError()) {
    return {base::ErrorCode::in_use, "another process has the folder open", folder};
  }
  // A database begins with its CURRENT file; opened read-only, RocksDB only says that it is
  // missing.
  const bool has_no_current =
      status.IsIOError() && text.find("/CURRENT: No such file") != std::string::npos;
  if (has_no_current || text.find("does not exist") != std::string::npos) {
    return {base::ErrorCode::not_found, "there is no database", folder};
  }
  return error_of(status, folder);
}

}  // namespace eventlog
