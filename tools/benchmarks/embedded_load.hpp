// Stores within this process as the target of a load, without a server in between. All waiting
// values are written and synced at once, as a server in front of them could do at best.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/benchmarks/load.hpp"

namespace benchmarks {

class EmbeddedLoad : public LoadTarget {
 public:
  base::Result<void> start(std::size_t slot) override {
    waiting_.push_back(slot);
    return {};
  }
  base::Result<void> advance(std::vector<std::size_t>& done) override;
  base::Result<void> wait(int timer_fd) override;

 protected:
  // Stores this many values durably.
  virtual base::Result<void> store(std::size_t count) = 0;

 private:
  std::vector<std::size_t> waiting_;
};

// RocksDB with one synced write each time. Its write-ahead log is preallocated as Steno's is.
base::Result<std::unique_ptr<EmbeddedLoad>> open_rocksdb_load(const std::string& folder,
                                                              std::size_t value_bytes);

// SQLite with journal_mode=WAL, synchronous=FULL, one transaction each time.
base::Result<std::unique_ptr<EmbeddedLoad>> open_sqlite_load(const std::string& folder,
                                                             std::size_t value_bytes);
// An entry of a conversation, which a store keeps in one row.
struct StoredEntry {
  std::string key;
  std::string text;
};

// The same with a row for each of the entries. Each request is an UPDATE of one of them, drawn at
// random, by its key.
base::Result<std::unique_ptr<EmbeddedLoad>> open_sqlite_entries_load(
    const std::string& folder, std::vector<StoredEntry> entries);
// "3.40.1"
std::string sqlite_version();

}  // namespace benchmarks
