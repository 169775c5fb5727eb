// Decides when the next run of a conversation begins, and in which session.
#include <algorithm>

#include "eventlog/domain/admission/admission.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

// A prompt for which there is no room yet is tried again after this.
constexpr base::Duration kRunAgain = std::chrono::seconds(5);
// The time doubles with each refusal in a row, up to some minutes.
constexpr std::int64_t kRefusalsMax = 6;

void expire(Conversing& d) {
  std::vector<Position> expired;
  for (const QueuedMessage& waiting : d.s.queue.waiting) {
    const Time by = waiting.start_before;
    const bool is_late = by.us != 0 && by <= d.context.wall;
    if (is_late && !is_taken_steer(d.lanes(), d.s, waiting.at)) expired.push_back(waiting.at);
  }
  if (!expired.empty()) d.emit(MessagesEnded{std::move(expired), MessageEnd::expired});
}

// Returns how many tokens the model may think; none: the level leaves it to the agent. Source: the
// budgets of Claude Code's "think", "think hard" and "ultrathink"; the provider takes no less than
// the first.
std::optional<std::int64_t> thinking_tokens(std::string_view level) {
  if (level == "minimal") return 1'024;
  if (level == "low") return 4'000;
  if (level == "medium") return 10'000;
  if (level == "high") return 31'999;
  return std::nullopt;
}

// Returns the spec of a session that is opened now.
SessionSpec spec_of(const ConversationState& s) {
  SessionSpec spec = *s.spec;
  // A subagent has one task, and its session ends with it.
  spec.is_multi_turn = !is_tasked(s);
  // One failed run must not hold up the next messages.
  spec.continues_after_failure = true;
  const std::string_view model = field_of(s.entry, "modelOverride");
  if (!model.empty()) spec.model = model;
  if (const auto tokens = thinking_tokens(field_of(s.entry, "thinkingLevel"))) {
    spec.thinking_tokens = *tokens;
  }
  return spec;
}

// Returns the id of the run that this command begins. The command that gives it to the session has
// it for its own id.
TurnId run_begun_by(const Conversing& d) {
  return TurnId{keyed_id("run", d.s.agent, d.context.command.text()).bytes};
}

// Chooses the session: that of the last run while it lives, else a new one that goes on with it. A
// thread's first one can go on with a copy of the session above it.
void choose_session(const Conversing& d, ConversationRun& run) {
  const SessionId last = d.s.session;
  const auto* admission = d.states.find<AdmissionStream>(kAdmissionStream);
  if (last.is_set() && admission != nullptr && admission->live.contains(last)) {
    run.session = last;
    return;
  }
  run.opens = true;
  run.session = SessionId{run.run.bytes};
  run.resumes = last;
  run.caller = d.s.caller;
  run.spec = spec_of(d.s);
  const std::string_view above = forked_from(d.s, d.policy());
  if (above.empty()) return;
  const auto* source = d.states.find<ConversationStream>(conversation_stream(d.s.agent, above));
  if (source == nullptr || !source->session.is_set()) return;
  run.resumes = source->session;
  run.spec.edit().is_fork = true;
}

}  // namespace

std::string_view forked_from(const ConversationState& s, const ConversationPolicy& policy) {
  const bool is_first = !s.has_begun && !s.session.is_set() && !is_tasked(s);
  return policy.forks_threads && is_first ? std::string_view(s.parent) : std::string_view();
}

Decided decide_one(Conversing d, const AdvanceConversation&) {
  if (d.s.key.empty()) return Decision{};
  expire(d);
  if (d.s.run) {
    tell_lanes(d);
    return std::move(d.decision);
  }
  QueueSettings settings = d.s.settings;
  if (due_of(d.s) <= d.context.now) settings.debounce = {};
  const NextTurn turn = next_turn(d.s.queue, settings, d.context.now);
  const LaneLimits& limits = d.policy().lanes;
  const bool is_due = turn.shape != TurnShape::none && due_of(d.s) <= d.context.now;
  if (!is_due || !has_turn(d.lanes(), d.id(), limits, d.context.now)) {
    tell_lanes(d);
    return std::move(d.decision);
  }
  ConversationRun run;
  run.run = run_begun_by(d);
  run.shape = turn.shape;
  const bool is_alone = d.s.is_immediate && turn.messages.size() == 1 && turn.overflow.dropped == 0;
  if (is_alone) run.shape = TurnShape::single;
  run.messages = turn.messages;
  run.overflow = turn.overflow;
  run.route = turn.route;
  run.files = turn.files;
  choose_session(d, run);
  d.emit(ConversationRunBegun{run, turn.is_mixed});
  d.emit_to_lanes(LaneTaken{d.id(), std::move(run)});
  return std::move(d.decision);
}

Decided decide_one(Conversing d, const RefuseRun& c) {
  if (!d.s.run || d.s.run->run != c.run || d.s.run->is_taken) return Decision{};
  const std::vector<Position> messages = d.s.run->messages;
  const SessionId opened = d.s.run->opens ? d.s.run->session : SessionId{};
  // Somebody has stopped it meanwhile.
  const bool is_stopped = d.s.run->is_to_end;
  const bool is_again = c.is_passing && !is_stopped;
  const auto refusals = std::min<std::int64_t>(d.s.refusals, kRefusalsMax);
  const Time again = is_again ? d.context.now + kRunAgain * (1 << refusals) : Time{};
  d.emit(ConversationRunReturned{c.run, cut_fact(c.why), again, c.is_session_lost});
  if (is_stopped) {
    d.emit(MessagesEnded{messages, MessageEnd::stopped});
  } else if (!c.is_passing) {
    d.emit(MessagesEnded{messages, MessageEnd::refused, 0, cut_fact(c.why)});
  }
  tell_ended_run(d.decision, d.s);
  // A reset has left the session that was to be opened.
  if (d.lanes().left.contains(opened)) d.emit_to_lanes(LeftSessionSettled{opened});
  return std::move(d.decision);
}

Decided decide_one(Conversing d, const SettleSteer& c) {
  const auto work = d.lanes().works.find(d.id());
  if (work == d.lanes().works.end()) return Decision{};
  const auto& steers = work->second.steers;
  const bool is_open = std::any_of(steers.begin(), steers.end(), [&](const Steer& one) {
    return one.message == c.message && !one.is_taken;
  });
  if (is_open) d.emit_to_lanes(SteerSettled{d.id(), c.message});
  return std::move(d.decision);
}

}  // namespace domain
