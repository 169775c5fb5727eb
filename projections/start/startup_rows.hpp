// Projection: what a server must know before it may act, so that its start need not read the log:
// the sessions that are under way, and the streams whose states a server has in memory from its
// start on. How many streams there are else does not matter.
#pragma once

#include <map>

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

// As of the checkpoint beside the rows.
struct Takeover {
  // The streams of aggregates that stay with the server, by their names; $admission and $server are
  // always there.
  std::map<std::string, eventlog::LoadedStream> shared;
  // Those that are under way, without the ids of their commands.
  std::vector<domain::SessionState> sessions;
};

// Error rows_damaged: the rows cannot be relied on, and are to be built anew. Else the store's.
Result<Takeover> read_takeover(eventlog::KeyValueStore& store);

}  // namespace projections
