// The raw limit of a durable append: a growing file, opened and preallocated as the log's
// write-ahead log is. Each record is appended and synced with fdatasync by itself.
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

  // Appends one record and syncs it; returns the time that took.
  base::Result<Nanoseconds> append();
  // Appends one record after another until the time or the count is reached.
  base::Result<Latencies> append_for(Nanoseconds duration, std::size_t count_max);

 private:
  AppendFile(int fd, std::size_t record_bytes) : fd_(fd), record_(record_bytes, 'x') {}

  const int fd_;
  const base::Bytes record_;
};

}  // namespace benchmarks
