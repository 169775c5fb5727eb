// Decides prompts, interrupts, and ends that a client asks for, and what a person has seen.
#include <algorithm>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/lanes.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {

namespace {

// True if somebody asked for it already. For a limit alone it can still be asked for.
bool is_asked_to_end(const CurrentTurn& turn) {
  return turn.is_interrupt_requested && turn.stop == EndReason::none;
}
bool is_own_asked_to_end(const SessionState& s) {
  return s.is_own_turn_to_end && s.own_stop == EndReason::none;
}

Decided kill(Deciding d) {
  d.interrupt_turns(EndReason::user);
  d.close(SessionStatus::killed, EndReason::user);
  return std::move(d.decision);
}

// Returns why `from` cannot be the sender; none: it is a session of this agent, or nobody is named.
std::optional<Rejection> check_sender(const Deciding& d, SessionId from) {
  if (!from.is_set() || from == d.session().session) return std::nullopt;
  const auto* sender = d.states.find<SessionStream>(session_stream(d.agent(), from));
  if (sender != nullptr && sender->status != SessionStatus::none) return std::nullopt;
  return Rejection{RejectionCode::not_found,
                   "there is no session " + from.text() + " of agent '" + d.agent() +
                       "' to send the prompt from; name one of this agent's, or none"};
}

// Returns the turn that runs, or that is the next to be started; unset: there is none.
TurnId turn_meant(const SessionState& s) {
  // A prompt that came meanwhile waits in the agent for the end of the agent's own turn.
  if (s.own_turn.is_set()) return s.own_turn;
  if (s.turn) return s.turn->turn;
  const bool is_startable = s.pause == EndReason::none || s.pause == EndReason::deferred;
  const bool is_next = !s.queue.empty() && is_startable;
  return is_next ? s.queue.front().turn : TurnId{};
}

// Returns the bytes of all files of the session's only turn.
std::int64_t attached_bytes(const SessionState& s) {
  const auto of_turn = [](const auto& turn) {
    std::int64_t bytes = bytes_of(turn.files);
    for (const InjectedPrompt& one : *turn.injected) bytes += bytes_of(one.files);
    return bytes;
  };
  return s.turn ? of_turn(*s.turn) : of_turn(s.queue.front());
}

// Returns why the session's only turn takes no further prompt; none: it does.
std::optional<Rejection> check_injection(const Deciding& d, const SendPrompt& c) {
  const SessionState& s = d.session();
  const auto refused = [&](std::string_view why) {
    return Rejection{RejectionCode::not_accepting,
                     "session " + label(s) + " is single-turn" + std::string(why)};
  };
  const auto& injecting = d.context.injecting_engines;
  if (std::find(injecting.begin(), injecting.end(), s.spec.engine) == injecting.end()) {
    return refused(
        ", and its agent takes no prompt while it works; wait for its end and resume "
        "it, or spawn it as multi-turn");
  }
  if (!only_turn(s).is_set()) {
    return refused(", and its turn is over; wait for its end and resume it");
  }
  if (s.turn && s.turn->is_interrupt_requested) {
    return refused(", and its turn is being ended; resume it then");
  }
  if (c.is_interrupting) {
    return refused(
        " and ends with its turn if that is interrupted; send the prompt without an "
        "interrupt to add it to the turn, or interrupt it and resume it then");
  }
  const InjectedPrompts& injected = s.turn ? s.turn->injected : s.queue.front().injected;
  auto bytes = static_cast<std::int64_t>(c.prompt.size());
  for (const InjectedPrompt& one : injected) bytes += one.bytes;
  if (auto bad = check_files(c.files, attached_bytes(s))) return bad;
  const std::int64_t most = d.context.limits.queue_max;
  if (static_cast<std::int64_t>(injected.size()) < most && bytes <= kInjectedBytesMax) {
    return std::nullopt;
  }
  return Rejection{RejectionCode::limit_reached,
                   "so much cannot be added to the turn of session " + label(s) + ": " +
                       std::to_string(most) + " prompts at most (queue_max), of " +
                       std::to_string(kInjectedBytesMax) +
                       " bytes together; wait for its end and resume it"};
}

// Returns why the turn under way takes no message of the conversation; none: it does.
std::optional<Rejection> check_steer(const Deciding& d, const SteerTurn& c) {
  const SessionState& s = d.session();
  const auto refused = [&](const std::string& why) {
    return Rejection{RejectionCode::not_accepting, "session " + label(s) + " " + why};
  };
  const std::string& key = s.descriptor->conversation;
  const auto* conversation = d.states.find<ConversationStream>(conversation_stream(d.agent(), key));
  const auto* lanes = d.states.find<LanesStream>(kLanesStream);
  const bool is_its = conversation != nullptr && lanes != nullptr && conversation->run && s.turn &&
                      conversation->run->run == s.turn->turn;
  const bool is_left = lanes != nullptr && lanes->left.contains(d.context.target.id);
  if (!is_its || is_left || s.is_close_requested)
    return refused("does not work on a run of its conversation now");
  const auto work = lanes->works.find(conversation_id(d.agent(), key));
  const bool is_offered =
      work != lanes->works.end() &&
      std::any_of(work->second.steers.begin(), work->second.steers.end(),
                  [&](const Steer& one) { return one.message == c.message && !one.is_taken; });
  if (!waits(*conversation, c.message) || !is_offered)
    return refused("is offered that message no more");
  const auto& injecting = d.context.injecting_engines;
  const bool is_injecting =
      std::find(injecting.begin(), injecting.end(), s.spec.engine) != injecting.end();
  const bool is_open = is_injecting && !s.turn->is_interrupt_requested && !s.turn->is_continued &&
                       s.turn->deferred->empty();
  if (!is_open) return refused("takes no prompt while it works");
  auto bytes = static_cast<std::int64_t>(c.prompt.size());
  for (const InjectedPrompt& one : *s.turn->injected) bytes += one.bytes;
  const bool has_room =
      static_cast<std::int64_t>(s.turn->injected->size()) < d.context.limits.queue_max &&
      bytes <= kInjectedBytesMax;
  if (!has_room) return refused("can be given no more within this turn");
  return std::nullopt;
}

}  // namespace

Decided decide_one(Deciding d, const SteerTurn& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (auto bad = check_steer(d, c)) return tl::unexpected(*bad);
  d.emit(PromptInjected{s.turn->turn}, c.prompt);
  d.emit_to<LanesStream>(
      std::string(kLanesStream),
      SteerSettled{conversation_id(d.agent(), s.descriptor->conversation), c.message, true});
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const SendPrompt& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (auto bad = check_prompt(c.prompt, c.files)) return tl::unexpected(*bad);
  if (auto bad = check_takes_files(c.files, s.spec.engine, d.context.file_engines)) {
    return tl::unexpected(*bad);
  }
  if (auto bad = check_length("place", c.place.size(), kFactBytesMax)) return tl::unexpected(*bad);
  if (auto fault = channel_fault(c.place)) return reject(RejectionCode::invalid, *fault);
  if (auto bad = check_sender(d, c.from)) return tl::unexpected(*bad);
  if (auto bad = check_start(c.start_before, d.context)) return tl::unexpected(*bad);
  if (s.is_close_requested) {
    return reject(RejectionCode::not_accepting, "session " + label(s) + " is closing");
  }
  if (!s.spec.is_multi_turn) {
    if (auto bad = check_injection(d, c)) return tl::unexpected(*bad);
  } else if (static_cast<std::int64_t>(s.queue.size()) >= d.context.limits.queue_max) {
    return reject(RejectionCode::limit_reached, std::to_string(s.queue.size()) +
                                                    " prompts are waiting in session " + label(s) +
                                                    " (queue_max); wait until some are done");
  }
  if (d.is_over_budget()) {
    return tl::unexpected(over_budget(d, "close it, and resume it with a larger one"));
  }
  if (const EndReason limit = d.limit_reached(); limit != EndReason::none) {
    return reject(RejectionCode::over_budget, "session " + label(s) + " has used up its " +
                                                  std::string(base::enum_name(limit)) +
                                                  "; close it, and resume it, which counts anew");
  }
  if (!s.spec.is_multi_turn) {
    const TurnId turn = only_turn(s);
    auto files = attach(d, turn, c.files);
    d.emit(PromptInjected{turn, c.from, std::move(files)}, c.prompt);
    return std::move(d.decision);
  }
  const QueuedTurn queued{TurnId{d.context.command.bytes}, {}, {}, c.start_before};
  auto files = attach(d, queued.turn, c.files);
  d.emit(TurnQueued{queued.turn, c.from, c.start_before, std::move(files), c.place}, c.prompt);
  const bool is_for_own = c.is_interrupting && s.own_turn.is_set();
  if (is_for_own && !is_own_asked_to_end(s)) d.emit(InterruptRequested{s.own_turn});
  if (s.turn) {
    if (c.is_interrupting && !is_for_own && !is_asked_to_end(*s.turn)) {
      d.emit(InterruptRequested{s.turn->turn});
    }
  } else if (c.is_interrupting && !s.queue.empty() && !s.queue.front().deferred->empty()) {
    d.close_deferred(AskEnd::withdrawn);
    d.emit(TurnInterrupted{s.queue.front().turn, EndReason::user, {}});
    d.go_on_with_answer();
  } else if (s.lease && s.queue.empty()) {
    d.start_turn(queued, s.lease->token);
  } else if (s.queue.empty() && !d.has_place()) {
    d.emit(QueuePaused{EndReason::session_limit});
  }
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const InterruptTurn& asked) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  InterruptTurn c = asked;
  if (!c.turn.is_set()) c.turn = turn_meant(s);
  if (!c.turn.is_set()) {
    return reject(RejectionCode::turn_not_running,
                  "session " + label(s) +
                      (s.queue.empty() ? " runs no turn now, and no prompt waits for it"
                                       : " runs no turn now, and its prompts are paused"));
  }
  if (s.turn && s.turn->turn == c.turn) {
    // No agent works on it that could end it.
    if (s.turn->is_continued) return kill(std::move(d));
    if (!is_asked_to_end(*s.turn)) d.emit(InterruptRequested{c.turn});
    return std::move(d.decision);
  }
  if (c.turn.is_set() && s.own_turn == c.turn) {
    if (!is_own_asked_to_end(s)) d.emit(InterruptRequested{c.turn});
    return std::move(d.decision);
  }
  const auto queued = std::find_if(s.queue.begin(), s.queue.end(),
                                   [&](const QueuedTurn& q) { return q.turn == c.turn; });
  if (queued == s.queue.end()) {
    return reject(RejectionCode::turn_not_running,
                  "turn " + c.turn.text() + " of session " + label(s) + " does not run");
  }
  if (!queued->deferred->empty()) d.close_deferred(AskEnd::withdrawn);
  d.emit(TurnInterrupted{c.turn, EndReason::user, {}});
  const bool was_last = !s.turn && s.queue.size() == 1;
  if (was_last) d.settle_emptied(SessionStatus::killed, EndReason::user);
  if (!was_last) d.go_on_with_answer();
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const KillSession&) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  if (is_terminal(s.status)) return Decision{};
  return kill(std::move(d));
}

Decided decide_one(Deciding d, const ContinueSession&) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (s.pause == EndReason::none) return Decision{};
  if (s.pause == EndReason::session_limit) {
    if (d.has_place()) return Decision{};  // it is about to go on
    const auto* admission = d.states.find<AdmissionStream>(kAdmissionStream);
    return tl::unexpected(no_place(*admission, d.context,
                                   "its prompts go on by themselves when a place is free; kill or "
                                   "close one, or raise the limit"));
  }
  const bool is_behind_cap = is_cap(s.pause) && d.cap_reached() != EndReason::none;
  if (is_behind_cap) return tl::unexpected(over_cap(d));
  d.emit(QueueContinued{});
  // Whoever says so knows that the limit is over, or wants to see.
  if (d.usage_limit().us != 0) {
    d.emit_to<BudgetStream>(budget_stream(d.agent()), UsageLimitSet{s.session, s.spec.engine, {}});
    d.has_lifted_limit = true;
  }
  if (s.lease) d.start_next_turn(s.lease->token);
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const DismissAttention& c) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  const Attention need = attention_of(s);
  const bool is_meant = c.need == Attention::none || c.need == need;
  if (need == Attention::none || !is_meant || s.is_dismissed) return Decision{};
  d.emit(AttentionDismissed{});
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const CloseSession& c) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  const bool is_known = s.is_close_requested && (s.is_close_now || !c.is_now);
  if (is_terminal(s.status) || is_known) return Decision{};
  d.emit(CloseRequested{c.is_now});
  const bool is_cut_off = c.is_now && (s.own_turn.is_set() || s.tasks > 0);
  if (!s.turn && s.queue.empty() && (!s.lease || is_cut_off)) d.close_as_asked();
  return std::move(d.decision);
}

}  // namespace domain
