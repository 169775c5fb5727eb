// Port: an ordered map from bytes to bytes with atomic batches, for everything that is derived from
// the log and can be rebuilt: the stream index, snapshots, the projections' rows. What a batch
// wrote survives the process; after a power loss the store may be behind, never torn.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/disk.hpp"

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

// Reads may come from several threads, writes from one at a time.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  virtual base::Result<bool> write(const WriteBatch& batch) = 0;
  virtual base::Result<std::optional<base::Bytes>> get(base::ByteView key) = 0;
  // Entries whose keys begin with `prefix` and are ≥ `from`, ascending, at most `count_max`.
  virtual base::Result<std::vector<KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                   std::size_t count_max) = 0;
  // The entry with the greatest key that begins with `prefix`.
  virtual base::Result<std::optional<KeyValue>> last(base::ByteView prefix) = 0;
  // Removes everything.
  virtual base::Result<bool> clear() = 0;
};

std::unique_ptr<KeyValueStore> make_memory_key_value_store();

// Opens or creates the folder. Errors: in_use, io, damaged.
base::Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_store(
    const std::string& folder, Disk& disk = system_disk());

// The folder as it is at this moment, to be read while another process may be writing to it.
// Nothing is written into it, what is shown does not change, and every write fails. Errors:
// not_found when there is none, io, damaged.
base::Result<std::unique_ptr<KeyValueStore>> open_rocksdb_key_value_view(const std::string& folder);

}  // namespace eventlog
