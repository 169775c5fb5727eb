// The states of all streams as rows, for anchors to sign. A server does not keep them up to date;
// they are folded when they are asked for. Rows, by the stream's name:
//
//   <stream>  → the bytes of the stream's snapshot (eventlog/log/snapshot_store.hpp)
#pragma once

#include "projections/fold/projection.hpp"

namespace projections {

class StreamStates final : public Projection {
 public:
  static constexpr std::string_view kName = "streams";

  std::string_view name() const override { return kName; }
  std::int64_t schema() const override;
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>& stream,
             Rows& rows) const override;
};

}  // namespace projections
