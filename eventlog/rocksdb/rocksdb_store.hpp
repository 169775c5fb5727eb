// The default block store: one RocksDB, a column family each for facts, content and chunks; one
// write and one sync a block. Durability class: machine (WAL fdatasync before append returns).
#pragma once

#include <memory>
#include <optional>

#include "eventlog/store/block_store.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// Of each column family: when it is full, what is in it becomes a table file.
constexpr std::size_t kWriteBufferBytes = 16 << 20;

struct RocksDbStoreOptions {
  std::string folder;
  bool create_if_missing = true;
  Position after{};        // an empty store takes blocks from the one behind this position on
  bool read_only = false;  // no lock, no recovery to disk; for a log that no server has open
  bool sync = true;        // false only for measuring what syncing costs
  Disk* disk = &system_disk();
  std::size_t write_buffer_bytes = kWriteBufferBytes;
};

// Errors: in_use when another process has the folder open, not_found when there is no log and it is
// not to be created, io and damaged with what RocksDB said.
Result<std::unique_ptr<BlockStore>> open_rocksdb_store(const RocksDbStoreOptions& options);

struct RocksDbViewOptions {
  std::string folder;
  // Last position to show; the block that holds it is shown whole. Without it: all there is, which
  // may not be durable while somebody appends.
  std::optional<Position> through;
  // Open also when the first block cannot be read, or the last one is damaged; tail() is then the
  // last one's first position.
  bool allow_damage = false;
  // False: nobody has the log open. Then files that are missing are an error, and a write-ahead
  // log that is damaged is read up to there.
  bool has_writer = true;
};

// A log as it is at this moment, to be read while another process may be appending to it. Nothing
// is written into the folder, and what is shown does not change. Every append fails.
// Errors: not_found when there is no log, io and damaged with what RocksDB said.
Result<std::unique_ptr<BlockStore>> open_rocksdb_view(const RocksDbViewOptions& options);

}  // namespace eventlog
