// Stored states of streams, a shortcut for loading them. They lie in the store of the stream index
// and are discarded with it.
#pragma once

#include <optional>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/store/key_value_store.hpp"

namespace eventlog {

struct LoadedStream {
  domain::StreamState state;
  base::StreamVersion version;
  base::Position last;  // position of the stream's last event; 0 = no such stream
};

// Prefix of the snapshots of all streams in the base of a log whose beginning was archived.
constexpr base::ByteView kBaseStreams = "streams/";

class SnapshotStore {
 public:
  // `rows` outlives the store, which uses keys that begin with the prefix.
  explicit SnapshotStore(KeyValueStore& rows, base::ByteView prefix = "s/")
      : rows_(rows), prefix_(prefix) {}

  base::Result<void> save(const std::string& stream, const LoadedStream& loaded);
  // Returns none when there is no snapshot, or when it has another schema of the state.
  base::Result<std::optional<LoadedStream>> load(const std::string& stream);
  // Returns only the version of the snapshot, whatever its schema; none when there is none.
  base::Result<std::optional<base::StreamVersion>> version(const std::string& stream);

 private:
  KeyValueStore& rows_;
  const base::Bytes prefix_;
};

}  // namespace eventlog
