// Tells a conversation, in the same decision, that one of its sessions has taken its run, and that
// the run is over. So a run has one end, whatever ends it.
#include <algorithm>
#include <limits>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
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

// Returns how many of the prompts that were added to its turn the agent was given. Where its result
// does not say so it can have been all of them, and none is given twice.
std::int64_t given_with(const SessionCommand& command, TurnId turn) {
  const auto* report = std::get_if<LeaseReport>(&command);
  const auto* result = report == nullptr ? nullptr : std::get_if<ReportTurnResult>(&report->report);
  const bool is_said = result != nullptr && result->turn == turn;
  return is_said ? result->injected : std::numeric_limits<std::int64_t>::max();
}

// The agent was given the first ones that its session took. Some may have been ended since, as by
// a stop.
std::vector<MessageSteered> steered_by(const SessionCommand& command,
                                       const ConversationState& conversation,
                                       const LaneWork& work) {
  const TurnId run = conversation.run->run;
  std::int64_t given = given_with(command, run);
  std::vector<MessageSteered> steered;
  for (const Steer& one : work.steers) {
    if (!one.is_taken || given-- <= 0) continue;
    if (waits(conversation, one.message)) steered.push_back({run, one.message, one.is_kept});
  }
  return steered;
}

// True if the run can do nothing until a person answers, or a pause ends.
bool waits_for_others(const LeaseState& s, TurnId run) {
  if (!s.turn || s.turn->turn != run) return s.pause != EndReason::none;
  return std::any_of(s.asks->begin(), s.asks->end(),
                     [](const OpenAsk& ask) { return is_for_people(ask.kind); });
}

RunEnd end_of(const Decision& decision, TurnId turn) {
  for (const Emitted& emitted : decision) {
    const auto* finished = emitted.event.as<TurnFinished>();
    if (finished != nullptr && finished->turn == turn) return RunEnd::finished;
    const auto* cut = emitted.event.as<TurnInterrupted>();
    if (cut != nullptr && cut->turn == turn) return RunEnd::interrupted;
    const auto* closed = emitted.event.as<SessionClosed>();
    if (closed != nullptr && closed->status == SessionStatus::completed) return RunEnd::finished;
  }
  return RunEnd::failed;
}

void tell_started(Decision& decision, const std::string& stream, const ConversationState& state) {
  const TurnId run = state.run->run;
  decision.emit_to<ConversationStream>(stream, ConversationRunStarted{run});
  const bool is_interrupted =
      state.settings.mode == QueueMode::interrupt && !state.queue.waiting.empty();
  if (!is_interrupted || state.run->is_to_end) return;
  decision.emit_to<ConversationStream>(stream, ConversationRunInterruptRequested{run});
  decision.emit_to<LanesStream>(std::string(kLanesStream),
                                LaneInterrupted{conversation_id(state.agent, state.key)});
}

}  // namespace

Decided telling_conversation(Decided decided, const SessionCommand& command, const States& states,
                             const Context& context) {
  if (!decided) return decided;
  const Deciding d{states, context};
  const std::string key = conversation_of(d.session(), *decided);
  if (key.empty()) return decided;
  const auto* lanes = states.find<LanesStream>(kLanesStream);
  const std::string stream = conversation_stream(context.target.agent, key);
  const auto* conversation = states.find<ConversationStream>(stream);
  if (conversation == nullptr || lanes == nullptr) return decided;
  const SessionId session = context.target.id;
  const bool is_its = conversation->run && conversation->run->session == session;
  const bool is_left = lanes->left.contains(session);
  if (!is_its && !is_left) return decided;
  LeaseState after = lease_state(d.session());
  for (const Emitted& emitted : *decided) {
    if (emitted.stream.empty()) evolve(after, Envelope{}, emitted.event);
  }
  if (is_left && is_terminal(after.status)) {
    decided->emit_to<LanesStream>(std::string(kLanesStream), LeftSessionSettled{session});
  }
  if (!is_its) return decided;
  const ConversationRun& run = *conversation->run;
  const auto work = lanes->works.find(conversation_id(context.target.agent, key));
  if (work == lanes->works.end()) return decided;
  bool is_taken = run.is_taken;
  bool is_started = false;
  for (const Emitted& emitted : *decided) {
    const auto* queued = emitted.event.as<TurnQueued>();
    is_taken |= queued != nullptr && queued->turn == run.run;
    const auto* started = emitted.event.as<TurnStarted>();
    is_started |= started != nullptr && started->turn == run.run;
  }
  if (!is_taken) return decided;
  if (!run.is_taken) decided->emit_to<ConversationStream>(stream, ConversationRunTaken{run.run});
  if (is_started && !conversation->is_started) tell_started(*decided, stream, *conversation);
  // The session of one turn goes on until the agent's tasks in the background have ended.
  const bool is_turn_over = d.session().spec.is_multi_turn && !has_turn(after, run.run);
  if (!is_live(after.status) || is_turn_over) {
    end_run(*decided, *conversation, end_of(*decided, run.run),
            steered_by(command, *conversation, work->second));
    return decided;
  }
  const bool is_held = waits_for_others(after, run.run);
  if (is_held != work->second.is_held) {
    decided->emit_to<LanesStream>(std::string(kLanesStream), LaneHeld{work->first, is_held});
  }
  return decided;
}

}  // namespace domain
