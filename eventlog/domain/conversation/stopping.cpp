// Stops a conversation: what runs, what waits, and the tasks that it has given to subagents.
#include <utility>

#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/stop_words.hpp"
#include "eventlog/domain/outbox/outbox.hpp"

namespace domain {
namespace {

// Messages that people have sent to the subagent behind its task stay.
void stop_task(Conversing& d, ConversationState s) {
  const std::string stream = conversation_stream(s.agent, s.key);
  const Position task = std::exchange(s.task, {});
  d.decision.emit_to<ConversationStream>(stream, TaskWithdrawn{});
  if (waits(s, task)) {
    d.decision.emit_to<ConversationStream>(stream, MessagesEnded{{task}, MessageEnd::stopped});
    end_messages(s.queue, {task}, 0);
    s.queue.overflow = {};
  }
  if (s.run && has_task(*s.run, task) && !s.run->is_to_end) {
    d.decision.emit_to<ConversationStream>(stream, ConversationRunInterruptRequested{s.run->run});
    d.emit_to_lanes(LaneInterrupted{conversation_id(s.agent, s.key)});
  }
  tell_lanes(d.decision, d.lanes(), s);
}

// Drops what is still to be told of tasks that have ended.
void drop_announcements(Conversing& d) {
  const auto* outbox = d.states.find<OutboxStream>(kOutboxStream);
  if (outbox == nullptr) return;
  for (const auto& [position, open] : outbox->open) {
    if (*open.requested.parent_key != d.s.key) continue;
    d.decision.emit_to<OutboxStream>(std::string(kOutboxStream),
                                     NotificationDropped{position, DropReason::superseded});
  }
}

}  // namespace

bool is_stop(const ReceiveMessage& c) {
  return is_stop_request(c.text, c.is_authorised);
}

std::vector<Position> waiting_of(const ConversationState& s) {
  std::vector<Position> all;
  for (const QueuedMessage& message : s.queue.waiting) all.push_back(message.at);
  return all;
}

void stop(Conversing& d) {
  if (has_waiting(d.s)) d.emit(MessagesEnded{waiting_of(d.s), MessageEnd::stopped});
  if (d.s.run && !d.s.run->is_to_end) {
    d.emit(ConversationRunInterruptRequested{d.s.run->run});
    d.emit_to_lanes(LaneInterrupted{d.id()});
  }
  stop_subagents(d);
}

std::string_view key_to_stop(const ConversationCommand& command) {
  if (const auto* message = std::get_if<ReceiveMessage>(&command)) {
    return is_stop(*message) ? std::string_view(message->session_key) : std::string_view();
  }
  if (const auto* stop = std::get_if<StopConversation>(&command)) return stop->session_key;
  const auto* deletion = std::get_if<DeleteConversation>(&command);
  return deletion == nullptr ? std::string_view() : std::string_view(deletion->session_key);
}

std::vector<const LaneWork*> subagents_at_work(const LanesState& lanes, std::string_view key) {
  std::vector<const LaneWork*> all;
  for (const auto& [id, work] : lanes.works) {
    if (!key.empty() && work.parent == key) all.push_back(&work);
  }
  return all;
}

void stop_subagents(Conversing& d) {
  for (const LaneWork* work : subagents_at_work(d.lanes(), d.s.key)) {
    const std::string stream = conversation_stream(work->agent, work->key);
    const auto* subagent = d.states.find<ConversationStream>(stream);
    // A deleted conversation of the same key has given it the task, and stopped that.
    if (subagent == nullptr) continue;
    const bool has_its_task = subagent->task.value != 0 && subagent->inconsistent.value == 0;
    if (has_its_task) stop_task(d, *subagent);
  }
  drop_announcements(d);
}

}  // namespace domain
