// Tells a conversation, in the same decision, that one of its sessions has taken its run, and that
// the run is over. So a run has one end, whatever ends it.
#include <algorithm>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/lanes.hpp"
#include "eventlog/domain/session/deciding.hpp"

namespace domain {
namespace {

bool has_turn(const SessionWork& s, TurnId turn) {
  if (s.turn && s.turn->turn == turn) return true;
  return std::any_of(s.queue.begin(), s.queue.end(),
                     [&](const QueuedTurn& queued) { return queued.turn == turn; });
}

// Returns the key of the conversation for which the session works, or is being opened.
std::string conversation_of(const SessionState& s, const Decision& decision) {
  if (s.status != SessionStatus::none) return s.descriptor->conversation;
  for (const Emitted& emitted : decision) {
    const auto* opened = emitted.event.as<SessionOpened>();
    if (opened != nullptr) return opened->descriptor->conversation;
  }
  return {};
}

RunEnd end_of(const Decision& decision, TurnId turn) {
  for (const Emitted& emitted : decision) {
    const auto* finished = emitted.event.as<TurnFinished>();
    if (finished != nullptr && finished->turn == turn) return RunEnd::finished;
    const auto* cut = emitted.event.as<TurnInterrupted>();
    if (cut != nullptr && cut->turn == turn) return RunEnd::interrupted;
  }
  return RunEnd::failed;
}

}  // namespace

Decided telling_conversation(Decided decided, const States& states, const Context& context) {
  if (!decided) return decided;
  const Deciding d{states, context};
  const std::string key = conversation_of(d.session(), *decided);
  if (key.empty()) return decided;
  const std::string stream = conversation_stream(context.target.agent, key);
  const auto* conversation = states.find<ConversationStream>(stream);
  if (conversation == nullptr || !conversation->run) return decided;
  const ConversationRun& run = *conversation->run;
  if (run.session != context.target.id) return decided;
  LeaseState after = lease_state(d.session());
  for (const Emitted& emitted : *decided) {
    if (emitted.stream.empty()) evolve(after, Envelope{}, emitted.event);
  }
  bool is_taken = run.is_taken;
  for (const Emitted& emitted : *decided) {
    const auto* queued = emitted.event.as<TurnQueued>();
    is_taken |= queued != nullptr && queued->turn == run.run;
  }
  if (is_taken && !run.is_taken)
    decided->emit_to<ConversationStream>(stream, ConversationRunTaken{run.run});
  const bool is_over = is_taken && (!is_live(after.status) || !has_turn(after, run.run));
  if (is_over) end_run(*decided, *conversation, end_of(*decided, run.run));
  return decided;
}

}  // namespace domain
