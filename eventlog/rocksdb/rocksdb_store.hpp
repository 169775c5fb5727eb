// The default block store: one RocksDB with a column family each for facts, content and chunks.
// Each block is one write and one sync. A stored block survives the end of the machine: the
// write-ahead log is synced (fdatasync) before append returns.
#pragma once

#include <memory>
#include <optional>

#include "eventlog/store/block_store.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// Per column family: a full write buffer becomes a table file.
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

// Errors: in_use when another process has the folder open; not_found when there is no log and
// `create_if_missing` is false. wrong_log: the database is not a log of Steno, or is one of a newer
// release. io and damaged carry RocksDB's text.
Result<std::unique_ptr<BlockStore>> open_rocksdb_store(const RocksDbStoreOptions& options);

struct RocksDbViewOptions {
  std::string folder;
  // Last position to show; the block that holds it is shown whole. Without it everything is shown,
  // part of which may not be durable while a writer appends.
  std::optional<Position> through;
  // Opens even if the first block cannot be read or the last one is damaged. tail() is then the
  // first position of the last block.
  bool allow_damage = false;
  // False: no process has the log open. Missing files are then an error, and a damaged write-ahead
  // log is read up to the damage.
  bool has_writer = true;
};

// Opens a log as it is at this moment, for reading while another process can be appending to it.
// Nothing is written into the folder, the view does not change, and every append fails. Errors:
// not_found when there is no log; io and damaged with RocksDB's text; wrong_log as
// open_rocksdb_store.
Result<std::unique_ptr<BlockStore>> open_rocksdb_view(const RocksDbViewOptions& options);

}  // namespace eventlog
