// Folds an event into the state of the aggregate that it belongs to.
#include "eventlog/domain/evolve.hpp"

#include "eventlog/domain/stream_name.hpp"

namespace domain {
namespace {

template <class... A>
std::optional<StreamState> empty_state(base::Types<A...>, std::string_view pattern) {
  std::optional<StreamState> state;
  ((A::kPattern == pattern ? void(state.emplace(typename A::State{})) : void()), ...);
  return state;
}

}  // namespace

std::optional<StreamState> initial_state(std::string_view stream) {
  const auto ref = parse_stream(stream);
  if (!ref) return std::nullopt;
  return empty_state(Aggregates{}, ref->pattern);
}

void evolve(StreamState& state, const Envelope& envelope, const Event& event) {
  std::visit([&](auto& s) { evolve(s, envelope, event); }, state);
}

Position inconsistency(const StreamState& state) {
  return std::visit([](const auto& s) { return s.inconsistent; }, state);
}

}  // namespace domain
