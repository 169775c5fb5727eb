// Projection: the streams that are under way, and those whose states a server needs at once: those
// that it keeps in memory, and of the agents with a stream under way those that are read at the
// start (aggregate.hpp). With these rows its start need not read the log. The number of other
// streams does not matter.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "eventlog/log/snapshot_store.hpp"
#include "projections/fold/projection.hpp"

namespace projections {

class StartupRows final : public Projection {
 public:
  static constexpr std::string_view kName = "takeover";

  std::string_view name() const override { return kName; }
  std::int64_t schema() const override;
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>& stream,
             Rows& rows) const override;
};

struct StreamUnderWay {
  domain::StreamRef stream;
  domain::StreamState state;
};

// The rows' content, as of the checkpoint beside them.
struct Takeover {
  // The streams that a server needs at once, by name; those that stay with a
  // server are always there.
  std::map<std::string, eventlog::LoadedStream> shared;
  // The streams that are under way, without the ids of their commands.
  std::vector<StreamUnderWay> under_way;
  // All agents that have streams. Not in the rows: whoever opens the stream index fills them in.
  std::set<std::string> agents{};
};

// Error rows_damaged: the rows cannot be relied on and must be built anew. Else the store's error.
Result<Takeover> read_takeover(eventlog::KeyValueStore& store);

}  // namespace projections
