// A second fold of few streams, since the states in the command loop cannot be taken back.
#include "workers/commands/durable_states.hpp"

#include "eventlog/base/check.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace workers {

void DurableStates::adopt(const std::string& stream, const domain::StreamState& state) {
  if (domain::residency_of(state) == domain::Residency::with_server) states_[stream] = state;
}

void DurableStates::fold(const domain::RecordedEvent& event) {
  const auto found = states_.find(event.envelope.stream);
  if (found != states_.end()) domain::evolve(found->second, event.envelope, event.event);
}

const domain::StreamState& DurableStates::state(std::string_view stream) const {
  const auto found = states_.find(stream);
  CHECK(found != states_.end());  // it was adopted
  return found->second;
}

}  // namespace workers
