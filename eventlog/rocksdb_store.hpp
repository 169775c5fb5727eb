// The default block store: one RocksDB, a column family each for facts, content and chunks; one
// write and one sync a block. Durability class: machine (WAL fdatasync before append returns).
#pragma once

#include <memory>

#include "eventlog/block_store.hpp"

namespace eventlog {

struct RocksDbStoreOptions {
  std::string folder;
  bool create_if_missing = true;
  bool read_only = false;  // no lock, no recovery to disk; for a log that no server has open
  bool sync = true;        // false only for measuring what syncing costs
};

// Errors: in_use when another process has the folder open, not_found when there is no log and it is
// not to be created, io and damaged with what RocksDB said.
Result<std::unique_ptr<BlockStore>> open_rocksdb_store(const RocksDbStoreOptions& options);

}  // namespace eventlog
