// Folds an event into the state of the aggregate that it belongs to.
#include "eventlog/domain/evolve.hpp"

#include <array>

#include "eventlog/domain/stream_name.hpp"

namespace domain {
namespace {

template <class... A>
constexpr auto empty_states(base::Types<A...>) {
  return std::array{+[] { return StreamState(typename A::State{}); }...};
}
constexpr auto kEmptyStates = empty_states(Aggregates{});

}  // namespace

std::optional<StreamState> initial_state(std::string_view stream) {
  const auto ref = parse_stream(stream);
  if (!ref) return std::nullopt;
  return kEmptyStates[ref->aggregate]();
}

void evolve(StreamState& state, const Envelope& envelope, const Event& event) {
  std::visit([&](auto& s) { evolve(s, envelope, event); }, state);
}

Position inconsistency(const StreamState& state) {
  return std::visit([](const auto& s) { return s.inconsistent; }, state);
}

}  // namespace domain
