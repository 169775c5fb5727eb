// Decides the reports of a session's worker. A report counts once, in sequence, and only under the
// current lease.
#include <algorithm>

#include "eventlog/base/mutant.hpp"
#include "eventlog/domain/session/agent_exit.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

using base::Mutant;
using base::mutant;

// A smaller difference between totals comes from their rounding.
constexpr NanoUsd kLeastUnheard{100'000};

bool is_current(const SessionState& s, const TurnId& turn) {
  return s.turn && s.turn->turn == turn;
}

void report(Deciding& d, const ReportAgentStarted& r) {
  d.emit(AgentStarted{r.pid, r.start_ticks, cut_fact(r.prices)});
}

void report(Deciding& d, const ReportStartFailed& r) {
  const SessionState& s = d.session();
  d.emit(AgentStartFailed{}, r.text);
  d.end_lease(LeaseReleased{s.lease->token});
  if (!is_live(s.status)) return;
  d.interrupt_own_turn(EndReason::start_failed);
  if (s.turn) return d.return_unbegun(EndReason::start_failed);
  if (s.queue.empty() && (!s.spec.is_multi_turn || s.is_close_requested)) {
    d.close(SessionStatus::failed, EndReason::start_failed);
  }
}

void report(Deciding& d, const ReportInitialized& r) {
  d.emit(AgentInitialized{cut_fact(r.agent_session), cut_fact(r.model), cut_fact(r.agent_version),
                          r.is_unpriced});
}

// A report counts towards a limit. Work that goes on is ended by the next report of spending, or
// when its time to obey is over.
void interrupt_at_limit(Deciding& d) {
  const EndReason limit = d.limit_reached();
  if (limit != EndReason::none && is_live(d.session().status)) d.interrupt_work(limit);
}

void report(Deciding& d, const ReportOutput& r) {
  d.emit(OutputRecorded{r.turn, d.session().blocks + 1, r.kind, cut_fact(r.parent),
                        cut_fact(r.message)},
         r.text);
  interrupt_at_limit(d);
}

void report(Deciding& d, const ReportPartialOutput& r) {
  d.emit(PartialOutputRecorded{r.turn, d.session().blocks + 1}, r.text);
}

void report(Deciding& d, const ReportToolCallStarted& r) {
  const std::int64_t repeats = std::clamp<std::int64_t>(r.repeats, 0, base::kIntegerLimit - 1);
  const std::int64_t limit = d.session().spec.repeated_calls_max;
  d.emit(ToolCallStarted{r.turn, cut_fact(r.call), cut_fact(r.tool), cut_fact(r.parent),
                         cut_fact(r.message), repeats},
         r.input);
  interrupt_at_limit(d);
  if (limit <= 0 || repeats < limit || !is_live(d.session().status)) return;
  constexpr std::int64_t kLeastRepeats = 2;  // a first call has none
  if (repeats == std::max(limit, kLeastRepeats))
    d.emit(ToolCallsRepeated{r.turn, cut_fact(r.tool), repeats, cut_fact(r.parent)});
  const bool is_limited = d.limit_reached() != EndReason::none;
  if (repeats / 2 >= limit && !is_limited) d.stop_turn(r.turn, EndReason::repeated_calls);
}

// The tool of a denied call; an event that names none is of an earlier release, and not counted.
std::string tool_name(const std::string& tool) {
  return tool.empty() ? "unknown" : cut_fact(tool);
}

// True if a person, or a rule of one, has denied the call: that is no lack of a permission.
bool is_decided(const SessionState& s, const std::string& call) {
  const auto denies = [&](const auto& ask) {
    const bool is_by_people = ask.basis == AskBasis::person || ask.basis == AskBasis::rule ||
                              ask.basis == AskBasis::hook || ask.basis == AskBasis::earlier;
    return ask.call == call && ask.verdict == AskVerdict::denied && is_by_people;
  };
  return !call.empty() && (std::any_of(s.asks->begin(), s.asks->end(), denies) ||
                           std::any_of(s.past_asks->begin(), s.past_asks->end(), denies));
}

// True if the denied call lacked a permission. An interrupt rejects the calls of its turn, too.
bool lacks_permission(const SessionState& s, const TurnId& turn, const std::string& call) {
  const bool is_interrupted =
      is_current(s, turn) ? s.turn->is_interrupt_requested
                          : s.own_turn.is_set() && s.own_turn == turn && s.is_own_turn_to_end;
  return !is_interrupted && !is_decided(s, call);
}

void report(Deciding& d, const ReportToolCallFinished& r) {
  const bool lacks = r.is_denied && lacks_permission(d.session(), r.turn, r.call);
  d.emit(ToolCallFinished{r.turn, cut_fact(r.call), r.is_error, r.is_denied, cut_fact(r.parent),
                          lacks ? tool_name(r.tool) : std::string()},
         r.output);
  interrupt_at_limit(d);
}

void report(Deciding& d, ToolCallDenied r) {
  const bool lacks = lacks_permission(d.session(), r.turn, r.call);
  if (!lacks) return d.emit(ReportIgnored{std::string(r.kType)});
  r.call = cut_fact(r.call);
  r.tool = tool_name(r.tool);
  d.emit(std::move(r));
}

void report(Deciding& d, const ReportAgentNoted& r) {
  d.emit(AgentNoted{r.turn, cut_fact(r.level), cut_fact(r.tag), cut_fact(r.call)}, r.text);
  const bool is_unchecked = r.tag == kHookNoVerdict && d.session().spec.hooks_must_answer;
  if (is_unchecked && is_live(d.session().status)) d.stop_turn(r.turn, EndReason::hook_unanswered);
}

// An agent has few servers; of more, people read the first.
constexpr std::size_t kMcpServersMax = 64;

void report(Deciding& d, McpServersReported r) {
  if (r.broken.size() > kMcpServersMax) r.broken.resize(kMcpServersMax);
  std::string all;
  for (std::string& server : r.broken) {
    server = cut_fact(server);
    all += (all.empty() ? "" : ", ") + server;
  }
  d.emit(std::move(r));
  const SessionState& s = d.session();
  // A session that has run goes on with what it has.
  const bool has_worked = s.blocks > 0 || s.usage != Usage{} || !s.turn_spent->empty();
  if (all.empty() || !s.spec.mcp_must_connect || has_worked || !is_live(s.status)) return;
  d.emit(AgentStartFailed{}, "MCP servers of the agent are not connected (" + all +
                                 "), and mcp_must_connect says that they must be; mend their "
                                 "configuration, or resume the session without that setting");
  d.fail(EndReason::start_failed);
}

void report(Deciding& d, SettingsTold r) {
  r.refusal = cut_fact(r.refusal);
  d.emit(std::move(r));
}

// An agent has some dozens.
constexpr std::size_t kSlashCommandsMax = 256;

void report(Deciding& d, SlashCommandsReported r) {
  if (r.commands.size() > kSlashCommandsMax) r.commands.resize(kSlashCommandsMax);
  for (std::string& command : r.commands) command = cut_fact(command);
  d.emit(std::move(r));
}

void report(Deciding& d, const ReportAgentLine& r) {
  d.emit(AgentLineRecorded{r.fault, r.line_bytes}, r.line);
}

void report(Deciding& d, ModelCallRetried r) {
  r.error = cut_fact(r.error);
  d.emit(std::move(r));
}

void report(Deciding& d, ModelFellBack r) {
  r.from = cut_fact(r.from);
  r.to = cut_fact(r.to);
  r.cause = cut_fact(r.cause);
  d.emit(std::move(r));
}

void report(Deciding& d, RateLimitReported r) {
  r.status = cut_fact(r.status);
  r.limit = cut_fact(r.limit);
  const Time wall = d.context.wall;
  const bool is_near = r.resets_at > wall && r.resets_at - wall <= kUsageLimitMax;
  const bool blocks = r.status == "rejected" && !r.is_overage && is_near;
  r.blocks_until = blocks ? r.resets_at + kUsageLimitMargin : Time{};
  d.emit(std::move(r));
}

void report(Deciding& d, TranscriptWritesLost r) {
  r.error = cut_fact(r.error);
  d.emit(std::move(r));
}

void report(Deciding& d, AgentSessionShared r) {
  r.agent_session = cut_fact(r.agent_session);
  r.message = cut_fact(r.message);
  d.emit(std::move(r));
}

void report(Deciding& d, ContextCompacted r) {
  r.number = d.session().compactions + 1;
  d.emit(r);
}

void report(Deciding& d, AgentStatusReported r) {
  r.status = cut_fact(r.status);
  r.permission_mode = cut_fact(r.permission_mode);
  r.error = cut_fact(r.error);
  r.is_kept = !r.permission_mode.empty();
  d.emit(std::move(r));
}

void report(Deciding& d, const AgentSilenceReported& r) {
  d.emit(r);
}

void report(Deciding& d, const ReportAgentSessionLost& r) {
  const SessionState& s = d.session();
  const std::string& resumed = s.lease->resume_agent_session.empty()
                                   ? *s.spec.resume_agent_session
                                   : s.lease->resume_agent_session;
  if (resumed.empty() || !is_live(s.status)) return d.emit(ReportIgnored{std::string(r.kType)});
  d.close_deferred(AskEnd::agent_gone);
  d.emit(AgentSessionLost{resumed}, r.text);
  d.release_agent_session();
  // The record holds nothing of a conversation that began elsewhere, so no new agent can be told.
  if (is_foreign(s) && s.agent_session.empty()) d.fail(EndReason::start_failed);
}

void report(Deciding& d, const ReportAskRaised& r) {
  raise_ask(d, r);
}

void report(Deciding& d, const ReportAskClosed& r) {
  close_ask(d, r);
}

void report(Deciding& d, const ReportOwnTurnStarted& r) {
  const SessionState& s = d.session();
  const bool is_new = r.turn.is_set() && !s.own_turn.is_set() && !is_current(s, r.turn);
  if (!is_new || !is_live(s.status)) return d.emit(ReportIgnored{std::string(r.kType)});
  d.emit(OwnTurnStarted{r.turn, r.cause, cut_fact(r.task), r.of});
}

// Returns the cost of a turn whose agent told totals only. Both are the agent's claims, so their
// difference can exceed the range of the wire.
TurnCost cost_by_totals(const SessionState& s, const ReportTurnResult& r) {
  TurnCost cost{r.usage, {}, r.agent_total, r.model_calls, r.took};
  cost.cost.value = std::clamp<std::int64_t>(r.agent_total.value - s.agent_total.value, 0,
                                             base::kIntegerLimit - 1);
  return cost;
}

// Returns the agent's running total behind a result of which so much is new. A version that does
// not say with which total it began begins each process at zero: then the known one goes on.
NanoUsd total_behind(const SessionState& s, const ReportTurnResult& r, NanoUsd more) {
  const bool is_lower = r.agent_total.value != 0 && r.agent_total < s.agent_total;
  if (!is_lower || r.agent_base.value >= 0) return r.agent_total;
  NanoUsd total = running_total(s);
  add_bounded(total.value, more.value);
  return total;
}

// Returns the cost of the turn that the result ends, with what was booked for it before.
TurnCost turn_cost(const SessionState& s, const ReportTurnResult& r) {
  if (r.basis == CostBasis::totals) return cost_by_totals(s, r);
  TurnCost cost{{}, {}, r.agent_total, r.model_calls, r.took, r.basis};
  cost.booked = s.own_turn == r.turn ? s.own_spent : s.turn_spent;
  cost.spent = cost.booked;
  add(cost.spent, proper(r.spent));
  // The result tells what all its calls have cost, also those of which only the use was told.
  const bool is_settled = r.basis != CostBasis::unknown;
  for (ModelSpending& each : cost.spent) each.is_unpriced &= !is_settled;
  cost.usage = usage_of(cost.spent);
  cost.cost = cost_of(cost.spent);
  cost.agent_total = total_behind(s, r, unbooked(cost).cost);
  cost.claimed = r.claimed;
  if (r.claimed.value != 0) add_bounded(cost.claimed.value, cost_of(cost.booked).value);
  return cost;
}

void report(Deciding& d, const ReportSpending& r) {
  Spending spent = proper(r.spent);
  if (spent.empty()) return d.emit(ReportIgnored{std::string(r.kType)});
  // The result of a turn tells what its use has cost.
  const SessionState& s = d.session();
  const bool is_of_turn = is_current(s, r.turn) || (r.turn.is_set() && s.own_turn == r.turn);
  const bool is_known = is_of_turn || !has_unpriced(spent);
  d.emit(SpendingRecorded{r.turn, std::move(spent),
                          is_known ? CostBasis::reported : CostBasis::unknown});
  if (!is_live(s.status)) return;
  if (d.is_over_budget()) return d.stop_spending();
  EndReason limit = d.limit_reached();
  if (limit == EndReason::none) limit = d.cap_reached();
  if (limit != EndReason::none) d.stop_work(limit);
}

// If the agent process began with a higher total than it should have, the difference was spent
// where nobody listened.
void book_unheard(Deciding& d, const ReportTurnResult& r) {
  const SessionState& s = d.session();
  if (r.agent_base.value < 0 || !s.total_at_start) return;
  const std::int64_t unheard = r.agent_base.value - s.total_at_start->value;
  if (unheard < kLeastUnheard.value) return;
  // The agent guesses the price of a model that has none, so its figure is no cost.
  const bool is_priced = !has_unpriced(r.spent) && !has_unpriced(s.turn_spent);
  const Spending spent = is_priced ? Spending{{{}, {}, {unheard}}} : Spending{};
  d.emit(SpendingRecorded{{}, proper(spent), CostBasis::unknown});
}

// Books what a result tells that ends no turn, such as that of a turn that was killed.
void book_late(Deciding& d, const ReportTurnResult& r) {
  Spending spent = proper(r.spent);
  if (spent.empty()) return d.emit(ReportIgnored{std::string(r.kType)});
  const NanoUsd total = total_behind(d.session(), r, cost_of(spent));
  d.emit(SpendingRecorded{r.turn, std::move(spent), r.basis, total});
}

// Books what the turn has spent, without ending it.
void book_so_far(Deciding& d, const ReportTurnResult& r) {
  Spending spent = proper(r.spent);
  if (r.basis == CostBasis::totals) {
    const TurnCost cost = cost_by_totals(d.session(), r);
    spent = proper({{{}, cost.usage, cost.cost}});
  }
  if (!spent.empty() || r.basis > CostBasis::reported || r.agent_total.value != 0) {
    const NanoUsd total = total_behind(d.session(), r, cost_of(spent));
    d.emit(SpendingRecorded{r.turn, std::move(spent), r.basis, total});
  }
}

// The answer came before the agent was given all prompts of its turn. This agent is done with the
// turn, and the next one goes on with the rest.
void continue_turn(Deciding& d, const ReportTurnResult& r) {
  book_so_far(d, r);
  d.emit(TurnContinued{r.turn, std::max<std::int64_t>(r.injected, 0)});
}

void end_turn(Deciding& d, const ReportTurnResult& r) {
  const SessionState& s = d.session();
  const TurnCost cost = turn_cost(s, r);
  if (!r.is_error) {
    const bool is_own = d.has_own_turn && s.own_turn == r.turn;
    // Without a call of the model, or without a prompt, nobody is owed an answer.
    const bool is_owed = !r.text.empty() || (r.model_calls > 0 && !is_own);
    const bool is_answer = r.is_unsaid && is_owed;
    return d.emit(TurnFinished{r.turn, cost, cut_fact(r.terminal_reason), is_answer}, r.text);
  }
  d.emit(TurnFailed{r.turn, cut_fact(r.subtype), cut_fact(r.terminal_reason), r.api_status, cost},
         r.text);
}

// Returns why a session fails that fails with this turn. The agent guesses the price of a model
// that has none, so what it says of the budget then does not count.
EndReason failure_of(const SessionState& s, const ReportTurnResult& r) {
  const bool is_unpriced =
      r.basis == CostBasis::unknown &&
      (has_unpriced(r.spent) || has_unpriced(s.turn_spent) || has_unpriced(s.own_spent));
  const bool is_budget = r.subtype == "error_max_budget_usd" && !is_unpriced;
  return is_budget ? EndReason::budget : EndReason::turn_error;
}

// Returns the limit besides money that the session has reached with its only turn, which ends with
// this result; none also for a multi-turn session, which is told so with its next prompt.
EndReason limit_of_only_turn(const Deciding& d, const ReportTurnResult& r) {
  const SessionState& s = d.session();
  if (s.spec.is_multi_turn) return EndReason::none;
  Use use = use_after(s, d.decision);
  add_bounded(use.tokens, tokens_of(unbooked(turn_cost(s, r)).usage));
  return used_up(*s.spec.use_limits, use);
}

// True if the agent did not end the turn by itself. A command that it carries out without the
// model, such as a compaction, is no error to it and says nothing; nor are some cut answers.
bool is_cut_short(const ReportTurnResult& r) {
  const bool is_stopped_command = r.model_calls == 0 && r.terminal_reason.empty() && r.text.empty();
  return r.is_error || r.terminal_reason.starts_with("aborted") || !r.deferred.empty() ||
         is_stopped_command;
}

// The end of a turn of the agent's own ends only a session that has waited for it. A session of one
// prompt fails with any of its turns.
void end_own_turn(Deciding& d, const ReportTurnResult& r) {
  const SessionState& s = d.session();
  const bool is_interrupted = s.is_own_turn_to_end && is_cut_short(r);
  const bool is_limited = is_interrupted && s.own_stop != EndReason::none;
  if (is_interrupted) {
    const EndReason reason = is_limited ? s.own_stop : EndReason::user;
    d.emit(TurnInterrupted{r.turn, reason, turn_cost(s, r)});
  } else {
    end_turn(d, r);
  }
  d.has_own_turn = false;
  if (s.turn) return;
  if (is_limited && is_spent(s.own_stop)) return d.close(SessionStatus::failed, s.own_stop);
  if (!s.queue.empty()) return;
  if ((r.is_error || is_interrupted) && !s.spec.is_multi_turn) {
    if (is_limited) return d.close(SessionStatus::failed, s.own_stop);
    return is_interrupted ? d.close(SessionStatus::killed, EndReason::user)
                          : d.close(SessionStatus::failed, failure_of(s, r));
  }
  d.settle(s.tasks);
}

// Returns until when the provider takes nothing more from the agent, if the turn has failed by
// that; 0: it has not.
Time failed_by_limit(const Deciding& d, const ReportTurnResult& r) {
  constexpr std::int64_t kTooManyRequests = 429;
  const SessionState& s = d.session();
  if (!r.is_error || s.turn->is_interrupt_requested || is_spent(failure_of(s, r))) return {};
  const bool is_said = r.api_status == kTooManyRequests;
  // A turn that fails later, after calls of the model, has failed by something else.
  const bool has_called = !r.spent.empty() || !s.turn_spent->empty();
  const bool is_by_it = is_said || s.limited_in == r.turn || !has_called;
  if (is_by_it && s.limited_until > d.context.wall) return s.limited_until;
  return is_said ? d.usage_limit() : Time{};
}

// The provider takes nothing more for a while: the prompt is the first of the queue again, and all
// sessions of the agent's engine wait.
void wait_for_limit(Deciding& d, const ReportTurnResult& r, Time until) {
  const SessionState& s = d.session();
  book_so_far(d, r);
  d.has_returned_turn = true;
  d.emit(TurnReturned{r.turn});
  d.emit(QueuePaused{EndReason::usage_limit, until}, r.text);
  if (d.usage_limit() != until) {
    d.emit_to<BudgetStream>(budget_stream(d.agent()),
                            UsageLimitSet{s.session, s.spec.engine, until});
  }
}

// The agent waits for an answer without a process: its turn is the first of the queue again, and
// goes on with the next one.
void defer_turn(Deciding& d, const ReportTurnResult& r) {
  const SessionState& s = d.session();
  book_so_far(d, r);
  d.has_returned_turn = true;
  d.emit(TurnReturned{r.turn, 0, s.turn->starts, r.deferred});
  d.emit(QueuePaused{EndReason::deferred});
}

// Returns what people were asked, if the result defers the turn for it; null: it does not.
const OpenAsk* deferred_by(const SessionState& s, const ReportTurnResult& r) {
  if (r.deferred.empty() || r.is_error) return nullptr;
  const auto found = std::find_if(s.asks->begin(), s.asks->end(), [&](const OpenAsk& ask) {
    return ask.call == r.deferred && is_for_people(ask.kind);
  });
  return found == s.asks->end() ? nullptr : &*found;
}

void report(Deciding& d, const ReportTurnResult& r) {
  const SessionState& s = d.session();
  book_unheard(d, r);
  if (d.has_own_turn && s.own_turn == r.turn) return end_own_turn(d, r);
  if (!is_current(s, r.turn) || s.turn->is_continued) return book_late(d, r);
  const OpenAsk* deferred = deferred_by(s, r);
  if (deferred != nullptr && !s.turn->is_interrupt_requested) return defer_turn(d, r);
  if (deferred != nullptr) d.emit(AskClosed{deferred->ask, AskEnd::withdrawn, deferred->point});
  // The agent has gone on without the answer that it was to ask for again.
  d.close_deferred(AskEnd::withdrawn);
  if (const Time until = failed_by_limit(d, r); until.us != 0) return wait_for_limit(d, r, until);
  const std::int64_t injected = std::max<std::int64_t>(r.injected, 0);
  const bool has_more = injected < static_cast<std::int64_t>(s.turn->injected->size());
  // A multi-turn session works for a conversation, which gives the rest to its next run.
  if (has_more && !s.spec.is_multi_turn && !r.is_error && !s.turn->is_interrupt_requested)
    return continue_turn(d, r);
  const EndReason limit = r.is_error ? EndReason::none : limit_of_only_turn(d, r);
  const bool is_asked = s.turn->is_interrupt_requested && is_cut_short(r);
  const bool is_interrupted = is_asked || limit != EndReason::none;
  const EndReason reason = is_asked ? interrupt_reason(*s.turn) : limit;
  if (is_interrupted) {
    d.emit(TurnInterrupted{r.turn, reason, turn_cost(s, r)});
  } else {
    end_turn(d, r);
  }
  if (is_interrupted && reason != EndReason::user) {
    d.go_on_or_fail(reason);
  } else if (r.subtype == kBlockedByHook && s.spec.is_multi_turn && !is_interrupted) {
    // The agent has nothing to do with it.
    if (s.queue.empty()) d.settle(s.tasks);
    if (!s.queue.empty()) d.start_next_turn(s.lease->token);
  } else if (r.is_error && !is_interrupted) {
    d.go_on_or_fail(failure_of(s, r));
  } else if (!s.spec.is_multi_turn && is_interrupted) {
    d.close(SessionStatus::killed, EndReason::user);
  } else if (!s.queue.empty()) {
    d.start_next_turn(s.lease->token);
  } else {
    d.settle(s.tasks);
  }
}

// Tasks in the background have ended, or began, or are not waited for any longer. Those of a
// session that has ended are recorded, too: its agent is then ended with them.
void report(Deciding& d, const ReportTasksChanged& r) {
  const SessionState& s = d.session();
  const bool is_possible = r.subagents >= 0 && r.subagents <= r.tasks;
  if (!is_possible) return d.emit(ReportIgnored{std::string(r.kType)});
  d.emit(TasksChanged{r.tasks, r.is_given_up, r.subagents}, r.text);
  if (!is_live(s.status) || s.turn || !s.queue.empty()) return;
  if (!r.is_given_up) return d.settle(r.tasks);
  if (!s.spec.is_multi_turn || s.is_close_requested) {
    d.close(SessionStatus::failed, EndReason::tasks_unfinished);
  }
}

TurnAtExit turn_at_exit(const SessionState& s, const ReportAgentExited& r) {
  if (!s.turn) return TurnAtExit::none;
  if (s.turn->is_continued) return TurnAtExit::passed;
  // The next process asks again.
  if (!s.turn->deferred->empty()) return TurnAtExit::refused;
  const bool is_refused = s.limited_until.us != 0 && r.has_run && !r.given.is_set();
  if (is_refused) return TurnAtExit::refused;
  return r.given == s.turn->turn ? TurnAtExit::given : TurnAtExit::ungiven;
}

ExitFacts exit_facts(const Deciding& d, const ReportAgentExited& r) {
  const SessionState& s = d.session();
  ExitFacts facts;
  facts.is_stopped = r.is_stopped;
  facts.has_run = r.has_run;
  // Agents exit with 1 if their last result was an error, such as an interrupted turn.
  facts.is_clean = r.exit_code <= 1 && r.signal == 0;
  facts.is_lost = s.lease->is_lost;
  facts.is_multi_turn = s.spec.is_multi_turn;
  facts.is_close_requested = s.is_close_requested;
  facts.has_queue = !s.queue.empty();
  // Its turn is the first of the queue again, or was meanwhile started for the next agent.
  facts.is_paused = !s.turn && facts.has_queue && s.pause != EndReason::none;
  facts.waits_for_tasks = d.waits_for(s.tasks);
  facts.turn = turn_at_exit(s, r);
  if (s.turn) {
    facts.is_asked_to_end = s.turn->is_interrupt_requested;
    const EndReason limit = interrupt_reason(*s.turn);
    facts.turn_limit = limit == EndReason::user ? EndReason::none : limit;
    facts.can_be_retried = d.can_retry();
  }
  if (s.own_turn.is_set()) {
    facts.own = s.is_own_turn_to_end ? OwnTurnAtExit::asked_to_end : OwnTurnAtExit::at_work;
    facts.own_limit = s.own_stop;
  }
  return facts;
}

// A multi-turn session outlives its agent, which is resumed for the next prompt. It fails if the
// agent could not even begin.
void report(Deciding& d, const ReportAgentExited& r) {
  const SessionState& s = d.session();
  d.emit(AgentExited{r.exit_code, r.signal, r.is_stopped, r.is_heard}, r.stderr_tail);
  const LeaseReleased released{s.lease->token};
  if (!is_live(s.status)) return d.end_lease(released);
  const ExitVerdict verdict = after_exit(exit_facts(d, r));
  if (verdict.turn == TurnAfterExit::limited) {
    d.end_lease(released);
    d.interrupt_turns(verdict.turn_reason);
    return d.go_on_or_fail(verdict.turn_reason);
  }
  if (verdict.turn == TurnAfterExit::unbegun) {
    d.end_lease(released);
    d.interrupt_own_turn(verdict.own_reason);
    return d.return_unbegun(verdict.turn_reason);
  }
  const bool is_of_nobody =
      verdict.turn == TurnAfterExit::returned || verdict.turn == TurnAfterExit::withdrawn;
  if (verdict.turn == TurnAfterExit::retried) d.retry_turn();
  if (is_of_nobody) d.return_turn();
  d.end_lease(released);
  if (verdict.turn == TurnAfterExit::interrupted) d.interrupt_turn(verdict.turn_reason);
  d.interrupt_own_turn(verdict.own_reason);
  switch (verdict.session) {
    case SessionAfterExit::stays:
      return;
    case SessionAfterExit::pauses:
      d.pause_queue(verdict.reason);
      return;
    case SessionAfterExit::closes:
      return d.close(verdict.status, verdict.reason);
    case SessionAfterExit::closes_as_asked:
      return d.close_as_asked();
  }
}

}  // namespace

Decided decide_one(Deciding d, const LeaseReport& c) {
  const SessionState& s = d.session();
  const bool is_holder = s.lease && s.lease->token == c.token;
  if (!is_holder && !(s.lease && mutant(Mutant::ignore_fencing_token))) {
    base::rare(base::Rare::stale_token);
    return reject(RejectionCode::stale_token, "token " + std::to_string(c.token.value) +
                                                  " does not hold session " +
                                                  d.context.target.id.text() + " any more");
  }
  const std::int64_t known = s.lease->report_sequence;
  if (c.sequence <= known && is_holder) {
    base::rare(base::Rare::report_repeated);
    return Decision{};
  }
  if (c.sequence > known + 1 && is_holder) {
    base::rare(base::Rare::report_gap);
    return reject(RejectionCode::report_gap, "report " + std::to_string(known + 1) + " is missing");
  }
  std::visit([&](const auto& r) { report(d, r); }, c.report);
  return std::move(d.decision);
}

}  // namespace domain
