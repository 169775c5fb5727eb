// Folds the outbox's events. What is delivered or dropped is forgotten, and only counted.
#include "eventlog/domain/outbox/state.hpp"

#include "eventlog/domain/fold.hpp"
#include "eventlog/domain/outbox/pacing.hpp"

namespace domain {
namespace {

// An entry that is older is forgotten.
constexpr base::Duration kToldKept = std::chrono::minutes(1);

void note_told(OutboxState& s, SessionId session, Time due) {
  std::erase_if(s.told_waiting, [&](const auto& told) { return due - told.second > kToldKept; });
  s.told_waiting[session] = due;
}

bool apply(OutboxState& s, const Envelope& envelope, const NotificationRequested& e) {
  OpenNotification open;
  open.requested = e;
  open.at = open.since = envelope.log_time;
  open.next_at = std::max(envelope.log_time, e.not_before);
  const Time due = open.next_at;
  if (!s.open.emplace(envelope.position, std::move(open)).second) return false;
  if (e.kind == NotificationKind::waiting) note_told(s, e.session, due);
  return true;
}

bool apply(OutboxState& s, const Envelope& envelope, const NotificationDelivered& e) {
  const auto found = s.open.find(e.notification);
  if (found == s.open.end()) return false;
  if (e.is_counted) count_told(s.told, found->second.requested, envelope.log_time);
  s.open.erase(found);
  ++s.delivered;
  return true;
}

bool apply(OutboxState& s, const Envelope&, const NotificationFailed& e) {
  const auto found = s.open.find(e.notification);
  if (found == s.open.end()) return false;
  found->second.attempts = e.attempts;
  found->second.error = e.error;
  found->second.next_at = e.next_at;
  found->second.is_given_up = e.next_at.us == 0;
  return true;
}

bool apply(OutboxState& s, const Envelope&, const NotificationDropped& e) {
  if (s.open.erase(e.notification) == 0) return false;
  ++s.dropped;
  return true;
}

bool apply(OutboxState& s, const Envelope& envelope, const NotificationRetried& e) {
  const auto found = s.open.find(e.notification);
  if (found == s.open.end()) return false;
  found->second.attempts = 0;
  found->second.is_given_up = false;
  found->second.next_at = found->second.since = envelope.log_time;
  return true;
}

}  // namespace

void evolve(OutboxState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<OutboxEvents>(state, envelope, event,
                             [&](const auto& fact) { return apply(state, envelope, fact); });
  // The requests of sessions' decisions are remembered by the sessions.
  const auto* requested = event.as<NotificationRequested>();
  const bool is_own = requested != nullptr && requested->kind == NotificationKind::all_killed;
  const bool is_asked =
      is_own || event.is<NotificationRetried>() || event.is<NotificationDropped>();
  if (!is_asked || !is_remembered(envelope)) return;
  // The last event of a command counts.
  const bool is_further =
      !state.requests.empty() && state.requests.back().command == envelope.command;
  if (is_further) state.requests.pop_back();
  remember(state.requests, envelope);
}

Time expires_at(const OpenNotification& open) {
  // Whoever gave a task waits for its end, and the news of that is old at no time.
  if (!open.requested.parent_key->empty()) return open.since + std::chrono::hours(366 * 24);
  return open.since + std::chrono::hours(open.is_given_up ? 7 * 24 : 24);
}

std::optional<AcceptedCommand> known_command(const OutboxState& state, const CommandId& command) {
  return find_request(state.requests, command);
}

}  // namespace domain
