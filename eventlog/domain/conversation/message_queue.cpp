// Decides and folds. Messages are found by position, so that a fold needs no settings.
#include "eventlog/domain/conversation/message_queue.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

bool is_same_message(const QueuedMessage& a, const QueuedMessage& b, QueueDedupe dedupe,
                     Position same_text) {
  if (dedupe == QueueDedupe::none || a.route != b.route) return false;
  if (const auto id = trimmed(b.id); !id.empty()) return trimmed(a.id) == id;
  return dedupe == QueueDedupe::text && a.at == same_text;
}

// True if one prompt of all of them would have no one place for its answer.
bool is_for_several_places(const QueuedMessages& messages) {
  return std::any_of(messages.begin(), messages.end(), [&](const QueuedMessage& message) {
    const bool has_no_way = message.route != MessageRoute{} && !is_routable(message.route);
    return has_no_way || message.route != messages.front().route;
  });
}

// Returns how many of the oldest go into one prompt. The first one with files is the last.
std::size_t collected_count(const QueuedMessages& messages) {
  std::int64_t bytes = 0;
  std::size_t count = 0;
  while (count < messages.size() && !messages[count].is_alone &&
         messages[count].text_bytes <= kCollectedBytesMax - bytes) {
    bytes += messages[count].text_bytes;
    if (!messages[count++].files->empty()) break;
  }
  return count;
}

// Makes the turn of the `count` oldest messages.
NextTurn turn_of(const MessageQueue& queue, TurnShape shape, std::size_t count) {
  NextTurn turn;
  turn.shape = shape;
  turn.settings_from = queue.last;
  for (std::size_t i = 0; i < count; ++i) {
    const QueuedMessage& message = queue.waiting[i];
    turn.messages.push_back(message.at);
    turn.settings_from = message.at;
    if (turn.route == MessageRoute{}) turn.route = message.route;
    for (const QueuedFile& file : *message.files) turn.files.push_back(file.at);
  }
  if (shape != TurnShape::single) turn.overflow = queue.overflow;
  return turn;
}

NextTurn collected_turn(const MessageQueue& queue) {
  const bool is_mixed = queue.is_mixed || is_for_several_places(queue.waiting);
  const std::size_t count = collected_count(queue.waiting);
  // A mixed queue tells of its overflow last, in a prompt of its own.
  if (queue.waiting.empty() || (!is_mixed && count > 0)) {
    return turn_of(queue, TurnShape::collected, count);
  }
  NextTurn turn = turn_of(queue, TurnShape::single, 1);
  turn.is_mixed = is_mixed;
  return turn;
}

}  // namespace

bool is_routable(const MessageRoute& route) {
  return !route.channel.empty() && !route.to.empty() && route.channel != kInternalChannel;
}

Arrival arrival(QueueMode mode, AgentWork work, const MessageQueue& queue) {
  const bool has_waiting = !queue.waiting.empty() || queue.overflow.dropped > 0;
  if (work == AgentWork::none) return has_waiting ? Arrival::waits : Arrival::starts;
  if (mode == QueueMode::interrupt) return Arrival::interrupts;
  if (work == AgentWork::busy) return Arrival::waits;
  if (mode == QueueMode::steer) return Arrival::steers;
  return mode == QueueMode::steer_backlog ? Arrival::steers_and_waits : Arrival::waits;
}

Admission accept(const MessageQueue& queue, const QueuedMessage& message,
                 const QueueSettings& settings, QueueDedupe dedupe, Position same_text) {
  Admission admission;
  const QueuedMessages& waiting = queue.waiting;
  const auto same = std::find_if(waiting.begin(), waiting.end(), [&](const QueuedMessage& other) {
    return is_same_message(other, message, dedupe, same_text);
  });
  if (same != waiting.end()) {
    admission.outcome = AdmissionOutcome::duplicate;
    admission.duplicate_of = same->at;
    return admission;
  }
  const auto cap =
      static_cast<std::size_t>(std::clamp<std::int64_t>(settings.cap, 1, kQueueCapMax));
  if (waiting.size() < cap) return admission;
  if (settings.drop == QueueDrop::newest) {
    admission.outcome = AdmissionOutcome::refused;
    return admission;
  }
  // More than one, if the cap was lowered meanwhile.
  const auto surplus = static_cast<std::ptrdiff_t>(waiting.size() - cap + 1);
  admission.dropped.assign(waiting.begin(), waiting.begin() + surplus);
  admission.is_summarised = settings.drop == QueueDrop::summarize;
  admission.summaries_max = static_cast<std::int64_t>(cap);
  return admission;
}

void end_messages(MessageQueue& queue, const std::vector<Position>& messages,
                  std::int64_t told_max) {
  std::erase_if(queue.waiting, [&](const QueuedMessage& waiting) {
    return std::find(messages.begin(), messages.end(), waiting.at) != messages.end();
  });
  if (told_max <= 0) return;
  QueueOverflow& overflow = queue.overflow;
  overflow.dropped += static_cast<std::int64_t>(messages.size());
  overflow.latest.insert(overflow.latest.end(), messages.begin(), messages.end());
  const auto kept = std::min(static_cast<std::size_t>(told_max), overflow.latest.size());
  overflow.latest.erase(overflow.latest.begin(),
                        overflow.latest.end() - static_cast<std::ptrdiff_t>(kept));
}

void admit(MessageQueue& queue, const QueuedMessage& message, const Admission& admission) {
  if (admission.outcome != AdmissionOutcome::queued) return;
  std::vector<Position> dropped;
  for (const QueuedMessage& one : admission.dropped) dropped.push_back(one.at);
  end_messages(queue, dropped, admission.is_summarised ? admission.summaries_max : 0);
  queue.waiting.push_back(message);
  queue.last = message.at;
  queue.last_accepted = message.accepted;
}

NextTurn next_turn(const MessageQueue& queue, const QueueSettings& settings, Time now) {
  const bool has_overflow = queue.overflow.dropped > 0;
  if (queue.waiting.empty() && !has_overflow) return {};
  const Time due = queue.last_accepted + settings.debounce;
  if (now < due && settings.mode != QueueMode::interrupt) {
    NextTurn later;
    later.due = due;
    return later;
  }
  if (settings.mode == QueueMode::collect) return collected_turn(queue);
  return has_overflow ? turn_of(queue, TurnShape::overflow, 0)
                      : turn_of(queue, TurnShape::single, 1);
}

void take(MessageQueue& queue, const NextTurn& turn) {
  std::erase_if(queue.waiting, [&](const QueuedMessage& waiting) {
    return std::find(turn.messages.begin(), turn.messages.end(), waiting.at) != turn.messages.end();
  });
  if (turn.overflow.dropped > 0) queue.overflow = {};
  queue.is_mixed = !queue.waiting.empty() && (queue.is_mixed || turn.is_mixed);
}

QueuedMessages clear(MessageQueue& queue) {
  QueuedMessages cleared = std::move(queue.waiting);
  queue = {};
  return cleared;
}

}  // namespace domain
