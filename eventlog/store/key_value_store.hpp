// Port: an ordered map from bytes to bytes with atomic batches, for everything that is derived from
// the log and can be rebuilt: the stream index, snapshots, the projections' rows. However the
// process ends, the store then holds what its first so many batches wrote: it may be behind, and it
// has no holes.
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

// Entries in the order of their keys. Error rows_damaged: what is kept cannot be read.
class ReadableRows {
 public:
  virtual ~ReadableRows() = default;

  // Entries whose keys begin with `prefix` and are ≥ `from`, ascending, at most `count_max`.
  virtual base::Result<std::vector<KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                   std::size_t count_max) = 0;
};

// Calls may come from several threads.
class KeyValueStore : public ReadableRows {
 public:
  virtual base::Result<bool> write(const WriteBatch& batch) = 0;
  virtual base::Result<std::optional<base::Bytes>> get(base::ByteView key) = 0;
  // The entry with the greatest key that begins with `prefix`.
  virtual base::Result<std::optional<KeyValue>> last(base::ByteView prefix) = 0;
  // Removes everything, damaged files included. What is read by other threads meanwhile is there
  // or is not: `generation` tells them.
  virtual base::Result<bool> clear() = 0;
  // The entries as they are now, whatever is written later. It belongs to one thread, while others
  // use the store, which must outlive it. After a clear() its scan may fail as `busy`.
  virtual base::Result<std::unique_ptr<ReadableRows>> snapshot() = 0;
  // Grows before clear() removes anything. Rows that were read between two equal generations are
  // of one history of the store.
  virtual std::uint64_t generation() const { return 0; }
  // The damage that a call has met since the store was opened or cleared; none: no call has.
  virtual std::optional<base::Error> damage() const { return std::nullopt; }
  // Entries that the store reads well are not those that the log gives: it counts as damaged.
  virtual void note_damage(const base::Error&) {}
  // Asks for what was written to reach the disk, once that is due. False: something waits until it
  // is; to be called again within a second or so.
  virtual bool flush_when_due() { return true; }
  // On return everything that was written outlasts the process, and can be read by others.
  virtual base::Result<bool> flush() { return true; }
};

std::unique_ptr<KeyValueStore> make_memory_key_value_store();

// Opens or creates the folder. Errors: in_use; io; rows_damaged: its files are not those of a
// store, or of a later release, or some of them are missing.
base::Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_store(
    const std::string& folder, Disk& disk = system_disk());

// The folder as it is at this moment, to be read while another process may be writing to it.
// Nothing is written into it, what is shown does not change, and every write fails. Errors:
// not_found when there is none, io, rows_damaged.
base::Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_view(const std::string& folder);

struct OpenedRows {
  std::unique_ptr<KeyValueStore> rows;
  std::string damage;  // why the folder was made anew; empty: it was not
};

// As open_rocksdb_key_value_store, and a damaged folder is removed and made anew: what it held is
// derived, and its files may hold what was erased since. Errors: in_use, io.
base::Result<OpenedRows> open_derived_rows(const std::string& folder, Disk& disk = system_disk());

}  // namespace eventlog
