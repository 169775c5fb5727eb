// Projection: what a server must know before it may act, so that its start need not read the log:
// the sessions that are under way, and the streams that all sessions share.
#pragma once

#include <map>

#include "eventlog/snapshot_store.hpp"
#include "projections/projection.hpp"

namespace projections {

class TakeoverRows final : public Projection {
 public:
  static constexpr std::string_view kName = "takeover";

  std::string_view name() const override { return kName; }
  std::int64_t schema() const override;
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>& stream,
             Rows& rows) const override;
};

// As of the checkpoint beside the rows.
struct Takeover {
  // Registries, $admission and $server by their names; the last two are always there.
  std::map<std::string, eventlog::LoadedStream> shared;
  // Those that are under way, without the ids of their commands.
  std::vector<domain::SessionState> sessions;
};

// Error rows_damaged: the rows cannot be relied on, and are to be built anew. Else the store's.
Result<Takeover> read_takeover(eventlog::KeyValueStore& store);

}  // namespace projections
