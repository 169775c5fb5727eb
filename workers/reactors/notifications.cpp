// Nothing is remembered but what is under way: the state of the outbox says what waits. A server
// that was killed within a delivery delivers that one again, under the same id.
#include "workers/reactors/notifications.hpp"

#include <algorithm>
#include <set>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace workers {
namespace {

constexpr base::Duration kHold = std::chrono::milliseconds(200);
constexpr std::size_t kDetailsMax = domain::kNotificationsMax;

// Returns how many of a target's deliveries at once can be to places that have failed: the others
// wait for none of these.
std::size_t doubtful_at_once(domain::NotificationTarget target) {
  return std::max<std::size_t>(1, deliveries_at_once(target) / 2);
}

// Something to be begun: what was not tried yet comes first, to places that have not failed before
// others. Among equals agents that ask come first: they stand still meanwhile.
struct Due {
  int rank = 0;
  bool can_wait = true;
  Position notification;
  std::string place;
  auto operator<=>(const Due&) const = default;
};

bool can_wait(const domain::OpenNotification& open) {
  return open.requested.kind != domain::NotificationKind::asks;
}

// Returns what is recorded of a notification that its parent refused.
domain::RecordDelivery refused_by(Position notification, domain::RejectionCode code) {
  const bool is_passing =
      code == domain::RejectionCode::limit_reached || domain::is_undecided(code);
  return {notification, std::string(base::enum_name(code)), !is_passing};
}

// The same notification always has the same id, and no other one has it.
base::CommandId id_of(Position notification, base::SessionId session) {
  base::CommandId id{session.bytes};
  auto number = static_cast<std::uint64_t>(notification.value);
  for (std::size_t i = id.bytes.size(); number != 0; number >>= 8) {
    const auto byte = static_cast<unsigned char>(id.bytes[--i]);
    id.bytes[i] = static_cast<char>(byte ^ (number & 0xFF));
  }
  return id;
}

}  // namespace

void Notifications::on_durable(const domain::RecordedEvent& event) {
  is_changed_ |= event.envelope.stream == domain::kOutboxStream;
  if (const auto* dropped = event.event.as<domain::NotificationDropped>()) {
    details_.erase(dropped->notification);
    has_erased_.erase(dropped->notification);
  }
  if (event.event.is<domain::ContentErased>()) {
    forget_details(event.envelope.stream);
  }
}

// A sink can have repeated what it was given. An attempt can be under way, so what the next one
// comes back with is not kept either.
void Notifications::forget_details(const std::string& stream) {
  for (const auto& [position, open] : commands_.of<domain::OutboxStream>().open) {
    const domain::NotificationRequested& requested = open.requested;
    if (domain::session_stream(requested.agent, requested.session) != stream) continue;
    details_.erase(position);
    has_erased_.insert(position);
  }
}

void Notifications::on_answer(Asked&& asked, const CommandOutcome& outcome) {
  if (asked.prompt) {
    asked.prompt.reset();
    if (!outcome) {
      const Position notification = under_way_.at(asked.place).notification;
      asked.command = refused_by(notification, outcome.error().code);
    }
    return record(std::move(asked));
  }
  if (!outcome) {
    refused_.push_back(std::move(asked));
    look_at_ = now_ + kUndecidedAgain;
    return;
  }
  under_way_.erase(asked.place);
  if (const auto* expire = std::get_if<domain::ExpireNotification>(&asked.command)) {
    expiring_.erase(expire->notification);
  }
  is_changed_ = true;
}

bool Notifications::send_prompt(Asked& asked) {
  const Position notification = under_way_.at(asked.place).notification;
  const auto& open = commands_.of<domain::OutboxStream>().open;
  const auto found = open.find(notification);
  if (found == open.end()) return false;
  const domain::NotificationRequested& requested = found->second.requested;
  const std::string& about = requested.unanswered->conversation;
  const base::CommandId id = id_of(
      notification, requested.session.is_set() ? requested.session
                                               : domain::conversation_id(requested.agent, about));
  if (!requested.parent_key->empty()) {
    domain::ReceiveMessage message;
    message.session_key = requested.parent_key;
    message.text = *asked.prompt;
    message.sender = requested.session.is_set() ? requested.alias : about;
    message.is_authorised = false;
    message.is_announcement = true;
    message.deletes = *requested.deletes;
    const std::string agent = domain::agent_of_key(*requested.parent_key);
    outgoing_.send_once(std::move(asked), id, domain::ConversationCommand(std::move(message)),
                        {domain::conversation_id(agent, *requested.parent_key), agent});
    return true;
  }
  const StreamKey parent{requested.parent, requested.agent};
  domain::SessionCommand prompt = domain::SendPrompt{*asked.prompt, false, requested.session};
  outgoing_.send_once(std::move(asked), id, std::move(prompt), parent);
  return true;
}

void Notifications::record(Asked asked) {
  if (asked.prompt && send_prompt(asked)) return;
  asked.prompt.reset();
  domain::OutboxCommand command = asked.command;
  outgoing_.send(std::move(asked), std::move(command), now_);
}

bool Notifications::take_outcomes() {
  bool has_taken = false;
  while (auto outcome = notifier_->poll()) {
    has_taken = true;
    for (const domain::HookRun& run : outcome->runs) {
      if (count_run_) count_run_(run);
    }
    const auto its = std::find_if(under_way_.begin(), under_way_.end(), [&](const auto& one) {
      return one.second.notification == outcome->notification;
    });
    if (its == under_way_.end()) continue;
    const std::string place = its->first;
    if (outcome->is_behind) {
      under_way_.erase(its);
      held_until_[place] = now_ + kHold;
      is_changed_ = true;
      continue;
    }
    details_.erase(outcome->notification);
    const bool has_erased = has_erased_.erase(outcome->notification) > 0;
    if (has_erased) outcome->detail.clear();
    if (!outcome->error.empty() && !outcome->detail.empty() && details_.size() < kDetailsMax) {
      details_[outcome->notification] = std::move(outcome->detail);
    }
    Asked asked{domain::RecordDelivery{outcome->notification, outcome->error, false,
                                       outcome->is_suppressed},
                place};
    if (outcome->target == domain::NotificationTarget::parent && outcome->error.empty()) {
      asked.prompt = std::move(outcome->prompt);
    }
    record(std::move(asked));
  }
  return has_taken;
}

bool Notifications::has_room(domain::NotificationTarget target, bool is_doubtful) const {
  std::size_t all = 0;
  std::size_t doubtful = 0;
  for (const auto& [place, one] : under_way_) {
    if (one.target != target) continue;
    ++all;
    doubtful += one.is_doubtful ? 1 : 0;
  }
  return all < deliveries_at_once(target) && (!is_doubtful || doubtful < doubtful_at_once(target));
}

bool Notifications::begin_due(const Cycle& cycle) {
  bool has_begun = false;
  std::erase_if(held_until_, [&](const auto& held) { return held.second <= now_; });
  std::set<std::string> doubtful;  // places that have failed
  for (const auto& [position, open] : commands_.of<domain::OutboxStream>().open) {
    if (open.attempts > 0 && !open.is_given_up) doubtful.insert(domain::place_of(open.requested));
  }
  std::vector<Due> begun;
  base::Time next;
  const auto wait_until = [&](base::Time at) {
    if (next.us == 0 || at < next) next = at;
  };
  // Sessions and places: an earlier notification has not reached the place yet.
  std::array<std::set<std::pair<base::SessionId, std::string>>, domain::kNotificationTargets> waits;
  for (const auto& [position, open] : commands_.of<domain::OutboxStream>().open) {
    if (position > cycle.durable) break;
    const auto target = static_cast<std::size_t>(open.requested.target);
    const std::string place = domain::place_of(open.requested);
    const auto its = under_way_.find(place);
    if (its != under_way_.end() && its->second.notification == position) {
      waits[target].insert({open.requested.session, open.requested.channel});
      continue;
    }
    const base::Time expires = domain::expires_at(open);
    if (expires <= now_) {
      if (expiring_.insert(position).second) {
        record({domain::ExpireNotification{position}, {}});
      }
      continue;
    }
    wait_until(expires);
    if (open.is_given_up || !domain::has_sink(commands_.limits(), open.requested.target)) continue;
    if (!waits[target].insert({open.requested.session, open.requested.channel}).second) continue;
    const auto held = held_until_.find(place);
    const base::Time due = std::max(due_at(open, commands_.of<domain::OutboxStream>().told),
                                    held == held_until_.end() ? base::Time{} : held->second);
    if (due > now_) {
      wait_until(due);
    } else if (its == under_way_.end()) {
      const int rank = open.attempts > 0 ? 2 : doubtful.contains(place) ? 1 : 0;
      begun.push_back({rank, can_wait(open), position, place});
    }
  }
  std::sort(begun.begin(), begun.end());
  for (const Due& one : begun) {
    const domain::NotificationRequested& requested =
        commands_.of<domain::OutboxStream>().open.at(one.notification).requested;
    const bool is_doubtful = one.rank > 0;
    if (under_way_.contains(one.place) || !has_room(requested.target, is_doubtful)) continue;
    under_way_[one.place] = {one.notification, requested.target, is_doubtful};
    notifier_->submit({one.notification, requested, cycle.wall});
    has_begun = true;
  }
  look_at_ = next;
  return has_begun;
}

bool Notifications::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  bool has_worked = take_outcomes();
  const bool is_due = look_at_.us != 0 && look_at_ <= now_;
  if (cycle.has_taken_over && (is_changed_ || is_due)) {
    is_changed_ = false;
    for (Asked& asked : std::exchange(refused_, {})) record(std::move(asked));
    has_worked |= begin_due(cycle);
  }
  next_timer_ = look_at_.us == 0 ? base::Duration::max() : cycle.boot + (look_at_ - now_);
  return has_worked;
}

base::Time Notifications::due_at(const domain::OpenNotification& open,
                                 const domain::Told& told) const {
  return std::max(open.next_at,
                  domain::can_hear_at(told, open.requested, commands_.limits().told_per_minute));
}

base::RawValue Notifications::answer(const DurableStates& durable) const {
  const auto& outbox = durable.of<domain::OutboxStream>();
  NotificationsAnswer answer;
  answer.delivered = outbox.delivered;
  answer.dropped = outbox.dropped;
  domain::Told told = outbox.told;  // and what will have been told, if nothing fails
  // In about the order in which they will be begun.
  std::vector<Position> order;
  for (const auto& [position, open] : outbox.open) order.push_back(position);
  std::stable_partition(order.begin(), order.end(),
                        [&](Position one) { return !can_wait(outbox.open.at(one)); });
  for (const Position position : order) {
    const domain::OpenNotification& open = outbox.open.at(position);
    const domain::NotificationRequested& requested = open.requested;
    const auto detail = details_.find(position);
    const base::Time due = open.is_given_up ? base::Time{} : due_at(open, told);
    if (domain::is_paced(requested.target) && !open.is_given_up) {
      told[domain::place_of(requested)].push_back(due);
    }
    std::string error = open.error;
    if (!error.empty() && detail != details_.end()) error += ": " + detail->second;
    answer.notifications.push_back({position, requested.kind, requested.target, requested.session,
                                    requested.agent, requested.alias, requested.channel, open.at,
                                    open.attempts, std::move(error), due,
                                    domain::has_sink(commands_.limits(), requested.target)});
  }
  std::sort(answer.notifications.begin(), answer.notifications.end(),
            [](const auto& a, const auto& b) { return a.notification < b.notification; });
  return bus::to_body(answer);
}

}  // namespace workers
