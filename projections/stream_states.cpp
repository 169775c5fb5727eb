#include "projections/stream_states.hpp"

#include "eventlog/facts/evolve.hpp"
#include "eventlog/facts/stream_name.hpp"

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
void fold(const session::RecordedEvent& event, Rows& rows) {
  const session::Envelope& envelope = event.envelope;
  rows.edit<StreamRow<State>>(envelope.stream, [&](StreamRow<State>& row) {
    row.schema = session::kSchemaOf<State>;
    session::evolve(row.state, envelope, event.event);
    row.version = envelope.version;
    row.last = envelope.position;
    return true;
  });
}

}  // namespace

std::int64_t StreamStates::schema() const {
  return session::kSchemaOfAll;
}

void StreamStates::apply(const session::RecordedEvent& event,
                         const std::optional<session::StreamRef>& stream, Rows& rows) const {
  if (!stream) return;
  switch (stream->kind) {
    case session::StreamKind::session:
      return fold<session::SessionState>(event, rows);
    case session::StreamKind::registry:
      return fold<session::RegistryState>(event, rows);
    case session::StreamKind::admission:
      return fold<session::AdmissionState>(event, rows);
    case session::StreamKind::server:
      return fold<session::ServerState>(event, rows);
  }
}

}  // namespace projections
