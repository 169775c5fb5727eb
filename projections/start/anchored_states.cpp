// A row is written as the snapshot store writes it, so that it can be copied there byte for byte.
#include "projections/start/anchored_states.hpp"

#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace projections {
namespace {

template <class State>
struct StreamRow {
  std::int64_t schema = 0;
  base::StreamVersion version;
  base::Position last;
  State state;

  bool operator==(const StreamRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schema", &StreamRow::schema);
    visit("version", &StreamRow::version);
    visit("last", &StreamRow::last);
    visit("state", &StreamRow::state);
  }
};

template <class State>
void fold(const domain::RecordedEvent& event, Rows& rows) {
  const domain::Envelope& envelope = event.envelope;
  rows.edit<StreamRow<State>>(envelope.stream, [&](StreamRow<State>& row) {
    row.schema = domain::kSchemaOf<State>;
    domain::evolve(row.state, envelope, event.event);
    row.version = envelope.version;
    row.last = envelope.position;
    return true;
  });
}

}  // namespace

std::int64_t StreamStates::schema() const {
  return domain::kSchemaOfAll;
}

void StreamStates::apply(const domain::RecordedEvent& event,
                         const std::optional<domain::StreamRef>& stream, Rows& rows) const {
  if (!stream) return;
  domain::use_aggregate(*stream, [&]<class A>() { fold<typename A::State>(event, rows); });
}

}  // namespace projections
