// Checks every command of a session, names the streams that it reads, and dispatches it. A client's
// command without effect is recorded as NothingChanged, so that a retry finds it.
#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/lanes.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/session_name.hpp"

namespace domain {
namespace {

// Ending and erasing a session, and knowing of it, must always be possible, even if it is
// inconsistent, or cannot tell if the id was used.
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
  // A command that was accepted, and is forgotten by now, must not take effect again.
  const bool can_be_forgotten =
      tells_its_time(context.command, context.now) && context.command.made_at() <= s.forgotten_ids;
  if (!can_be_forgotten) return std::nullopt;
  return Rejection{RejectionCode::id_too_old,
                   "session " + label(s) + " has taken " + std::to_string(kRememberedMin) +
                       " commands since this id was made, at " +
                       base::time_text(context.command.made_at()) +
                       ", and cannot tell if it was one; look what came of it, and send it again "
                       "under a new id if it is still wanted"};
}

bool is_repeated_call(const Report& report) {
  const auto* call = std::get_if<ReportToolCallStarted>(&report);
  return call != nullptr && call->repeats > 0;
}

bool is_unanswered_hook(const Report& report) {
  const auto* noted = std::get_if<ReportAgentNoted>(&report);
  return noted != nullptr && noted->tag == kHookNoVerdict;
}

// True if the report can end the session, or frees the agent's own.
bool may_end_by(const Report& report) {
  return std::holds_alternative<ReportTurnResult>(report) ||
         std::holds_alternative<ReportStartFailed>(report) ||
         std::holds_alternative<ReportSpending>(report) || is_repeated_call(report) ||
         is_unanswered_hook(report) || std::holds_alternative<McpServersReported>(report) ||
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

// True if the command is a report that ends nothing, of which somebody may be notified.
bool is_news(const SessionCommand& command) {
  const auto* report = std::get_if<LeaseReport>(&command);
  return report != nullptr && (std::holds_alternative<AgentSilenceReported>(report->report) ||
                               std::holds_alternative<ReportAskRaised>(report->report));
}

// True if the command can end what an agent asks, of which people may not have been told yet.
bool answers_ask(const SessionCommand& command) {
  const auto* report = std::get_if<LeaseReport>(&command);
  return std::holds_alternative<AnswerAsk>(command) ||
         std::holds_alternative<ConcludeHooks>(command) ||
         std::holds_alternative<AnswerAsEarlier>(command) ||
         (report != nullptr && std::holds_alternative<ReportAskClosed>(report->report));
}

// True if an agent asks, which a rule may answer.
bool is_ask(const SessionCommand& command) {
  const auto* report = std::get_if<LeaseReport>(&command);
  return report != nullptr && std::holds_alternative<ReportAskRaised>(report->report);
}

bool is_about_money(const Report& report) {
  return std::holds_alternative<ReportTurnResult>(report) ||
         std::holds_alternative<ReportSpending>(report) ||
         std::holds_alternative<ReportStartFailed>(report) ||
         std::holds_alternative<ReportAgentExited>(report);
}

// True if the command spends, may not be taken once the budget is spent, or ends what is reserved
// for it.
template <class C>
bool is_about_money(const C& command) {
  if constexpr (std::same_as<C, LeaseReport>) return is_about_money(command.report);
  return base::kContains<C, base::Types<SendPrompt, ContinueSession, GrantLease, ExpireLease,
                                        GiveUpContent, PassDeadline>>;
}

// Returns at least what the report adds to what the lineage has spent.
NanoUsd claimed_by(const Report& report) {
  const auto* spending = std::get_if<ReportSpending>(&report);
  if (spending != nullptr) return cost_of(spending->spent);
  const auto* result = std::get_if<ReportTurnResult>(&report);
  return result == nullptr ? NanoUsd{} : cost_of(result->spent);
}

// The sessions at work for which the command leaves nothing of their budget.
void read_relatives(const SessionCommand& command, const StreamRef& target,
                    const LineageState& lineage, Reads& further) {
  const auto* report = std::get_if<LeaseReport>(&command);
  if (report == nullptr) return;
  const std::int64_t spent = lineage.spent.value + claimed_by(report->report).value;
  for (const Reservation& at_work : lineage.reserved) {
    if (at_work.budget.value <= 0 || spent < at_work.budget.value) continue;
    if (at_work.session == target.id) continue;
    further.add(session_stream(target.agent, at_work.session));
  }
}

// Notes the end of the day on turns that its budget interrupts.
Decided with_days(Decided decided, const Context& context) {
  if (!decided) return decided;
  for (Emitted& emitted : *decided) {
    auto* cut = emitted.event.as<TurnInterrupted>();
    const bool is_of_day = cut != nullptr && cut->reason == EndReason::daily_budget;
    if (is_of_day) cut->day_over = day_end(context.wall);
  }
  return decided;
}

}  // namespace

NanoUsd spent_by(const Decision& decision) {
  NanoUsd sum;
  for (const Emitted& emitted : decision) {
    if (const auto* spending = emitted.event.as<SpendingRecorded>()) {
      add_bounded(sum.value, cost_of(spending->spent).value);
    }
    use_one_of(EndsOfTurns{}, emitted.event,
               [&](const auto& e) { add_bounded(sum.value, unbooked(e.cost).cost.value); });
  }
  return sum;
}

NanoUsd spent_by(const SessionState& session, const LineageState* lineage) {
  return lineage == nullptr ? session.cost : std::max(lineage->spent, session.cost);
}

Use use_after(const SessionState& session, const Decision& decision) {
  Use use{tokens_of(session.usage), session.tool_calls, session.output_bytes};
  for (const Emitted& emitted : decision) {
    if (const auto* spending = emitted.event.as<SpendingRecorded>()) {
      add_bounded(use.tokens, tokens_of(usage_of(spending->spent)));
    }
    use_one_of(EndsOfTurns{}, emitted.event,
               [&](const auto& e) { add_bounded(use.tokens, tokens_of(unbooked(e.cost).usage)); });
    if (emitted.event.is<ToolCallStarted>()) add_bounded(use.tool_calls, 1);
    if (is_one_of<base::Types<OutputRecorded, ToolCallFinished>>(emitted.event)) {
      add_bounded(use.output_bytes, static_cast<std::int64_t>(emitted.content.text.size()));
    }
  }
  return use;
}

Rejection over_cap(const Deciding& d) {
  const Limits& limits = d.context.limits;
  const auto refused = [](const std::string& who, NanoUsd spent, NanoUsd cap,
                          const std::string& when) {
    return Rejection{RejectionCode::over_budget, who + " spent $" + base::usd_text(spent) +
                                                     " of the $" + base::usd_text(cap) +
                                                     " that they may " + when};
  };
  const std::string mine = "the sessions of agent " + d.agent() + " have";
  const std::string until =
      "; wait for the next day, which begins at 00:00 UTC, or serve with a larger one";
  if (d.is_over(limits.agent_budget, d.spent_by_agent())) {
    return refused(mine, d.spent_by_agent(), limits.agent_budget,
                   "over all time (agent_budget_usd); serve with a larger one, then steno continue "
                   "gives prompts that wait to the agent");
  }
  if (d.is_over(limits.daily_budget, d.spent_today())) {
    return refused(mine, d.spent_today(), limits.daily_budget, "today (daily_budget_usd)" + until);
  }
  return refused("the sessions of all agents have", d.spent_by_all_today(),
                 limits.total_daily_budget, "today (total_daily_budget_usd)" + until);
}

Rejection over_budget(const SessionState& session, NanoUsd spent, NanoUsd budget,
                      std::string_view what_next) {
  return {RejectionCode::over_budget,
          "session " + label(session) + " has spent $" + base::usd_text(spent) +
              " of a budget of $" + base::usd_text(budget) + ", with all resumes and forks; " +
              std::string(what_next)};
}

Rejection over_budget(const Deciding& d, std::string_view what_next) {
  const SessionState& s = d.session();
  const NanoUsd spent = d.spent_before();
  if (s.spec.budget.value > 0 && spent >= s.spec.budget) {
    return over_budget(s, spent, s.spec.budget, what_next);
  }
  return {RejectionCode::over_budget,
          "session " + label(s) +
              " counts to the budget of the session that launched it, of which nothing is left; "
              "close it, and resume it, so that it counts to its own"};
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

std::optional<Rejection> check_prompt(const std::string& prompt, const PromptFiles& files) {
  if (auto bad = check_size("the prompt", prompt)) return bad;
  if (auto bad = check_files(files)) return bad;
  if (!files.empty() && prompt.empty()) return std::nullopt;
  if (auto fault = prompt_fault(prompt)) {
    return Rejection{RejectionCode::invalid, std::move(*fault)};
  }
  return std::nullopt;
}

std::vector<FileFacts> attach(Deciding& d, TurnId turn, const PromptFiles& files) {
  std::vector<FileFacts> facts;
  for (const PromptFile& file : files) {
    d.emit(FileAttached{turn}, file.data);
    facts.push_back(facts_of(file));
  }
  return facts;
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
  const auto* send = std::get_if<SendPrompt>(&command);
  if (send != nullptr && send->from.is_set() && send->from != target.id) {
    further.add(session_stream(target.agent, send->from));
  }
  if (spawn != nullptr && spawn->caller.is_set() && spawn->caller != target.id) {
    further.add(session_stream(target.agent, spawn->caller));
  }
  if (spawn != nullptr && !spawn->descriptor.conversation.empty()) {
    further.add(conversation_stream(target.agent, spawn->descriptor.conversation));
    further.add(std::string(kLanesStream));
  }
  if (std::holds_alternative<ImportTranscript>(command)) {
    further.add(std::string(kAdmissionStream));
    return;
  }
  const bool may_end = std::visit([](const auto& c) { return may_end_by(c); }, command);
  const bool is_naming = spawn != nullptr || std::holds_alternative<RenameSession>(command);
  const bool is_spending =
      spawn != nullptr || std::visit([](const auto& c) { return is_about_money(c); }, command);
  if (is_naming || may_end) further.add(registry_stream(target.agent));
  // A prompt may have to wait for a place.
  if (is_naming || may_end || send != nullptr) further.add(std::string(kAdmissionStream));
  const bool may_pause = send != nullptr;
  const bool is_heard = may_pause || is_news(command) || answers_ask(command);
  if (may_end || is_heard) further.add(std::string(kOutboxStream));
  const bool is_by_rules = is_ask(command) || std::holds_alternative<ConcludeHooks>(command);
  if (is_by_rules) further.add(std::string(kRulesStream));
  if (!is_spending) return;
  further.add(budget_stream(target.agent));
  further.add(std::string(kTotalBudgetStream));
}

void reads_further(const SessionCommand& command, const StreamRef& target, const States& states,
                   Reads& further) {
  std::vector<std::string> lineages;
  const auto read = [&](const SessionState& session) {
    lineages.push_back(lineage_stream(target.agent, session.lineage));
  };
  const auto read_payers = [&](const SessionState& session) {
    for (const Payer& payer : *session.payers) {
      lineages.push_back(lineage_stream(target.agent, payer.lineage));
    }
  };
  if (const auto* spawn = std::get_if<Spawn>(&command)) {
    const auto* source = states.find<SessionStream>(session_stream(target.agent, spawn->resume));
    if (source != nullptr && source->status != SessionStatus::none) read(*source);
    const auto* caller = states.find<SessionStream>(session_stream(target.agent, spawn->caller));
    if (caller != nullptr && caller->status != SessionStatus::none) {
      read(*caller);
      read_payers(*caller);
    }
  } else if (std::visit([](const auto& c) { return is_about_money(c); }, command)) {
    const SessionState& own = states.target<SessionStream>();
    if (has_relatives(own)) read(own);
    read_payers(own);
  }
  // Any command can end a turn.
  const std::string& conversation = states.target<SessionStream>().descriptor->conversation;
  if (!conversation.empty()) {
    further.add(conversation_stream(target.agent, conversation));
    further.add(std::string(kLanesStream));
  }
  // The lineages come first, so that each round of reading names them in the same places.
  for (const std::string& lineage : lineages) further.add(lineage);
  for (const std::string& lineage : lineages) {
    const auto* known = states.find<LineageStream>(lineage);
    if (known != nullptr) read_relatives(command, target, *known, further);
  }
}

Decided decide(const SessionCommand& command, const States& states, const Context& context) {
  Decided made = std::visit(
      [&]<class C>(const C& c) -> Decided {
        Deciding d{states, context};
        if constexpr (!base::kContains<C, SessionClientCommands>) {
          Decided decided =
              placing(with_days(decide_one(std::move(d), c), context), states, context);
          return notifying(accounting(std::move(decided), states, context), states, context);
        } else {
          if constexpr (!kIsAlwaysTaken<C>) {
            if (auto bad = check_client(d.session(), context)) return tl::unexpected(*bad);
          }
          Decided decided = decide_one(std::move(d), c);
          if (decided && decided->empty()) {
            decided->template emit<SessionStream>(NothingChanged{std::string(c.kType)});
          }
          // It was over before: nobody is told of it, and it has taken no place.
          if constexpr (std::same_as<C, ImportTranscript>) return decided;
          decided = placing(std::move(decided), states, context);
          if constexpr (std::same_as<C, KillSession>) {
            if (c.is_quiet) {
              return silencing(accounting(std::move(decided), states, context), states, context);
            }
          }
          if constexpr (std::same_as<C, SendPrompt>) {
            if (c.is_echoed) decided = echoing(std::move(decided), c, states, context);
          }
          return notifying(accounting(std::move(decided), states, context), states, context);
        }
      },
      command);
  return telling_conversation(telling_hooks(std::move(made), states, context), command, states,
                              context);
}

namespace {

std::optional<std::string> made_again(const Spawn& spawn, const MadeName& made) {
  if (spawn.name_like.empty()) return made_name(spawn.prompt, made.mark, made.number);
  return marked_name(spawn.name_like, made.mark, made.number);
}

}  // namespace

// A name made from the prompt is in no state; only a spawn carries the prompt to make it again.
SessionReply reply(const SessionState& state, const SessionCommand& command) {
  const auto* spawn = std::get_if<Spawn>(&command);
  const bool is_given = !state.name.empty() || spawn == nullptr;
  const bool is_injected = std::holds_alternative<SendPrompt>(command) && !state.spec.is_multi_turn;
  return {state.status,
          is_given ? label(state) : made_again(*spawn, state.made_name).value_or(state.alias),
          state.alias,
          state.spec.resumed_at,
          state.pause,
          is_injected ? only_turn(state) : TurnId{},
          state.paused_until};
}

}  // namespace domain
