#include "projections/stream_states.hpp"

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
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("schema", self.schema);
    visit("version", self.version);
    visit("last", self.last);
    visit("state", self.state);
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
  switch (stream->kind) {
    case domain::StreamKind::session:
      return fold<domain::SessionState>(event, rows);
    case domain::StreamKind::registry:
      return fold<domain::RegistryState>(event, rows);
    case domain::StreamKind::admission:
      return fold<domain::AdmissionState>(event, rows);
    case domain::StreamKind::server:
      return fold<domain::ServerState>(event, rows);
  }
}

}  // namespace projections
