// Each session's next deadline is computed from its folded state whenever that changes. Nothing
// else is remembered, so a new server knows all deadlines. It gives each a fresh period, as does a
// step of the clock, but for the end of a day.
#include "workers/reactors/deadlines.hpp"

namespace workers {
namespace {

// A command that was refused or changed nothing is submitted again after this.
constexpr base::Duration kRetry = std::chrono::seconds(1);

}  // namespace

void Deadlines::on_durable(const domain::RecordedEvent&) {
  if (const auto* changed = sessions_.changed()) schedule(changed->first, &changed->second);
}

// Puts the session's next deadline into its place among all. Deadlines are not known before the
// server has taken over.
void Deadlines::schedule(const StreamKey& key, const domain::LeaseState* state,
                         base::Time not_before) {
  if (up_since_.us == 0) return;
  const auto next =
      state == nullptr ? std::nullopt : domain::next_deadline(*state, up_since_, ahead_);
  const base::Time due = next ? std::max(next->due, not_before) : base::Time{};
  if (due.us == 0 && watched_.empty()) return;
  const auto known = watched_.find(key);
  if (known != watched_.end() && known->second.is_passing) return;
  if (known == watched_.end() && due.us == 0) return;
  const auto watched = known != watched_.end() ? known : watched_.try_emplace(key).first;
  if (due == watched->second.due && due.us != 0) return;
  if (watched->second.due.us != 0) due_.erase({watched->second.due, &watched->first});
  watched->second.due = due;
  if (due.us == 0) {
    watched_.erase(watched);
  } else {
    due_.insert({due, &watched->first});
  }
}

void Deadlines::pass(const StreamKey& key, domain::DeadlineKind kind) {
  watched_[key].is_passing = true;
  passes_.send(key, domain::SessionCommand(domain::PassDeadline{kind}), now_, key);
}

void Deadlines::on_passed(const StreamKey& key) {
  const auto found = watched_.find(key);
  if (found == watched_.end()) return;
  found->second.is_passing = false;
  schedule(key, sessions_.find(key), now_ + kRetry);
}

bool Deadlines::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  const bool is_stepped = steps_.step(cycle).count() > 0;
  ahead_ = cycle.now - cycle.wall;
  if (up_since_.us == 0 && cycle.has_taken_over) {
    up_since_ = now_;
    for (const auto& [key, state] : sessions_.all()) {
      // This server's budget of a day can be larger than that of the one before.
      if (state.day_over.us != 0) pass(key, domain::DeadlineKind::day);
      // An earlier release did not record that it is parked. Any command lets it be.
      const bool is_unparked = domain::is_live(state.status) && !state.lease &&
                               !domain::has_work(state) &&
                               !commands_.of<domain::AdmissionStream>().parked.contains(key.id);
      if (is_unparked) pass(key, domain::DeadlineKind::start);
      schedule(key, &state);
    }
  }
  if (is_stepped && up_since_.us != 0) {
    up_since_ = now_;
    for (const auto& [key, state] : sessions_.all()) schedule(key, &state);
  }
  bool has_worked = false;
  while (!due_.empty() && due_.begin()->at <= now_) {
    const StreamKey key = *due_.begin()->session;
    due_.erase(due_.begin());
    watched_.at(key).due = {};
    const domain::LeaseState* state = sessions_.find(key);
    const auto next =
        state == nullptr ? std::nullopt : domain::next_deadline(*state, up_since_, ahead_);
    if (next) {
      pass(key, next->kind);
    } else {
      watched_.erase(key);
    }
    has_worked = true;
  }
  next_timer_ = due_.empty() ? base::Duration::max() : cycle.boot + (due_.begin()->at - now_);
  return has_worked;
}

}  // namespace workers
