// The raw limit of a durable append: a growing file, opened and preallocated as the log's
// write-ahead log is, appended to and synced with fdatasync, one record at a time.
#pragma once

#include <memory>
#include <string>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"
#include "tools/benchmarks/latencies.hpp"

namespace benchmarks {

class AppendFile {
 public:
  static base::Result<std::unique_ptr<AppendFile>> create(const std::string& path,
                                                          std::size_t record_bytes);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Appends one record and syncs it; how long that took.
  base::Result<Nanoseconds> append();
  // One after another, for so long or so many.
  base::Result<Latencies> append_for(Nanoseconds duration, std::size_t count_max);

 private:
  AppendFile(int fd, std::size_t record_bytes) : fd_(fd), record_(record_bytes, 'x') {}

  const int fd_;
  const base::Bytes record_;
};

}  // namespace benchmarks
