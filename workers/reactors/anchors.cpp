// Orders an anchor at the durable head once a request for one is durable, and records the result.
#include "workers/reactors/anchors.hpp"

#include "eventlog/proof/anchor.hpp"

namespace workers {

void Anchors::begin(Position, std::int64_t) {
  const domain::ServerState& server = commands_.of<domain::ServerStream>();
  Position through;
  if (server.anchor) {
    const auto opened = eventlog::open_anchor(server.anchor->anchor);
    if (opened) through = opened->at.position;
  }
  if (!key_.empty() && server.anchor_requested > through) wanted_ = server.anchor_requested;
}

void Anchors::on_durable(const domain::RecordedEvent& event) {
  if (!event.event.is<domain::AnchorRequested>()) return;
  fault_.clear();
  wanted_ = event.envelope.position;
}

bool Anchors::take_made() {
  const auto made = upkeep_.take_anchor();
  if (!made) return false;
  is_ordered_ = false;
  if (made->anchor) {
    upkeep_.record(domain::RecordAnchor{*made->anchor});
  } else {
    fault_ = base::describe(made->anchor.error());
    if (wanted_ <= ordered_) wanted_ = {};
    ordered_ = {};
  }
  return true;
}

bool Anchors::do_work(const Cycle& cycle) {
  durable_ = cycle.durable;
  const bool has_worked = take_made();
  if (is_ordered_ || wanted_ <= ordered_ || wanted_ > durable_) return has_worked;
  is_ordered_ = true;
  ordered_ = durable_;  // the end of a block, where an anchor must be
  upkeep_.order(AnchorOrder{durable_, cycle.wall});
  return true;
}

base::RawValue Anchors::answer(const DurableStates& durable) const {
  AnchorsAnswer answer{key_, durable.of<domain::ServerStream>().anchor, {}, fault_};
  if (answer.anchor) {
    const auto opened = eventlog::open_anchor(answer.anchor->anchor);
    if (opened) answer.through = opened->at.position;
  }
  return bus::to_body(answer);
}

}  // namespace workers
