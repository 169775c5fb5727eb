// Each session's next deadline is computed from its folded state whenever that changes. Nothing
// else is remembered, so a new server knows all deadlines. It gives each a fresh period, but for
// the end of a day.
#include "workers/reactors/deadlines.hpp"

#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace workers {
namespace {

// A command that was refused or changed nothing is submitted again after this.
constexpr base::Duration kRetry = std::chrono::seconds(1);

}  // namespace

void Deadlines::restore(const domain::SessionState& session) {
  sessions_[{session.session, session.agent}].state = domain::lease_state(session);
}

void Deadlines::on_durable(const domain::RecordedEvent& event) {
  auto stream = domain::parse_stream(event.envelope.stream);
  if (!stream || !stream->is<domain::SessionStream>()) return;
  const SessionKey key{stream->id, std::move(stream->agent)};
  auto found = sessions_.find(key);
  if (found == sessions_.end()) {
    if (!std::holds_alternative<domain::SessionOpened>(event.event)) return;
    found = sessions_.try_emplace(key).first;
  }
  Watched& watched = found->second;
  domain::evolve(watched.state, event.envelope, event.event);
  schedule(key, watched);
  if (!domain::is_live(watched.state.status)) sessions_.erase(found);
}

// Puts the session's next deadline into its place among all. Deadlines are not known before the
// server has taken over.
void Deadlines::schedule(const SessionKey& key, Watched& watched, base::Time not_before) {
  if (up_since_.us == 0 || watched.is_passing) return;
  const auto next = domain::next_deadline(watched.state, up_since_, ahead_);
  const base::Time due = next ? std::max(next->due, not_before) : base::Time{};
  if (due == watched.due) return;
  if (watched.due.us != 0) due_.erase({watched.due, key});
  watched.due = due;
  if (due.us != 0) due_.emplace(due, key);
}

void Deadlines::pass(const SessionKey& key, Watched& watched, domain::DeadlineKind kind) {
  watched.is_passing = true;
  CommandMessage message;
  message.stream_id = key.session;
  message.agent = key.agent;
  message.id = base::CommandId::make(now_, random_);
  message.actor_kind = domain::ActorKind::server;
  message.actor = "deadlines";
  message.command = domain::SessionCommand(domain::PassDeadline{kind});
  asked_.emplace(++next_ticket_, key);
  commands_.submit({this, next_ticket_}, std::move(message));
}

void Deadlines::on_answer(std::uint64_t number, const CommandAnswer&) {
  const auto asked = asked_.extract(number);
  if (asked.empty()) return;
  const auto found = sessions_.find(asked.mapped());
  if (found == sessions_.end()) return;
  found->second.is_passing = false;
  schedule(found->first, found->second, now_ + kRetry);
}

bool Deadlines::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  ahead_ = cycle.now - cycle.wall;
  if (up_since_.us == 0 && cycle.has_taken_over) {
    up_since_ = now_;
    for (auto& [key, watched] : sessions_) {
      // This server's budget of a day can be larger than that of the one before.
      if (watched.state.day_over.us != 0) pass(key, watched, domain::DeadlineKind::day);
      schedule(key, watched);
    }
  }
  bool has_worked = false;
  while (!due_.empty() && due_.begin()->first <= now_) {
    const SessionKey key = due_.extract(due_.begin()).value().second;
    Watched& watched = sessions_.at(key);
    watched.due = {};
    const auto next = domain::next_deadline(watched.state, up_since_, ahead_);
    if (next) pass(key, watched, next->kind);
    has_worked = true;
  }
  next_timer_ = due_.empty() ? base::Duration::max() : cycle.boot + (due_.begin()->first - now_);
  return has_worked;
}

}  // namespace workers
