// Keeps RocksDB from going on by itself after its disk has failed or run full: what became of its
// last writes is in doubt until it is opened anew. Where its assertions are on, its own attempt to
// go on ends the process besides. Included by the .cpp files that call RocksDB, never by a header.
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
