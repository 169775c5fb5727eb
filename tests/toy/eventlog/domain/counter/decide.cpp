// Decides the commands of a counter.
#include "eventlog/domain/decision.hpp"

namespace domain {
namespace {

Decided decide_one(const CounterState&, const RaiseCounter& c) {
  if (c.by < 1) return reject(RejectionCode::invalid, "a counter is raised by 1 or more");
  Decision decision;
  decision.push_back({{}, CounterRaised{c.by}, {}});
  return decision;
}

Decided decide_one(const CounterState& s, const ResetCounter&) {
  Decision decision;
  if (s.value > 0) decision.push_back({{}, CounterReset{}, {}});
  return decision;
}

}  // namespace

void reads(const CounterCommand&, const StreamRef&, Reads&) {}

Decided decide(const CounterCommand& command, const States& states, const Context&) {
  const auto& state = states.target<CounterStream>();
  return std::visit([&](const auto& c) { return decide_one(state, c); }, command);
}

CounterReply reply(const CounterState& state, const CounterCommand&) {
  return {state.value};
}

}  // namespace domain
