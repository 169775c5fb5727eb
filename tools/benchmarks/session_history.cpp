#include "tools/benchmarks/session_history.hpp"

#include "eventlog/facts/stream_name.hpp"

namespace benchmarks {
namespace {

// Real sessions have 375 lines on average; with what Steno adds itself this comes near it.
constexpr int kTurnsOfSession = 12;
constexpr int kStepsOfTurn = 9;  // a tool call, its result, and a block of text

}  // namespace

session::SessionOpened opened_event(const SessionIdentity& identity) {
  session::SessionOpened opened;
  opened.session = identity.id;
  opened.agent = identity.agent;
  opened.name = identity.name;
  opened.alias = identity.alias;
  opened.spec.engine = "claude";
  opened.spec.workdir = "/home/user/project";
  opened.spec.is_multi_turn = true;
  opened.lineage = identity.id;
  return opened;
}

bool has_content(const session::Event& event) {
  return std::holds_alternative<session::TurnQueued>(event) ||
         std::holds_alternative<session::TurnFinished>(event) ||
         std::holds_alternative<session::OutputRecorded>(event) ||
         std::holds_alternative<session::ToolCallStarted>(event) ||
         std::holds_alternative<session::ToolCallFinished>(event);
}

SessionHistory::SessionHistory(SessionIdentity identity, base::Random& random)
    : random_(&random),
      identity_(std::move(identity)),
      name_(session::session_stream(identity_.agent, identity_.id)) {}

session::Event SessionHistory::next(base::Time now) {
  version_ = version_.next();
  return make(now);
}

session::Event SessionHistory::make(base::Time now) {
  const int step = step_++;
  if (step < kOpening) return opening(step, now);
  if (turns_ == kTurnsOfSession) {
    has_ended_ = step == kOpening + 2;
    if (step == kOpening) return session::AgentExited{0, 0};
    if (step == kOpening + 1) return session::LeaseReleased{kToken};
    return session::SessionClosed{session::SessionStatus::completed, session::EndReason::none};
  }
  return in_turn(step - kOpening, now);
}

session::Event SessionHistory::opening(int step, base::Time now) {
  switch (step) {
    case 0:
      worker_ = base::WorkerId::make(now, *random_);
      return opened_event(identity_);
    case 1:
      return session::LeaseGranted{worker_, kToken, {}};
    case 2:
      return session::AgentStarted{4711, 123456};
    default:
      return session::AgentInitialized{base::EventId::make(now, *random_).text(),
                                       "claude-sonnet-4-5", "2.1.0"};
  }
}

session::Event SessionHistory::in_turn(int step, base::Time now) {
  if (step == 0) {
    turn_ = base::TurnId::make(now, *random_);
    return session::TurnQueued{turn_};
  }
  if (step == 1) return session::TurnStarted{turn_, kToken};
  if (step == 2 + 3 * kStepsOfTurn) return finish();
  switch ((step - 2) % 3) {
    case 0:
      call_ = "toolu_01" + base::to_hex(base::EventId::make(now, *random_).view()).substr(10);
      return session::ToolCallStarted{turn_, call_, "Bash"};
    case 1:
      return session::ToolCallFinished{turn_, call_, false};
    default:
      return session::OutputRecorded{turn_, ++blocks_, session::OutputKind::text};
  }
}

session::Event SessionHistory::finish() {
  step_ = kOpening;
  ++turns_;
  session::TurnCost cost;
  cost.usage = {1200, 350, 40000, 900};
  cost.cost.value = 30'000'000;
  cost.agent_total.value = cost.cost.value * turns_;
  cost.model_calls = kStepsOfTurn;
  cost.took = std::chrono::seconds(40);
  return session::TurnFinished{turn_, cost};
}

}  // namespace benchmarks
