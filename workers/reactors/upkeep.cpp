// One job at a time: an order, or else the next look at pending erasures and at retention. The next
// waits until the results are recorded.
#include "workers/reactors/upkeep.hpp"

#include <set>

#include "eventlog/base/check.hpp"

#include "eventlog/domain/stream_name.hpp"

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

void Upkeep::begin(Position started_at, std::int64_t) {
  at_least_ = started_at;
  if (!found_folders_) return;
  std::set<base::SessionId> under_way;
  for (const auto& [key, state] : sessions_.all()) under_way.insert(key.id);
  for (const base::SessionId session : *found_folders_) {
    if (!under_way.contains(session)) over_.push_back(session);
  }
}

void Upkeep::on_durable(const domain::RecordedEvent& event) {
  const auto* changed = found_folders_ ? sessions_.changed() : nullptr;
  if (changed != nullptr && !domain::is_under_way(changed->second)) {
    over_.push_back(changed->first.id);
    due_ = std::min(due_, boot_ + kFoldersWait);
  }
  if (!event.event.is<domain::ContentErased>()) return;
  at_least_ = std::max(at_least_, event.envelope.position);
  due_ = boot_;
}

void Upkeep::on_erased(const CommandOutcome& outcome) {
  if (outcome) {
    at_least_ = std::max(at_least_, outcome->position);
    return;
  }
  // The next pass finds unfinished erasures again.
  const bool is_short = domain::is_undecided(outcome.error().code);
  due_ = boot_ + (is_short ? kUndecidedAgain : kInterval);
}

void Upkeep::on_recorded(domain::ServerCommand&& result, const CommandOutcome& outcome) {
  // Nobody else finds the result of an order.
  if (outcome || !recording_.keep(std::move(result), outcome.error(), now_)) on_erased(outcome);
}

bool Upkeep::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  boot_ = cycle.boot;
  bool has_worked = false;
  if (auto outcome = port_->poll()) {
    has_worked = true;
    take(std::move(*outcome));
  }
  for (domain::ServerCommand& result : recording_.take_due(now_)) record(std::move(result));
  // Results must be recorded first: the next job would find the same work again.
  const bool is_taken = !backup_ && !anchor_ && !archive_ && !trim_;
  const bool is_engaged = is_running_ || is_asking() || recording_.has_kept() || !is_taken;
  if (is_engaged || (orders_.empty() && boot_ < due_)) return has_worked;
  is_running_ = true;
  UpkeepJob job{at_least_, now_, {}, {}, {}, std::exchange(over_, {})};
  if (!orders_.empty()) {
    job.order = std::move(orders_.front());
    orders_.pop_front();
  } else {
    due_ = boot_ + kInterval;
    job.backups = commands_.of<domain::ServerStream>().backups;
    job.archives = commands_.of<domain::ServerStream>().archives;
  }
  port_->submit(job);
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
    const auto stream = domain::parse_stream(erased.stream);
    auto done = stream ? domain::completion_of(*stream, erased.through) : std::nullopt;
    CHECK(done.has_value());  // a row is made of an event that only such a stream has
    erasing_.send({}, std::move(*done), now_, {stream->id, stream->agent});
  }
  for (const projections::KeptContent& expired : outcome.expired) {
    erasing_.send({}, domain::SessionCommand(domain::ExpireContent{}), now_,
                  {expired.session, expired.agent});
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

void Upkeep::record(domain::ServerCommand command) {
  recording_.send(command, command, now_);
}

void Upkeep::describe(StatusAnswer& status) const {
  if (fault_) status.erasure_fault = base::describe(*fault_);
}

base::Duration Upkeep::next_timer() const {
  const bool is_waiting = is_running_ || is_asking();
  if (is_waiting) return base::Duration::max();
  if (recording_.has_kept()) return boot_ + (recording_.due() - now_);
  return orders_.empty() ? due_ : boot_;
}

}  // namespace workers
