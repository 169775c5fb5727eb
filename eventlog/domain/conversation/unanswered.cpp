// Tells those who sent messages that came to nothing. The requests are part of the same append.
#include <algorithm>
#include <map>

#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/place.hpp"
#include "eventlog/domain/outbox/outbox.hpp"
#include "eventlog/domain/outbox/overflow.hpp"
#include "eventlog/domain/outbox/route.hpp"

namespace domain {
namespace {

// Returns why nobody answers; empty: somebody has ended the messages on purpose, and knows.
std::string why_of(const MessagesEnded& e) {
  switch (e.end) {
    case MessageEnd::dropped:
      return "too many waited";
    case MessageEnd::expired:
      return "the agent could not begin in time";
    case MessageEnd::refused:
      return e.error;
    case MessageEnd::stopped:
    case MessageEnd::deleted:
      return {};
  }
  return {};
}

// Returns where the message came from, as notifications name places; empty: nowhere that can hear.
std::string place_of_message(const ConversationState& before, Position message) {
  for (const QueuedMessages* all : {&before.queue.waiting, &before.returned}) {
    for (const QueuedMessage& one : *all) {
      if (one.at == message) return place_of(one.route);
    }
  }
  return {};
}

// One decision tells so many places at most; the rest stands in the record alone.
constexpr std::size_t kPlacesMax = 32;

// Returns the reason for a stranger in a chat. The code and the details of a refusal are for the
// owner.
std::string plain(const std::string& why) {
  return why.find(": ") == std::string::npos ? why : "no agent could be had for it";
}

bool is_silenced(const ConversationState& s, const std::string& place, const Context& context) {
  const auto route = parse_route(place);
  return route && sends_to(s, route->channel, policy_in(context)).action == SendAction::deny;
}

// As with notifications of sessions, an orchestrator is woken where no channel is told.
std::vector<NotificationTarget> targets_for(const ConversationState& s, const std::string& place,
                                            const Context& context) {
  const bool has_channel = has_sink(context.limits, NotificationTarget::channel) &&
                           !place.empty() && !is_silenced(s, place, context);
  std::vector<NotificationTarget> targets;
  if (has_channel) targets.push_back(NotificationTarget::channel);
  for (const auto target : {NotificationTarget::system, NotificationTarget::wake,
                            NotificationTarget::webhook, NotificationTarget::desktop}) {
    const bool is_woken = target == NotificationTarget::wake && !has_channel;
    const bool is_other = target != NotificationTarget::wake;
    if (has_sink(context.limits, target) && (is_other || is_woken)) targets.push_back(target);
  }
  return targets;
}

void request(Decision& decision, const OutboxState& outbox, NotificationRequested request,
             std::size_t& added) {
  const std::string stream(kOutboxStream);
  if (outbox.open.size() + added >= kNotificationsMax) {
    std::set<Position> dropped;
    for (const Emitted& one : decision) {
      const auto* before = one.event.as<NotificationDropped>();
      if (before != nullptr) dropped.insert(before->notification);
    }
    if (const auto one = overflowing(outbox, dropped)) {
      decision.emit_to<OutboxStream>(stream, NotificationDropped{*one, DropReason::overflow});
    }
  }
  ++added;
  decision.emit_to<OutboxStream>(stream, std::move(request));
}

// Whoever gave a task hears that no agent was given it, and who ended it hears, too.
void tell_task_giver(Decision& decision, const OutboxState& outbox, const ConversationState& before,
                     NotificationRequested request_of, std::size_t& added) {
  if (before.task.value == 0) return;
  for (const Emitted& one : Decision(decision)) {
    const auto* ended = one.event.as<MessagesEnded>();
    if (ended == nullptr) continue;
    const auto& messages = ended->messages;
    if (std::find(messages.begin(), messages.end(), before.task) == messages.end()) continue;
    const std::string why = why_of(*ended);
    request_of.target = NotificationTarget::parent;
    request_of.parent_key = before.parent;
    if (before.cleanup == RunCleanup::remove) request_of.deletes = before.key;
    request_of.unanswered = UnansweredMessages{
        before.key, 1, why.empty() ? "it was " + std::string(base::enum_name(ended->end)) : why};
    request(decision, outbox, std::move(request_of), added);
    return;
  }
}

}  // namespace

Decided telling_senders(Decided decided, const States& states, const Context& context) {
  const auto* outbox = states.find<OutboxStream>(kOutboxStream);
  if (!decided || outbox == nullptr) return decided;
  const ConversationState& before = states.target<ConversationStream>();
  // By place and reason; the place is empty for programs that hear of everything.
  std::map<std::pair<std::string, std::string>, std::int64_t> told;
  for (const Emitted& one : *decided) {
    const auto* ended = one.event.as<MessagesEnded>();
    const std::string why = ended == nullptr ? std::string() : why_of(*ended);
    if (why.empty()) continue;
    for (const Position message : ended->messages) {
      if (message != before.task) ++told[{place_of_message(before, message), why}];
    }
  }
  StreamVersion through = context.version;
  for (const Emitted& one : *decided) {
    if (one.stream.empty()) through = through.next();
  }
  std::size_t added = 0;
  std::size_t places = 0;
  NotificationRequested request_of;
  request_of.kind = NotificationKind::unanswered;
  request_of.agent = context.target.agent;
  request_of.through = through;
  if (has_sink(context.limits, NotificationTarget::parent)) {
    tell_task_giver(*decided, *outbox, before, request_of, added);
  }
  for (const auto& [whose, messages] : told) {
    if (++places > kPlacesMax) break;
    request_of.channel = whose.first;
    request_of.unanswered = UnansweredMessages{before.key, messages, whose.second};
    for (const NotificationTarget target : targets_for(before, whose.first, context)) {
      request_of.target = target;
      const bool is_channel = target == NotificationTarget::channel;
      request_of.unanswered.edit().why = is_channel ? plain(whose.second) : whose.second;
      request(*decided, *outbox, request_of, added);
    }
  }
  return decided;
}

}  // namespace domain
