// Checks every command of a session, names the streams that it reads, and dispatches it. A client's
// command without effect is recorded as NothingChanged, so that a retry finds it.
#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/session_name.hpp"

namespace domain {
namespace {

// Ending and erasing a session, and knowing of it, must always be possible, even if it is
// inconsistent or full.
template <class C>
constexpr bool kIsAlwaysTaken =
    base::kContains<C, base::Types<KillSession, EraseContent, DismissAttention>>;

std::optional<Rejection> check_client(const SessionState& s, const Context& context) {
  if (s.inconsistent.value != 0) {
    return Rejection{RejectionCode::inconsistent,
                     "session " + label(s) + " contradicts itself at position " +
                         std::to_string(s.inconsistent.value) +
                         "; it can only be killed, erased or exported"};
  }
  if (static_cast<std::int64_t>(s.commands.size()) < context.limits.commands_max) {
    return std::nullopt;
  }
  return Rejection{RejectionCode::limit_reached,
                   "session " + label(s) + " has taken " + std::to_string(s.commands.size()) +
                       " commands, as many as it remembers; resume it as a new session"};
}

bool is_repeated_call(const Report& report) {
  const auto* call = std::get_if<ReportToolCallStarted>(&report);
  return call != nullptr && call->repeats > 0;
}

// True if the report can end the session, or frees the agent's own.
bool may_end_by(const Report& report) {
  return std::holds_alternative<ReportTurnResult>(report) ||
         std::holds_alternative<ReportStartFailed>(report) ||
         std::holds_alternative<ReportSpending>(report) || is_repeated_call(report) ||
         std::holds_alternative<ReportTasksChanged>(report) ||
         std::holds_alternative<ReportAgentSessionLost>(report) ||
         std::holds_alternative<ReportAgentExited>(report);
}

// True if the command can free what the session holds: its name, its place, or the agent's own
// session.
template <class C>
bool may_end_by(const C& command) {
  if constexpr (std::same_as<C, LeaseReport>) return may_end_by(command.report);
  using Ending = base::Types<KillSession, CloseSession, InterruptTurn, ContinueSession, GrantLease,
                             ExpireLease, PassDeadline, GiveUpContent>;
  return base::kContains<C, Ending>;
}

// True if the command is the report of an agent's silence, of which somebody may be notified.
bool is_silence(const SessionCommand& command) {
  const auto* report = std::get_if<LeaseReport>(&command);
  return report != nullptr && std::holds_alternative<AgentSilenceReported>(report->report);
}

// True if the command spends, or may not be taken once the budget is spent.
template <class C>
bool is_about_money(const C& command) {
  if constexpr (std::same_as<C, LeaseReport>) {
    return std::holds_alternative<ReportTurnResult>(command.report) ||
           std::holds_alternative<ReportSpending>(command.report);
  }
  return base::kContains<
      C, base::Types<SendPrompt, ContinueSession, GrantLease, GiveUpContent, PassDeadline>>;
}

}  // namespace

NanoUsd spent_by(const Decision& decision) {
  NanoUsd sum;
  for (const Emitted& emitted : decision) {
    std::visit(
        [&]<class E>(const E& e) {
          if constexpr (std::same_as<E, SpendingRecorded>) {
            add_bounded(sum.value, cost_of(e.spent).value);
          } else if constexpr (base::kContains<
                                   E, base::Types<TurnFinished, TurnFailed, TurnInterrupted>>) {
            add_bounded(sum.value, unbooked(e.cost).cost.value);
          }
        },
        emitted.event);
  }
  return sum;
}

NanoUsd spent_by(const SessionState& session, const LineageState* lineage) {
  return lineage == nullptr ? session.cost : std::max(lineage->spent, session.cost);
}

Use use_after(const SessionState& session, const Decision& decision) {
  Use use{tokens_of(session.usage), session.tool_calls, session.output_bytes};
  for (const Emitted& emitted : decision) {
    std::visit(
        [&]<class E>(const E& e) {
          if constexpr (std::same_as<E, SpendingRecorded>) {
            add_bounded(use.tokens, tokens_of(usage_of(e.spent)));
          } else if constexpr (base::kContains<
                                   E, base::Types<TurnFinished, TurnFailed, TurnInterrupted>>) {
            add_bounded(use.tokens, tokens_of(unbooked(e.cost).usage));
          } else if constexpr (std::same_as<E, ToolCallStarted>) {
            add_bounded(use.tool_calls, 1);
          } else if constexpr (base::kContains<E, base::Types<OutputRecorded, ToolCallFinished>>) {
            add_bounded(use.output_bytes, static_cast<std::int64_t>(emitted.content.text.size()));
          }
        },
        emitted.event);
  }
  return use;
}

Rejection over_daily_budget(const Deciding& d) {
  return {RejectionCode::over_budget,
          "the sessions of agent " + d.agent() + " have spent $" + base::usd_text(d.spent_today()) +
              " of the $" + base::usd_text(d.context.limits.daily_budget) +
              " that they may today (daily_budget_usd); wait for the next day, which begins at "
              "00:00 UTC, or serve with a larger one"};
}

Rejection over_budget(const SessionState& session, NanoUsd spent, NanoUsd budget,
                      std::string_view what_next) {
  return {RejectionCode::over_budget,
          "session " + label(session) + " has spent $" + base::usd_text(spent) +
              " of a budget of $" + base::usd_text(budget) + ", with all resumes and forks; " +
              std::string(what_next)};
}

std::optional<Rejection> check_exists(const SessionState& s, const Context& context) {
  if (s.status != SessionStatus::none) return std::nullopt;
  return Rejection{RejectionCode::not_found, "there is no session " + context.target.id.text() +
                                                 " of agent " + context.target.agent};
}

std::optional<Rejection> check_live(const SessionState& s, const Context& context) {
  if (auto bad = check_exists(s, context)) return bad;
  if (is_live(s.status)) return std::nullopt;
  std::string ended(base::enum_name(s.status));
  if (s.end_reason != EndReason::none) {
    ended.append(" (").append(base::enum_name(s.end_reason)).append(")");
  }
  return Rejection{RejectionCode::session_ended,
                   "session " + label(s) + " is " + ended + "; resume it to go on"};
}

std::optional<Rejection> check_size(const char* what, const std::string& text,
                                    std::int64_t bytes_max) {
  const auto bytes = static_cast<std::int64_t>(text.size());
  if (bytes <= bytes_max) return std::nullopt;
  return Rejection{RejectionCode::limit_reached,
                   std::string(what) + " has " + std::to_string(bytes) + " bytes, of " +
                       std::to_string(bytes_max) + " at most; name a file instead"};
}

std::optional<Rejection> check_start(Time start_before, const Context& context) {
  if (start_before.us == 0 || start_before > context.wall) return std::nullopt;
  if (start_before.us < 0) return Rejection{RejectionCode::invalid, "start_before is no time"};
  return Rejection{RejectionCode::deadline_passed, "the prompt was to be started before " +
                                                       base::time_text(start_before) +
                                                       ", which is over; send it again"};
}

std::optional<Rejection> check_prompt(const std::string& prompt) {
  if (prompt.empty()) {
    return Rejection{RejectionCode::invalid, "the prompt is empty; say what the agent is to do"};
  }
  return check_size("the prompt", prompt);
}

void reads(const SessionCommand& command, const StreamRef& target, Reads& further) {
  const auto* spawn = std::get_if<Spawn>(&command);
  if (spawn != nullptr && spawn->resume.is_set() && spawn->resume != target.id) {
    further.add(session_stream(target.agent, spawn->resume));
  }
  if (spawn != nullptr && spawn->descriptor.parent.is_set() &&
      spawn->descriptor.parent != target.id) {
    further.add(session_stream(target.agent, spawn->descriptor.parent));
  }
  const bool may_end = std::visit([](const auto& c) { return may_end_by(c); }, command);
  const bool is_spending =
      spawn != nullptr || std::visit([](const auto& c) { return is_about_money(c); }, command);
  if (spawn != nullptr || may_end) {
    further.add(registry_stream(target.agent));
    further.add(std::string(kAdmissionStream));
  }
  const bool may_pause = std::holds_alternative<SendPrompt>(command);
  if (may_end || may_pause || is_silence(command)) further.add(std::string(kOutboxStream));
  if (is_spending) further.add(budget_stream(target.agent));
}

void reads_further(const SessionCommand& command, const StreamRef& target, const States& states,
                   Reads& further) {
  const SessionState* spender = nullptr;
  if (const auto* spawn = std::get_if<Spawn>(&command)) {
    spender = states.find<SessionStream>(session_stream(target.agent, spawn->resume));
    if (spender != nullptr && spender->status == SessionStatus::none) return;
  } else if (std::visit([](const auto& c) { return is_about_money(c); }, command)) {
    const SessionState& own = states.target<SessionStream>();
    if (has_relatives(own)) spender = &own;
  }
  if (spender != nullptr) further.add(lineage_stream(target.agent, spender->lineage));
}

Decided decide(const SessionCommand& command, const States& states, const Context& context) {
  return std::visit(
      [&]<class C>(const C& c) -> Decided {
        Deciding d{states, context};
        if constexpr (!base::kContains<C, SessionClientCommands>) {
          return notifying(decide_one(std::move(d), c), states, context);
        } else {
          if constexpr (!kIsAlwaysTaken<C>) {
            if (auto bad = check_client(d.session(), context)) return tl::unexpected(*bad);
          }
          Decided decided = decide_one(std::move(d), c);
          if (decided && decided->empty()) {
            decided->push_back({{}, NothingChanged{std::string(c.kType)}, {}});
          }
          return notifying(std::move(decided), states, context);
        }
      },
      command);
}

// A name made from the prompt is in no state; only a spawn carries the prompt to make it again.
SessionReply reply(const SessionState& state, const SessionCommand& command) {
  const auto* spawn = std::get_if<Spawn>(&command);
  const bool is_given = !state.name.empty() || spawn == nullptr;
  const bool is_injected = std::holds_alternative<SendPrompt>(command) && !state.spec.is_multi_turn;
  return {state.status,
          is_given ? label(state)
                   : made_name(spawn->prompt, state.made_name.mark, state.made_name.number)
                         .value_or(state.alias),
          state.alias,
          state.spec.resumed_at,
          state.pause,
          is_injected ? only_turn(state) : TurnId{},
          state.paused_until};
}

}  // namespace domain
