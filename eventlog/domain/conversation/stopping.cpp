// Stops a conversation: what runs, what waits, and the subagents that work for it.
#include "eventlog/base/check.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/stop_words.hpp"

namespace domain {
namespace {

void stop_subagent(Conversing& d, ConversationState s) {
  const std::string stream = conversation_stream(s.agent, s.key);
  d.decision.emit_to<ConversationStream>(stream, TaskWithdrawn{});
  s.task = {};
  if (has_waiting(s)) {
    d.decision.emit_to<ConversationStream>(stream,
                                           MessagesEnded{waiting_of(s), MessageEnd::stopped});
    s.queue.waiting.clear();
    s.queue.overflow = {};
  }
  if (s.run && !s.run->is_to_end) {
    d.decision.emit_to<ConversationStream>(stream, ConversationRunInterruptRequested{s.run->run});
    d.emit_to_lanes(LaneInterrupted{conversation_id(s.agent, s.key)});
  }
  tell_lanes(d.decision, d.lanes(), s);
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

bool stops_subagents(const ConversationCommand& command) {
  const auto* message = std::get_if<ReceiveMessage>(&command);
  return message != nullptr ? is_stop(*message)
                            : std::holds_alternative<StopConversation>(command) ||
                                  std::holds_alternative<DeleteConversation>(command);
}

std::vector<const LaneWork*> subagents_at_work(const LanesState& lanes, std::string_view key) {
  std::vector<const LaneWork*> all;
  for (const auto& [id, work] : lanes.works) {
    if (work.parent == key) all.push_back(&work);
  }
  return all;
}

void stop_subagents(Conversing& d) {
  for (const LaneWork* work : subagents_at_work(d.lanes(), d.s.key)) {
    const std::string stream = conversation_stream(work->agent, work->key);
    const auto* subagent = d.states.find<ConversationStream>(stream);
    CHECK(subagent != nullptr);
    const bool has_its_task = subagent->task.value != 0 && subagent->inconsistent.value == 0;
    if (has_its_task) stop_subagent(d, *subagent);
  }
}

}  // namespace domain
