// Shared by all code that calls RocksDB: slices, limits, and rocksdb::Status → base::Error.
// Included by the .cpp files that call RocksDB, never by a header.
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/store/full_disk.hpp"

namespace eventlog {

// While a view is opened the writer can remove a file that the view was about to read. The next
// attempt begins with the files of that moment.
constexpr int kViewAttemptsMax = 5;

inline rocksdb::Slice slice(base::ByteView view) {
  // RocksDB compares the bytes even if there are none, which a null pointer does not allow.
  return view.empty() ? rocksdb::Slice() : rocksdb::Slice(view.data(), view.size());
}

inline base::Error error_of(const rocksdb::Status& status, std::string where) {
  using base::ErrorCode;
  ErrorCode code = ErrorCode::io;
  if (status.IsNotFound()) code = ErrorCode::not_found;
  if (status.IsCorruption()) code = ErrorCode::damaged;
  std::string text = status.ToString();
  if (status.IsNoSpace()) text += kMakeRoom;
  return {code, std::move(text), std::move(where)};
}

// How many table files a database can keep open; -1 keeps all of them open, which is faster. If the
// process can open few files, each of the log, the index and the views gets an eighth. That leaves
// half for a server's peers.
inline int open_tables_max() {
  constexpr rlim_t kFew = 4096;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kFew) return -1;
  return std::max(16, static_cast<int>(limit.rlim_cur) / 8);
}

// Number of threads that open tables when a database is opened. Starting RocksDB's 16 threads takes
// longer than they save, even when no file is cached.
constexpr int kOpeningThreads = 1;

// Asked before a view is opened: without a database RocksDB's own text says less.
inline bool has_database(const std::string& folder) {
  return ::access((folder + "/CURRENT").c_str(), F_OK) == 0;
}

// The status' text without the folder's path, which could hold any words. The path is not empty.
inline std::string said_of(const rocksdb::Status& status, const std::string& folder) {
  std::string text = status.ToString();
  for (std::size_t at = text.find(folder); at < text.size(); at = text.find(folder, at)) {
    text.erase(at, folder.size());
  }
  return text;
}

// True if the lock is held, by another process or by this one. The lock file itself is not opened:
// closing it would free a lock of this process.
inline bool is_lock_held(const rocksdb::Status& status, const std::string& folder) {
  const std::string said = said_of(status, folder);
  const bool is_elsewhere = said.find("While lock file: /LOCK: ") != std::string::npos &&
                            said.ends_with(std::strerror(EAGAIN));
  return status.IsIOError() &&
         (is_elsewhere || said.find(": lock hold by current process") != std::string::npos);
}

// The error of a failed opening: tells "another process has it" and "there is none" apart from
// others.
inline base::Error open_error_of(const rocksdb::Status& status, const std::string& folder) {
  if (is_lock_held(status, folder)) {
    return {base::ErrorCode::in_use, "another process has the folder open", folder};
  }
  // A database begins with its CURRENT file. Opened read-only, RocksDB only says that CURRENT is
  // missing.
  const std::string said = said_of(status, folder);
  const bool has_no_current =
      status.IsIOError() && said.find("/CURRENT: No such file") != std::string::npos;
  if (has_no_current || said.find("does not exist") != std::string::npos) {
    return {base::ErrorCode::not_found, "there is no database", folder};
  }
  return error_of(status, folder);
}

}  // namespace eventlog
