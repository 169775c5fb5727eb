#include "eventlog/domain/evolve.hpp"

#include "eventlog/domain/stream_name.hpp"

namespace domain {

std::optional<StreamState> initial_state(std::string_view stream) {
  const auto ref = parse_stream(stream);
  if (!ref) return std::nullopt;
  switch (ref->kind) {
    case StreamKind::session:
      return SessionState{};
    case StreamKind::registry:
      return RegistryState{};
    case StreamKind::admission:
      return AdmissionState{};
    case StreamKind::server:
      return ServerState{};
  }
  return std::nullopt;
}

void evolve(StreamState& state, const Envelope& envelope, const Event& event) {
  std::visit([&](auto& s) { evolve(s, envelope, event); }, state);
}

}  // namespace domain
