// Decides what becomes of notifications. Those of sessions are requested by the sessions' own
// decisions, in the same append as the event that they are about.
#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/outbox/outbox.hpp"
#include "eventlog/domain/outbox/pacing.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

// The waits between attempts: 5 s, and four times as long after each, up to an hour.
constexpr base::Duration kFirstWait = std::chrono::seconds(5);
constexpr base::Duration kLongestWait = std::chrono::hours(1);
constexpr std::int64_t kAttemptsMax = 8;

base::Duration wait_after(std::int64_t attempts) {
  base::Duration wait = kFirstWait;
  for (std::int64_t i = 1; i < attempts && wait < kLongestWait; ++i) wait *= 4;
  return std::min(wait, kLongestWait);
}

// Emits `make(position)` for the notification that was named, or for each one that was given up.
template <class Make>
Decided for_each_named(const OutboxState& s, Position named, Make make) {
  Decision decision;
  if (named.value != 0) {
    if (!s.open.contains(named)) {
      return reject(RejectionCode::not_found, "no notification " + std::to_string(named.value) +
                                                  " waits; steno notify ls lists those that do");
    }
    decision.emit<OutboxStream>(make(named));
    return decision;
  }
  for (const auto& [position, open] : s.open) {
    if (open.is_given_up) decision.emit<OutboxStream>(make(position));
  }
  if (decision.empty()) return reject(RejectionCode::not_found, "no notification was given up");
  return decision;
}

Decided decide_one(const OutboxState& s, const Context&, const RetryNotification& c) {
  return for_each_named(s, c.notification, [](Position p) { return NotificationRetried{p}; });
}

Decided decide_one(const OutboxState& s, const Context&, const DropNotification& c) {
  return for_each_named(s, c.notification, [](Position p) {
    return NotificationDropped{p, DropReason::user};
  });
}

Decided decide_one(const OutboxState& s, const Context& context, const TellKilled& c) {
  if (c.aliases.empty())
    return reject(RejectionCode::invalid, "name the sessions that were killed");
  NotificationRequested request;
  request.kind = NotificationKind::all_killed;
  for (const std::string& alias : c.aliases) {
    if (auto bad = check_length("alias", alias.size(), kFactBytesMax)) return tl::unexpected(*bad);
    request.alias.append(request.alias.empty() ? "" : ", ").append(alias);
  }
  cut_text(request.alias, kRefusalBytesMax);
  Decision decision;
  if (s.open.size() >= kNotificationsMax) {
    decision.emit<OutboxStream>(NotificationDropped{s.open.begin()->first, DropReason::overflow});
  }
  for (const auto target : {NotificationTarget::system, NotificationTarget::wake}) {
    if (!context.limits.sinks[static_cast<std::size_t>(target)]) continue;
    request.target = target;
    decision.emit<OutboxStream>(request);
    break;
  }
  return decision;
}

Decided decide_one(const OutboxState& s, const Context& context, const RecordDelivery& c) {
  const auto found = s.open.find(c.notification);
  if (found == s.open.end()) return Decision{};
  Decision decision;
  if (c.error.empty()) {
    const bool is_counted =
        context.limits.told_per_minute > 0 && is_paced(found->second.requested.target);
    decision.emit<OutboxStream>(NotificationDelivered{c.notification, is_counted});
    return decision;
  }
  if (c.is_unreachable || c.is_suppressed) {
    const DropReason reason = c.is_suppressed ? DropReason::suppressed : DropReason::unreachable;
    decision.emit<OutboxStream>(NotificationDropped{c.notification, reason});
    return decision;
  }
  const std::int64_t attempts = found->second.attempts + 1;
  const bool is_task = !found->second.requested.parent_key->empty();
  const bool is_last = attempts >= kAttemptsMax && !is_task;
  decision.emit<OutboxStream>(
      NotificationFailed{c.notification, attempts, cut_fact(c.error),
                         is_last ? Time{} : context.now + wait_after(attempts)});
  return decision;
}

Decided decide_one(const OutboxState& s, const Context& context, const ExpireNotification& c) {
  Decision decision;
  const auto found = s.open.find(c.notification);
  if (found != s.open.end() && expires_at(found->second) <= context.now) {
    decision.emit<OutboxStream>(NotificationDropped{c.notification, DropReason::expired});
  }
  return decision;
}

}  // namespace

void reads(const OutboxCommand&, const StreamRef&, Reads&) {}

Decided decide(const OutboxCommand& command, const States& states, const Context& context) {
  const auto& state = states.target<OutboxStream>();
  return std::visit([&](const auto& c) { return decide_one(state, context, c); }, command);
}

OutboxReply reply(const OutboxState& state, const OutboxCommand&) {
  return {static_cast<std::int64_t>(state.open.size())};
}

}  // namespace domain
