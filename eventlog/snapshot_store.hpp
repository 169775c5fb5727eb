// Stored states of streams: a shortcut to loading, discardable at any time.
#pragma once

#include <optional>

#include "eventlog/key_value_store.hpp"
#include "eventlog/session/state.hpp"

namespace eventlog {

struct LoadedStream {
  session::StreamState state;
  base::StreamVersion version;
  base::Position last;  // position of the stream's last event; 0 = no such stream
};

class SnapshotStore {
 public:
  // `rows` outlives the store, which uses keys that begin with "s/".
  explicit SnapshotStore(KeyValueStore& rows) : rows_(rows) {}

  base::Result<bool> save(const std::string& stream, const LoadedStream& loaded);
  // None when there is no snapshot, or it was made by another schema of the state.
  base::Result<std::optional<LoadedStream>> load(const std::string& stream);

 private:
  KeyValueStore& rows_;
};

}  // namespace eventlog
