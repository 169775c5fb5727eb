// Keeps RocksDB from resuming by itself after its disk failed or ran full: the fate of its last
// writes is in doubt until it is reopened. In a RocksDB with assertions, its own attempt to resume
// also ends the process. Included by the .cpp files that call RocksDB, never by a header.
#pragma once

#include <rocksdb/listener.h>
#include <rocksdb/options.h>

#include <memory>

namespace eventlog {

class NoResume final : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* resumes) override {
    *resumes = false;
  }
};

inline void forbid_resume(rocksdb::DBOptions& options) {
  options.listeners.push_back(std::make_shared<NoResume>());
}

}  // namespace eventlog
