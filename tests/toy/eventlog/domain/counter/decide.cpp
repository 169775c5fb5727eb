// Decides the commands of a counter.
#include "eventlog/domain/counter/counter.hpp"
#include "eventlog/domain/decision.hpp"
#ifdef TOY_EMITS_ANOTHERS
#include "eventlog/domain/server/events.hpp"
#endif

namespace domain {
namespace {

Decided decide_one(const CounterState&, const RaiseCounter& c) {
  if (c.by < 1) return reject(RejectionCode::invalid, "a counter is raised by 1 or more");
  Decision decision;
  decision.emit<CounterStream>(CounterRaised{c.by});
#ifdef TOY_EMITS_ANOTHERS
  decision.emit<CounterStream>(ServerStarted{});
#endif
  return decision;
}

Decided decide_one(const CounterState&, const CountNamed&) {
  Decision decision;
  decision.emit<CounterStream>(CounterRaised{1});
  return decision;
}

Decided decide_one(const CounterState& s, const ResetCounter&) {
  Decision decision;
  if (s.value > 0) decision.emit<CounterStream>(CounterReset{});
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
