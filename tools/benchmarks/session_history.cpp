// Makes each event from a step counter, so that a history needs no memory of its own events.
#include "tools/benchmarks/session_history.hpp"

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace benchmarks {
namespace {

// Real sessions have 375 lines on average; with Steno's own events this comes near it.
constexpr int kTurnsOfSession = 12;
constexpr int kStepsOfTurn = 9;  // a tool call, its result, and a block of text

}  // namespace

domain::SessionOpened opened_event(const SessionIdentity& identity) {
  domain::SessionOpened opened;
  opened.session = identity.id;
  opened.agent = identity.agent;
  opened.name = identity.name;
  opened.alias = identity.alias;
  opened.spec.edit().engine = "claude";
  opened.spec.edit().workdir = "/home/user/project";
  opened.spec.edit().is_multi_turn = true;
  opened.lineage = identity.id;
  return opened;
}

bool has_content(const domain::Event& event) {
  return event.is<domain::TurnQueued>() || event.is<domain::TurnFinished>() ||
         event.is<domain::OutputRecorded>() || event.is<domain::ToolCallStarted>() ||
         event.is<domain::ToolCallFinished>();
}

SessionHistory::SessionHistory(SessionIdentity identity, base::Random& random)
    : random_(&random),
      identity_(std::move(identity)),
      name_(domain::session_stream(identity_.agent, identity_.id)) {}

domain::Event SessionHistory::next(base::Time now) {
  version_ = version_.next();
  return make(now);
}

domain::Event SessionHistory::make(base::Time now) {
  const int step = step_++;
  if (step < kOpening) return opening(step, now);
  if (turns_ == kTurnsOfSession) {
    has_ended_ = step == kOpening + 2;
    if (step == kOpening) return domain::AgentExited{0, 0};
    if (step == kOpening + 1) return domain::LeaseReleased{kToken};
    return domain::SessionClosed{domain::SessionStatus::completed, domain::EndReason::none};
  }
  return in_turn(step - kOpening, now);
}

domain::Event SessionHistory::opening(int step, base::Time now) {
  switch (step) {
    case 0:
      worker_ = base::WorkerId::make(now, *random_);
      return opened_event(identity_);
    case 1:
      return domain::LeaseGranted{worker_, kToken, {}};
    case 2:
      return domain::AgentStarted{4711, 123456};
    default:
      return domain::AgentInitialized{base::EventId::make(now, *random_).text(),
                                      "claude-sonnet-4-5", "2.1.0"};
  }
}

domain::Event SessionHistory::in_turn(int step, base::Time now) {
  if (step == 0) {
    turn_ = base::TurnId::make(now, *random_);
    return domain::TurnQueued{turn_};
  }
  if (step == 1) return domain::TurnStarted{turn_, kToken};
  if (step == 2 + 3 * kStepsOfTurn) return finish();
  switch ((step - 2) % 3) {
    case 0:
      call_ = "toolu_01" + base::to_hex(base::EventId::make(now, *random_).view()).substr(10);
      return domain::ToolCallStarted{turn_, call_, "Bash"};
    case 1:
      return domain::ToolCallFinished{turn_, call_, false};
    default:
      return domain::OutputRecorded{turn_, ++blocks_, domain::OutputKind::text};
  }
}

domain::Event SessionHistory::finish() {
  step_ = kOpening;
  ++turns_;
  domain::TurnCost cost;
  cost.usage = {1200, 350, 40000, 900};
  cost.cost.value = 30'000'000;
  cost.agent_total.value = cost.cost.value * turns_;
  cost.model_calls = kStepsOfTurn;
  cost.took = std::chrono::seconds(40);
  return domain::TurnFinished{turn_, cost};
}

}  // namespace benchmarks
