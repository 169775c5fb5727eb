// An engine driven by one call for each kind of input, with what the agent asks answered as the
// worker answers it where nobody can be asked.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "workers/engines/engine_kind.hpp"
#include "workers/runner/unattended.hpp"

namespace support {

class DrivenEngine {
 public:
  explicit DrivenEngine(std::unique_ptr<engines::Engine> engine) : engine_(std::move(engine)) {}

  engines::LaunchPlan plan() const { return engine_->plan(); }
  // Takes the input, and returns what followed; asks are answered.
  engines::Output give(engines::Input::Step step, base::Time now = {}) {
    engines::Output out = engine_->handle({std::move(step), now});
    for (const engines::Ask& ask : out.asks) {
      engines::Output answered = engine_->handle({workers::unattended_answer(ask), now});
      out.writes += answered.writes;
      for (auto& report : answered.reports) out.reports.push_back(std::move(report));
      out.state = answered.state;
    }
    state_ = out.state;
    return out;
  }

  base::Bytes start() { return give(engines::Begin{}).writes; }
  base::Bytes begin_turn(base::TurnId turn, base::ByteView prompt) {
    return give(engines::BeginTurn{turn, base::Bytes(prompt)}).writes;
  }
  base::Bytes inject(base::ByteView prompt, base::Time now) {
    return give(engines::AddPrompt{base::Bytes(prompt)}, now).writes;
  }
  void take_back_injected() { give(engines::TakeBackPrompt{}); }
  base::Bytes interrupt(base::TurnId turn) { return give(engines::Interrupt{turn}).writes; }
  std::vector<domain::Report> on_line(base::ByteView line, base::Time now) {
    engines::Output out = give(engines::FrameCame{base::Bytes(line)}, now);
    writes_ += out.writes;
    return std::move(out.reports);
  }
  std::vector<domain::Report> on_time(base::Time now) {
    return give(engines::TimeIsDue{}, now).reports;
  }
  std::vector<domain::Report> on_end() { return give(engines::OutputEnded{}).reports; }
  // What on_line() has written since the last call.
  base::Bytes take_writes() { return std::exchange(writes_, {}); }
  std::optional<base::Time> deadline() const { return state_.deadline; }
  bool wants_exit() const { return state_.wants_exit; }
  bool has_tasks() const { return state_.has_tasks; }

 private:
  std::unique_ptr<engines::Engine> engine_;
  base::Bytes writes_;
  engines::AgentState state_;
};

}  // namespace support
