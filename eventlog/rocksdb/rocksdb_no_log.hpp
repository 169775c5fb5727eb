// Keeps RocksDB from writing a log of its own into the folder. In a RocksDB with assertions, a log
// line that a full disk does not take ends the process. Errors are in the statuses that RocksDB
// returns. Included by the .cpp files that call RocksDB, never by a header.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <cstdarg>
#include <memory>

namespace eventlog {

class NoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, std::va_list) override {}
};

inline void forbid_log(rocksdb::DBOptions& options) {
  options.info_log = std::make_shared<NoLog>();
}

}  // namespace eventlog
