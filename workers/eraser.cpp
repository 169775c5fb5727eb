#include "workers/eraser.hpp"

#include "eventlog/base/mutant.hpp"

namespace workers {
namespace {

// How late retention may be, which is counted in days.
constexpr base::Duration kInterval = std::chrono::minutes(1);
constexpr base::Duration kBehindWait = std::chrono::milliseconds(20);
// A reader holds a file for as long as one read takes; a disk that fails may do so for longer.
constexpr base::Duration kRetryWait = std::chrono::seconds(1);

}  // namespace

void Eraser::on_durable(const session::RecordedEvent& event) {
  if (!std::holds_alternative<session::ContentErased>(event.event)) return;
  at_least_ = std::max(at_least_, event.envelope.position);
  due_ = boot_;
}

void Eraser::on_answer(const CommandOutcome& outcome) {
  --asked_;
  if (outcome) {
    at_least_ = std::max(at_least_, outcome->position);
  } else {
    due_ = std::max(due_, boot_ + kRetryWait);
  }
}

bool Eraser::do_work(base::Time now, base::Duration boot) {
  now_ = now;
  boot_ = boot;
  bool has_worked = false;
  if (auto outcome = port_.poll()) {
    has_worked = true;
    take(std::move(*outcome));
  }
  // The next job would find again what is being recorded.
  if (is_running_ || asked_ > 0 || boot < due_) return has_worked;
  is_running_ = true;
  due_ = boot + kInterval;
  port_.submit({at_least_, now});
  return has_worked;
}

void Eraser::take(ErasureOutcome outcome) {
  is_running_ = false;
  fault_ = outcome.error;
  for (const projections::PendingErasure& erased : outcome.erased) {
    submit(erased.agent, erased.session, session::CompleteErasure{erased.through});
  }
  for (const projections::KeptContent& expired : outcome.expired) {
    submit(expired.agent, expired.session, session::ExpireContent{});
  }
  if (outcome.is_behind) {
    due_ = boot_ + kBehindWait;
  } else if (outcome.error) {
    due_ = std::min(due_, boot_ + kRetryWait);
  } else if (outcome.has_more) {
    due_ = boot_;
  }
}

void Eraser::submit(const std::string& agent, base::SessionId session,
                    session::ServerCommand command) {
  CommandMessage message;
  message.id = base::CommandId::make(now_, random_);
  message.session = session;
  message.agent = agent;
  message.actor_kind = session::ActorKind::server;
  message.actor = "eraser";
  message.command = std::move(command);
  ++asked_;
  commands_.submit({Asker::eraser, 0}, std::move(message));
}

base::Duration Eraser::next_timer() const {
  const bool is_waiting = is_running_ || asked_ > 0;
  return is_waiting ? base::Duration::max() : due_;
}

}  // namespace workers
