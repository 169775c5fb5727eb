// One job at a time: an order, or else the next look at pending erasures and at retention. The next
// waits until the results are recorded.
#include "workers/reactors/upkeep.hpp"

#include <set>

namespace workers {
namespace {

// How late retention, which is counted in days, can be; also the pause after a failure.
constexpr base::Duration kInterval = std::chrono::minutes(1);
// The folders of sessions that end soon after another are removed together.
constexpr base::Duration kFoldersWait = std::chrono::seconds(1);
constexpr base::Duration kBehindWait = std::chrono::milliseconds(20);
// The pause after a reader held a file, which lasts for one read. Any other failure needs repair.
constexpr base::Duration kRetryWait = std::chrono::seconds(1);

}  // namespace

void Upkeep::take_folders(const std::vector<base::SessionId>& found) {
  std::set<base::SessionId> under_way;
  for (const auto& [key, state] : sessions_->all()) under_way.insert(key.session);
  for (const base::SessionId session : found) {
    if (!under_way.contains(session)) over_.push_back(session);
  }
}

void Upkeep::on_durable(const domain::RecordedEvent& event) {
  const auto* changed = sessions_ != nullptr ? sessions_->changed() : nullptr;
  if (changed != nullptr && !domain::is_under_way(changed->second)) {
    over_.push_back(changed->first.session);
    due_ = std::min(due_, boot_ + kFoldersWait);
  }
  if (!std::holds_alternative<domain::ContentErased>(event.event)) return;
  at_least_ = std::max(at_least_, event.envelope.position);
  due_ = boot_;
}

void Upkeep::on_answer(std::uint64_t number, const CommandAnswer& answer) {
  const CommandOutcome& outcome = answer.outcome;
  --asked_;
  auto result = recording_.extract(number);
  // The next pass finds unfinished erasures again; nobody finds the result of an order.
  if (!outcome && !result.empty() &&
      unrecorded_.keep(std::move(result.mapped()), outcome.error(), now_)) {
    return;
  }
  if (outcome) {
    at_least_ = std::max(at_least_, outcome->position);
  } else {
    const bool is_short = domain::is_undecided(outcome.error().code);
    due_ = boot_ + (is_short ? kUndecidedAgain : kInterval);
  }
}

bool Upkeep::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  boot_ = cycle.boot;
  bool has_worked = false;
  if (auto outcome = port_.poll()) {
    has_worked = true;
    take(std::move(*outcome));
  }
  for (domain::ServerCommand& result : unrecorded_.take_due(now_)) record(std::move(result));
  // Results must be recorded first: the next job would find the same work again.
  const bool is_taken = !backup_ && !anchor_ && !archive_ && !trim_;
  const bool is_engaged = is_running_ || asked_ > 0 || !unrecorded_.is_empty() || !is_taken;
  if (is_engaged || (orders_.empty() && boot_ < due_)) return has_worked;
  is_running_ = true;
  UpkeepJob job{at_least_, now_, {}, {}, {}, std::exchange(over_, {})};
  if (!orders_.empty()) {
    job.order = std::move(orders_.front());
    orders_.pop_front();
  } else {
    due_ = boot_ + kInterval;
    job.backups = commands_.server().backups;
    job.archives = commands_.server().archives;
  }
  port_.submit(job);
  return has_worked;
}

void Upkeep::take(UpkeepOutcome outcome) {
  is_running_ = false;
  over_.insert(over_.end(), outcome.kept_folders.begin(), outcome.kept_folders.end());
  if (outcome.backup) {
    backup_ = std::move(outcome.backup);
    return;
  }
  if (outcome.anchor) {
    anchor_ = std::move(outcome.anchor);
    return;
  }
  if (outcome.archive) {
    archive_ = std::move(outcome.archive);
    return;
  }
  if (outcome.trim) {
    trim_ = std::move(outcome.trim);
    return;
  }
  fault_ = outcome.error;
  for (const projections::PendingErasure& erased : outcome.erased) {
    submit(erased.agent, erased.session, domain::CompleteErasure{erased.through});
  }
  for (const projections::KeptContent& expired : outcome.expired) {
    submit(expired.agent, expired.session, domain::ExpireContent{});
  }
  if (outcome.is_behind) {
    due_ = boot_ + kBehindWait;
  } else if (outcome.has_more) {
    due_ = boot_;
  } else if (outcome.error) {
    const bool is_short = outcome.error->code == base::ErrorCode::busy;
    due_ = std::min(due_, boot_ + (is_short ? kRetryWait : kInterval));
  }
}

void Upkeep::submit(CommandMessage message) {
  message.id = base::CommandId::make(now_, random_);
  message.actor_kind = domain::ActorKind::server;
  ++asked_;
  commands_.submit({this, ++next_ticket_}, std::move(message));
}

void Upkeep::submit(const std::string& agent, base::SessionId session,
                    domain::SessionCommand command) {
  CommandMessage message;
  message.agent = agent;
  message.stream_id = session;
  message.actor = "eraser";
  message.command = std::move(command);
  submit(std::move(message));
}

void Upkeep::record(domain::ServerCommand command) {
  CommandMessage message;
  message.actor = "server";
  message.command = command;
  recording_.emplace(next_ticket_ + 1, std::move(command));
  submit(std::move(message));
}

void Upkeep::describe(StatusAnswer& status) const {
  if (fault_) status.erasure_fault = base::describe(*fault_);
}

base::Duration Upkeep::next_timer() const {
  const bool is_waiting = is_running_ || asked_ > 0;
  if (is_waiting) return base::Duration::max();
  if (!unrecorded_.is_empty()) return boot_ + (unrecorded_.due() - now_);
  return orders_.empty() ? due_ : boot_;
}

}  // namespace workers
