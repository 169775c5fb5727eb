// Tells those who sent messages that came to nothing. The requests are part of the same append.
#include <algorithm>
#include <map>

#include "eventlog/domain/conversation/conversing.hpp"
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
std::string place_of(const ConversationState& before, Position message) {
  for (const QueuedMessages* all : {&before.queue.waiting, &before.returned}) {
    for (const QueuedMessage& one : *all) {
      if (one.at != message || !is_routable(one.route)) continue;
      return route_text({one.route.channel, one.route.account, one.route.to});
    }
  }
  return {};
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
    for (const Position message : ended->messages) ++told[{place_of(before, message), why}];
  }
  StreamVersion through = context.version;
  for (const Emitted& one : *decided) {
    if (one.stream.empty()) through = through.next();
  }
  std::size_t added = 0;
  for (const auto& [whose, messages] : told) {
    NotificationRequested request_of;
    request_of.kind = NotificationKind::unanswered;
    request_of.agent = context.target.agent;
    request_of.through = through;
    request_of.unanswered = UnansweredMessages{before.key, messages, whose.second};
    for (const auto target :
         {NotificationTarget::channel, NotificationTarget::webhook, NotificationTarget::desktop}) {
      const bool is_channel = target == NotificationTarget::channel;
      if (!has_sink(context.limits, target) || (is_channel && whose.first.empty())) continue;
      request_of.target = target;
      request_of.channel = whose.first;
      request(*decided, *outbox, request_of, added);
    }
  }
  return decided;
}

}  // namespace domain
