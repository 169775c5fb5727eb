// Port: an ordered map from bytes to bytes with atomic batches. It holds everything that is derived
// from the log and can be rebuilt: the stream index, snapshots, the projections' rows. However the
// process ends, the store then holds a prefix of its batches: it can be behind, but has no holes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

struct WriteBatch {
  std::vector<std::pair<base::Bytes, base::Bytes>> puts;
  std::vector<base::Bytes> removes;  // applied before the puts

  void put(base::Bytes key, base::Bytes value) {
    puts.emplace_back(std::move(key), std::move(value));
  }
  void remove(base::Bytes key) { removes.push_back(std::move(key)); }
  bool is_empty() const { return puts.empty() && removes.empty(); }
};

struct KeyValue {
  base::Bytes key;
  base::Bytes value;
};

// Entries in the order of their keys. Error rows_damaged: the stored rows cannot be read.
class ReadableRows {
 public:
  virtual ~ReadableRows() = default;

  // Returns entries whose keys begin with `prefix` and are ≥ `from`, ascending, at most
  // `count_max`.
  virtual base::Result<std::vector<KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                   std::size_t count_max) = 0;
};

// Calls can come from several threads.
class KeyValueStore : public ReadableRows {
 public:
  virtual base::Result<void> write(const WriteBatch& batch) = 0;
  virtual base::Result<std::optional<base::Bytes>> get(base::ByteView key) = 0;
  // Returns the entry with the greatest key that begins with `prefix`.
  virtual base::Result<std::optional<KeyValue>> last(base::ByteView prefix) = 0;
  // Removes everything, damaged files included. A concurrent reader may find rows or none;
  // `generation` tells it that they were cleared.
  virtual base::Result<void> clear() = 0;
  // Returns the entries as they are now, whatever is written later. One thread uses it while others
  // use the store, which must outlive it. After a clear() its scan can fail with `busy`.
  virtual base::Result<std::unique_ptr<ReadableRows>> snapshot() = 0;
  // Grows before clear() removes anything. Rows read between two equal generations belong to one
  // history of the store.
  virtual std::uint64_t generation() const { return 0; }
  // The damage that a call has met since the store was opened or cleared; none if no call has.
  virtual std::optional<base::Error> damage() const { return std::nullopt; }
  // Marks the store as damaged: its entries can be read, but are not those that follow from the
  // log.
  virtual void note_damage(const base::Error&) {}
  // Starts a flush of the written rows if one is due. False: rows wait, and the flush is not due
  // yet; call again within a second or so.
  virtual bool flush_when_due() { return true; }
  // On return everything written survives the process and can be read by other processes.
  virtual base::Result<void> flush() { return {}; }
};

std::unique_ptr<KeyValueStore> make_memory_key_value_store();

// Opens or creates the folder. Errors: in_use; io; rows_damaged when its files are not those of a
// store, are those of a later release, or are incomplete.
base::Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_store(
    const std::string& folder, Disk& disk = system_disk());

// Opens the folder as it is at this moment, for reading while another process can be writing to it.
// Nothing is written into it, the view does not change, and every write fails. Errors: not_found
// when there is none, io, rows_damaged.
base::Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_view(const std::string& folder);

struct OpenedRows {
  std::unique_ptr<KeyValueStore> rows;
  std::string damage;  // why the folder was recreated; empty: it was not
};

// As open_rocksdb_key_value_store, but removes a damaged folder and recreates it: its rows are
// derived, and its files may hold content that was erased since. Errors: in_use, io.
base::Result<OpenedRows> open_derived_rows(const std::string& folder, Disk& disk = system_disk());

}  // namespace eventlog
