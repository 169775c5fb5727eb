// One overload of on() handles each kind of input. A line of the agent is read into a frame, and
// one overload of take() turns that frame into reports and asks.
#include "workers/engines/claude/claude_engine.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/base/random.hpp"
#include "workers/engines/agent_line.hpp"
#include "workers/engines/claude/claude_input.hpp"
#include "workers/engines/claude/claude_launch.hpp"
#include "workers/engines/claude/claude_transcript.hpp"

namespace engines {
namespace {

// Denied calls whose results have not come. An agent runs few calls at once; calls beyond this are
// recorded as errors only.
constexpr std::size_t kDeniedCallsMax = 1'000;
constexpr base::NanoUsd kTotalMax{base::kIntegerLimit - 1};

// Places of the bytes that say what kind of a UUID it is (RFC 9562).
constexpr std::size_t kVersionAt = 6;
constexpr std::size_t kVariantAt = 8;

// Returns another id for each `number`. Ids can differ in a few bits only, so all bits change but
// those that make a UUID. The change is its own inverse.
TurnId changed(TurnId id, std::uint64_t number) {
  base::SeededRandom change(number);
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const auto bits = static_cast<unsigned char>(change.next());
    const bool is_of_uuid = i == kVersionAt || i == kVariantAt;
    if (!is_of_uuid)
      id.bytes[i] = static_cast<char>(static_cast<unsigned char>(id.bytes[i]) ^ bits);
  }
  return id;
}

// Tokens of leases are below; beyond are the numbers of prompts that were added to a turn.
constexpr std::uint64_t kInjectedFrom = std::uint64_t{1} << 63;

// An agent asks again within a second. One whose conversation is another one by now never does.
constexpr base::Duration kAsksAgainWithin = std::chrono::minutes(1);
constexpr std::string_view kNotAsked =
    "the agent did not ask again what it had asked before its process ended; send the prompt again";
constexpr std::string_view kLeftOver =
    "This is withdrawn: somebody has gone on with something else.";

constexpr std::string_view kUnreadAnswer =
    "The answer to this request could not be read, so it was not carried out.";

// The subtype of the failure of a turn whose prompt was refused before the model was asked.
constexpr std::string_view kRefusedSubtype = "prompt_refused";
// The agent itself finds its budget spent.
constexpr std::string_view kBudgetSubtype = "error_max_budget_usd";

// True if the agent has finished a run without asking the model.
bool is_unasked(const domain::ReportTurnResult& result) {
  return !result.is_error && result.model_calls == 0 && result.terminal_reason.empty();
}

bool is_resuming(const SessionLaunch& session) {
  return !session.resume_agent_session.empty() || !session.spec.resume_agent_session->empty();
}

}  // namespace

// Claude Code passes over a prompt whose id the transcript of its session has already, and says
// nothing more (seen with 2.1.329, at the third attempt at a turn). So each process knows a turn by
// an id of its own; that of the first is the turn's.
TurnId ClaudeEngine::other_id(TurnId id) const {
  if (session_.token.value == 1) return id;
  return changed(id, static_cast<std::uint64_t>(session_.token.value));
}

void ClaudeEngine::name_turns(InitFrame& frame) {
  for (TurnId& prompt : frame.prompts) prompt = turn_of(other_id(prompt));
}
void ClaudeEngine::name_turns(ResultFrame& frame) {
  const bool is_nameless = frame.prompts.empty() && !runs_.names_prompts();
  if (is_nameless && injections_.is_holding() && !frame.is_own && !runs_.own()) {
    injections_.settle_first();
  }
  for (TurnId& prompt : frame.prompts) {
    const TurnId named = other_id(prompt);
    injections_.settle(named);
    prompt = turn_of(named);
  }
}
// The end of a prompt that was added to a turn is not the turn's.
void ClaudeEngine::name_turns(PromptLifecycle& frame) {
  const TurnId named = other_id(frame.prompt);
  frame.prompt = turn_of(named);
  if (!injections_.contains(named) || frame.state != PromptState::cancelled) return;
  injections_.settle(named);
  frame.state = PromptState::other;
}

Output ClaudeEngine::handle(const Input& input) {
  Output out;
  std::visit([&](const auto& step) { on(step, input.now, out); }, input.step);
  out.state = {deadline(), wants_exit(), tasks_.left() > 0, calls_ <= 1};
  return out;
}

// Only the initialize request can carry a system prompt, and ask for the words of subagents that
// run within a turn.
void ClaudeEngine::on(const Begin&, Time, Output& out) {
  out.writes = initialize_line(next_request_id(), session_.system_prompt, session_.hook_points,
                               holds_.are_wanted());
}

void ClaudeEngine::on(const BeginTurn& begun, Time now, Output& out) {
  turn_ = begun.turn;
  asks_again_by_ = begun.is_deferred ? std::optional(now + kAsksAgainWithin) : std::nullopt;
  has_result_ = false;
  denied_calls_.clear();
  injections_ = {};
  runs_.on_prompt(turn_);
  if (!begun.is_deferred) out.writes = prompt_line(other_id(turn_), begun.prompt, begun.files);
}

void ClaudeEngine::on(const AddPrompt& added, Time now, Output& out) {
  const TurnId id = changed(turn_, kInjectedFrom + injections_.count());
  injections_.add(id);
  injected_at_ = now;
  out.writes = prompt_line(other_id(id), added.prompt, added.files);
}

void ClaudeEngine::on(const TakeBackPrompt&, Time, Output&) {
  injections_.take_back();
}

void ClaudeEngine::on(const Interrupt& interrupt, Time, Output& out) {
  out.writes = interrupt_line(next_request_id(), interrupt.turn == turn_);
}

// The agent itself reports the result of a call that was denied.
void ClaudeEngine::on(const Answer& answer, Time, Output& out) {
  const Ask& ask = answer.ask;
  if (ask.kind == AskKind::step && answer.is_granted) {
    const auto open = asks_.find(ask.id);
    const bool is_agents_own = open != asks_.end() && open->second.agent.empty();
    if (auto held = holds_.behind_step(ask, answer.text, is_agents_own)) {
      held->turn = turn_at_work(out.reports);
      out.asks.push_back(std::move(*held));
      return;
    }
  }
  asks_.erase(ask.id);
  if (auto line = holds_.answered(answer)) {
    out.writes = std::move(*line);
  } else if (ask.kind == AskKind::request) {
    out.writes =
        answer.is_granted ? reply_line(ask.id, answer.text) : refusal_line(ask.id, answer.text);
  } else if (ask.kind == AskKind::step) {
    out.writes = step_line(ask, answer.is_granted, answer.text);
    if (!answer.is_granted && ask.point == domain::HookPoint::pre_tool_use) note_denial(ask.call);
  } else if (const auto input =
                 answer.is_granted ? granted_input(ask, answer.text) : std::nullopt) {
    out.writes = allow_line(ask.id, ask.call, *input);
  } else if (answer.is_granted) {
    out.writes = deny_line(ask.id, ask.call, kUnreadAnswer);
    note_denial(ask.call);
  } else {
    out.writes = deny_line(ask.id, ask.call, answer.text);
    note_denial(ask.call);
  }
}

void ClaudeEngine::on(const Defer& deferred, Time, Output& out) {
  asks_.erase(deferred.ask.id);
  deferred_ask_ = deferred.ask.id;
  out.writes = holds_.deferred(deferred.ask);
}

void ClaudeEngine::on(const Configure& changed, Time, Output& out) {
  telling_.number = changed.number;
  for (const std::string& key : changed.keys) {
    const std::string id = next_request_id();
    const base::Bytes line = setting_line(id, key, changed.spec);
    if (line.empty()) continue;
    telling_.open[id] = key;
    out.writes += line;
  }
  report_told(out.reports);
}

void ClaudeEngine::take(const HostAnswered& frame, const Step& step) {
  const auto told = telling_.open.find(frame.id);
  if (told == telling_.open.end()) {
    // Nobody else would learn of a refusal, such as of an interrupt.
    return frame.is_refused ? take(StrangeFrame{}, step) : void();
  }
  if (frame.is_refused) {
    std::string& refusal = telling_.refusal;
    refusal += (refusal.empty() ? "" : "; ") + told->second + ": " + frame.refusal;
  }
  telling_.open.erase(told);
  report_told(step.out.reports);
}

void ClaudeEngine::report_told(Reports& out) {
  if (!telling_.open.empty()) return;
  out.emplace_back(domain::SettingsTold{telling_.number, std::exchange(telling_.refusal, {})});
}

void ClaudeEngine::on(const FrameCame& came, Time now, Output& out) {
  const Step step{came.frame, now, out};
  tasks_.on_line(now);
  Frame frame = read_frame(came.frame);
  std::visit([&](auto& one) { name_turns(one); }, frame);
  std::visit([&](const auto& one) { take(one, step); }, frame);
  // Partial text is reported after the frame, so that a block which the frame finishes is not
  // reported in part just before.
  report_due(now, out.reports);
}

void ClaudeEngine::on(const OutputEnded&, Time, Output& out) {
  report_partial(partial_.take_rest(), out.reports);
  report_spending(spending_.take_rest(), out.reports);
}

void ClaudeEngine::on(const TimeIsDue&, Time now, Output& out) {
  report_due(now, out.reports);
  if (asks_again_by_ && now >= *asks_again_by_) give_up_deferred(out);
}

void ClaudeEngine::report_due(Time now, Reports& out) {
  report_partial(partial_.take_due(now), out);
  report_spending(spending_.take_due(now), out);
  report_tasks(now, out);
  const auto held_until = this->held_until();
  if (held_until && now >= *held_until) release_held(out);
}

void ClaudeEngine::give_up_deferred(Output& out) {
  asks_again_by_.reset();
  has_result_ = true;
  domain::ReportTurnResult result;
  result.turn = turn_;
  result.is_error = true;
  result.subtype = "not_asked_again";
  result.text = kNotAsked;
  result.basis = domain::CostBasis::reported;
  out.reports.emplace_back(std::move(result));
}

// Of several calls in one message the agent keeps only the one that it defers.
void ClaudeEngine::count_call(const MessageFrame& frame) {
  if (!frame.parent.empty()) return;
  if (std::exchange(calls_of_, frame.call.id) != frame.call.id) calls_ = 0;
  ++calls_;
}

// True for a call that an earlier process has deferred, and whose turn is over: the agent makes it
// again before it does anything else.
bool ClaudeEngine::is_left_over(const AgentRequest& frame, Time now) {
  return holds_.is_held_kind(frame.ask) && frame.agent.empty() && !asks_again_by_ &&
         !runs_.turn_of_call(frame.ask.call, now) && !again_.contains(frame.ask.call);
}

void ClaudeEngine::report_tasks(Time now, Reports& out) {
  auto change = tasks_.take_change(now);
  if (!change) return;
  // The session may end with the last task, and what that has cost must be known by then.
  if (change->tasks == 0) report_spending(spending_.take_rest(), out);
  out.emplace_back(std::move(*change));
}

std::optional<Time> ClaudeEngine::deadline() const {
  std::optional<Time> earliest;
  for (const auto due : {partial_.deadline(), spending_.deadline(), tasks_.deadline(), held_until(),
                         asks_again_by_}) {
    if (due) earliest = std::min(earliest.value_or(*due), *due);
  }
  return earliest;
}

// The agent introduces itself at the start of every run; only a change is reported.
void ClaudeEngine::take(const InitFrame& frame, const Step& step) {
  end_own(runs_.own(), "no_result", true, step.out.reports);
  runs_.on_init(frame);
  tasks_.on_run_begun();
  is_refusing_ = false;
  if (frame.init != last_init_) {
    last_init_ = frame.init;
    domain::ReportInitialized init = frame.init;
    init.is_unpriced = !init.model.empty() && settings_.prices.find(init.model) == nullptr;
    step.out.reports.emplace_back(std::move(init));
  }
  report_offered(frame, step.out.reports);
}

void ClaudeEngine::report_offered(const InitFrame& frame, Reports& out) {
  if (std::exchange(broken_, frame.broken) != frame.broken) {
    out.emplace_back(domain::McpServersReported{broken_});
  }
  if (std::exchange(commands_, frame.commands) != frame.commands) {
    out.emplace_back(domain::SlashCommandsReported{commands_});
  }
}

// A turn of the agent's own is reported once something happens in it: the agent also makes runs in
// which nothing does.
TurnId ClaudeEngine::turn_at_work(Reports& out) {
  if (runs_.own()) begin_own(*runs_.own(), out);
  return runs_.turn();
}

void ClaudeEngine::begin_own(const domain::ReportOwnTurnStarted& own, Reports& out) {
  if (std::exchange(own_turn_, own.turn) != own.turn) out.emplace_back(own);
}

// Ends `own`, if it was reported, without a result from the agent.
void ClaudeEngine::end_own(const OwnTurn& own, std::string_view subtype, bool is_error,
                           Reports& out) {
  if (!own || own->turn != own_turn_) return;
  domain::ReportTurnResult result;
  result.turn = own_turn_;
  result.is_error = is_error;
  result.subtype = subtype;
  result.basis = domain::CostBasis::reported;
  out.emplace_back(std::move(result));
}

void ClaudeEngine::take(const MessageFrame& frame, const Step& step) {
  if (!frame.parent.empty()) spending_.on_subagent_call(frame.parent, frame.call, step.now);
  if (frame.blocks.empty() && !frame.is_strange) return;
  // A subagent works for the turn in which it was started, also when that is over.
  const auto begun_in = runs_.turn_of_call(frame.parent, step.now);
  const TurnId turn = begun_in ? *begun_in : turn_at_work(step.out.reports);
  for (const Block& block : frame.blocks) {
    const auto* output = std::get_if<domain::ReportOutput>(&block);
    if (frame.parent.empty() && output != nullptr) {
      partial_.drop();
      if (output->kind == domain::OutputKind::text) answer_ = output->text;
    }
    std::visit(
        [&](auto report) {
          report.turn = turn;
          report.parent = frame.parent;
          if constexpr (requires { report.message; }) report.message = frame.id;
          if constexpr (requires { report.tool; }) runs_.on_call(report.call, turn, step.now);
          if constexpr (requires { report.input; }) count_call(frame);
          if constexpr (requires { report.is_denied; }) {
            withdraw_asks_of(report.call, step.out);
            report.is_denied = denied_calls_.erase(report.call) > 0;
            const bool has_room = told_denials_.size() < kDeniedCallsMax;
            if (report.is_denied && has_room) told_denials_.insert(report.call);
          }
          step.out.reports.emplace_back(std::move(report));
        },
        block);
  }
  if (frame.is_strange)
    step.out.reports.emplace_back(agent_line(domain::LineFault::unknown_kind, step.line));
}

void ClaudeEngine::take(const ResultFrame& frame, const Step& step) {
  const bool has_begun = !last_init_.agent_session.empty();
  if (frame.is_unresumed && !has_begun && is_resuming(session_)) {
    has_lost_session_ = true;
    step.out.reports.emplace_back(domain::ReportAgentSessionLost{frame.result.text});
    return;
  }
  domain::ReportTurnResult result = frame.result;
  // The answer was too dear, and is whole.
  std::string answer = std::exchange(answer_, {});
  if (std::exchange(has_answered_, false) && result.subtype == kBudgetSubtype) {
    result.is_error = false;
    result.text = std::move(answer);
  }
  // The agent calls it a success.
  if (std::exchange(is_refusing_, false) && is_unasked(result)) {
    result.is_error = true;
    result.subtype = kRefusedSubtype;
  }
  result.agent_total = std::min(result.agent_total.plus(cleared_total_.value), kTotalMax);
  agent_total_ = result.agent_total;
  // The text has no finished block, so the partial text is all that is known of it.
  report_partial(partial_.take_rest(), step.out.reports);
  const OwnTurn own = runs_.own();
  const ClaudeRuns::Ended ended = runs_.on_result(frame);
  withdraw_asks_of_agent({}, step.out);
  holds_.clear();
  // It has gone on regardless.
  const std::string deferred = std::exchange(deferred_ask_, {});
  if (!deferred.empty() && result.deferred.empty()) step.out.withdrawn.push_back(deferred);
  if (deferred.empty()) result.deferred.clear();
  tasks_.on_result(runs_.names_prompts());
  report_tasks(step.now, step.out.reports);
  ClaudeSpending::Told told = spending_.on_result(
      frame, std::exchange(had_tasks_, tasks_.running() > 0) || ended.prompts > 1);
  result.spent = std::move(told.spent);
  result.basis = told.basis;
  result.claimed = told.claimed;
  if (told.base.value >= 0) agent_base_ = told.base;
  if (frame.has_odd_figures) {
    step.out.reports.emplace_back(agent_line(domain::LineFault::unknown_kind, step.line));
  }
  if (!ended.own) end_own(own, "joined", false, step.out.reports);
  result.turn = ended.turn;
  if (ended.own) {
    const bool is_empty =
        result.model_calls == 0 && result.text.empty() && !result.is_error && result.spent.empty();
    if (is_empty && own_turn_ != ended.turn) return;
    begin_own(*ended.own, step.out.reports);
  }
  report_denials(frame, ended.turn, step.out.reports);
  result.agent_base = std::exchange(agent_base_, base::NanoUsd{-1});
  if (is_to_hold(result)) return hold(std::move(result), step.out.reports);
  const bool is_of_turn = ended.turn == turn_;
  has_result_ |= is_of_turn;
  if (is_of_turn && injections_.is_holding()) result = injections_.take_with(std::move(result));
  step.out.reports.emplace_back(std::move(result));
}

// Older versions tell of denied calls here only, and so does each version of those that a hook
// denied.
void ClaudeEngine::report_denials(const ResultFrame& frame, TurnId turn, Reports& out) {
  for (domain::ToolCallDenied denied : frame.denied) {
    denied_calls_.erase(denied.call);
    if (told_denials_.contains(denied.call)) continue;
    denied.turn = turn;
    out.emplace_back(std::move(denied));
  }
  told_denials_.clear();
}

// An agent whose turn has failed or was interrupted is not waited for any longer.
bool ClaudeEngine::is_to_hold(const domain::ReportTurnResult& result) const {
  return result.turn == turn_ && !has_result_ && !result.is_error && injections_.are_waiting();
}

void ClaudeEngine::hold(domain::ReportTurnResult result, Reports& out) {
  if (!result.spent.empty()) {
    // The server adds the cost that this report books to the figure of the result.
    if (result.claimed.value != 0) result.claimed.value -= domain::cost_of(result.spent).value;
    out.emplace_back(domain::ReportSpending{turn_, std::exchange(result.spent, {})});
  }
  injections_.hold(std::move(result));
  runs_.on_prompt(turn_);
}

void ClaudeEngine::release_held(Reports& out) {
  has_result_ = true;
  out.emplace_back(injections_.take());
}

// When the held result counts as the last; none: none is held, or the agent works.
std::optional<Time> ClaudeEngine::held_until() const {
  if (!injections_.is_holding() || tasks_.is_run_open()) return std::nullopt;
  if (!injections_.are_waiting()) return tasks_.heard_at();
  return std::max(tasks_.heard_at(), injected_at_) +
         (runs_.names_prompts() ? ClaudeInjections::kNamedSilence : ClaudeInjections::kSilence);
}

// A stream that broke off begins anew and repeats its text.
void ClaudeEngine::take(const StreamStarted& frame, const Step& step) {
  partial_.drop();
  has_answered_ = false;
  answer_.clear();
  spending_.on_call(frame.call, step.now);
}

void ClaudeEngine::take(const CallUsage& frame, const Step& step) {
  has_answered_ = frame.is_last;
  spending_.on_call_usage(frame, step.now);
}

void ClaudeEngine::take(const TextDelta& frame, const Step& step) {
  partial_.add(frame.text, step.now);
}

// A request of another kind is kept as a whole line, because no report says what it is about.
void ClaudeEngine::take(AgentRequest frame, const Step& step) {
  if (frame.ask.kind == AskKind::request) {
    step.out.asks.push_back(std::move(frame.ask));
    step.out.reports.emplace_back(agent_line(domain::LineFault::unknown_kind, step.line));
    return;
  }
  if (is_left_over(frame, step.now)) {
    runs_.on_left_over();
    step.out.writes += step_line(frame.ask, false, kLeftOver);
    return;
  }
  if (holds_.is_held_kind(frame.ask) && std::exchange(asks_again_by_, std::nullopt)) {
    again_.insert(frame.ask.call);
  }
  if (const auto known = holds_.answer_to(frame.ask)) return on(*known, step.now, step.out);
  if (frame.agent.empty()) holds_.hold(frame.ask);
  const auto of_call = runs_.turn_of_call(frame.ask.call, step.now);
  // A step is no work by itself.
  const bool is_step = frame.ask.kind == AskKind::step;
  frame.ask.turn = of_call ? *of_call : is_step ? runs_.turn() : turn_at_work(step.out.reports);
  asks_[frame.ask.id] = {frame.ask.call, frame.agent};
  step.out.asks.push_back(std::move(frame.ask));
}

void ClaudeEngine::take(const RequestWithdrawn& frame, const Step& step) {
  asks_.erase(frame.id);
  holds_.forget(frame.id);
  step.out.withdrawn.push_back(frame.id);
}

// A call that has its result does not wait. Versions differ in whether they withdraw it by a frame.
void ClaudeEngine::withdraw_asks_of(const std::string& call, Output& out) {
  if (call.empty()) return;
  std::erase_if(asks_, [&](const auto& open) {
    if (open.second.call != call) return false;
    out.withdrawn.push_back(open.first);
    return true;
  });
}

// The agent's own asks end with its run, and those of a subagent with its task.
void ClaudeEngine::withdraw_asks_of_agent(const std::string& agent, Output& out) {
  std::erase_if(asks_, [&](const auto& open) {
    if (open.second.agent != agent) return false;
    out.withdrawn.push_back(open.first);
    return true;
  });
}

void ClaudeEngine::take(const CallDenied& frame, const Step&) {
  note_denial(frame.call);
}

void ClaudeEngine::take(const NoteFrame& frame, const Step& step) {
  is_refusing_ |= frame.is_refusal;
  domain::ReportAgentNoted note = frame.note;
  const auto of_call = runs_.turn_of_call(note.call, step.now);
  note.turn = of_call ? *of_call : turn_at_work(step.out.reports);
  step.out.reports.emplace_back(std::move(note));
}

// A prompt joins a run of the agent's own, or is dropped before the agent has begun with it. A
// dropped prompt's turn gets a result here; otherwise it would wait for one for ever.
void ClaudeEngine::take(const PromptLifecycle& frame, const Step& step) {
  const bool is_begun = runs_.is_begun(frame.prompt);
  if (runs_.joins_own(frame)) end_own(runs_.own(), "joined", false, step.out.reports);
  runs_.on_lifecycle(frame);
  const bool is_dropped = frame.state == PromptState::cancelled && !is_begun;
  if (!is_dropped || has_result_ || !turn_.is_set() || frame.prompt != turn_) return;
  has_result_ = true;
  domain::ReportTurnResult result;
  result.turn = turn_;
  result.is_error = true;
  result.subtype = "cancelled";
  result.basis = domain::CostBasis::reported;
  step.out.reports.emplace_back(std::move(result));
}

void ClaudeEngine::take(const TasksChanged& frame, const Step&) {
  had_tasks_ |= frame.tasks > 0;
  tasks_.on_tasks(frame);
}

void ClaudeEngine::take(const StateChanged& frame, const Step&) {
  tasks_.on_state(frame);
}

// False for a limit that still allows all, which the agent says again and again.
bool ClaudeEngine::is_news(const Notice& notice) {
  const auto* limit = std::get_if<domain::RateLimitReported>(&notice);
  if (limit == nullptr) return true;
  if (limit->status == "allowed") return allowed_.insert(limit->limit).second;
  allowed_.erase(limit->limit);
  return true;
}

void ClaudeEngine::take(Notice frame, const Step& step) {
  if (!is_news(frame)) return;
  const TurnId turn = turn_at_work(step.out.reports);
  std::visit(
      [&](auto& fact) {
        fact.turn = turn;
        step.out.reports.emplace_back(std::move(fact));
      },
      frame);
}

void ClaudeEngine::take(const TaskEnded& frame, const Step& step) {
  if (!frame.task.empty()) withdraw_asks_of_agent(frame.task, step.out);
  runs_.on_task_ended(frame, step.now);
}

void ClaudeEngine::take(const ConversationReset&, const Step&) {
  cleared_total_ = agent_total_;
  spending_.on_reset();
}

void ClaudeEngine::take(const KnownFrame&, const Step&) {}

void ClaudeEngine::take(const StrangeFrame& frame, const Step& step) {
  step.out.reports.emplace_back(agent_line(frame.fault, step.line));
}

void ClaudeEngine::note_denial(const std::string& call) {
  if (denied_calls_.size() < kDeniedCallsMax) denied_calls_.insert(call);
}

void ClaudeEngine::report_partial(std::string text, Reports& out) {
  if (text.empty()) return;
  const TurnId turn = turn_at_work(out);
  out.emplace_back(domain::ReportPartialOutput{turn, std::move(text)});
}

void ClaudeEngine::report_spending(domain::Spending spent, Reports& out) {
  if (spent.empty()) return;
  const TurnId turn = turn_at_work(out);
  out.emplace_back(domain::ReportSpending{turn, std::move(spent)});
}

LaunchPlan ClaudeEngine::plan() const {
  return claude_launch(settings_, session_);
}

bool ClaudeEngine::wants_exit() const {
  return has_lost_session_ || (has_result_ && !session_.spec.is_multi_turn);
}

std::string ClaudeEngine::next_request_id() {
  return "steno-" + std::to_string(++requests_);
}

std::unique_ptr<Engine> make_claude_engine(EngineSettings settings, SessionLaunch session) {
  return std::make_unique<ClaudeEngine>(std::move(settings), std::move(session));
}

const EngineKind kClaudeEngine{.name = "claude",
                               .description = "Claude Code",
                               .speaker = "Claude",
                               .title = "Claude Code",
                               .program = "claude",
                               .make = make_claude_engine,
                               .hook_points = kClaudeHookPoints,
                               .is_injecting = true,
                               .takes_files = true,
                               .has_login = true,
                               .is_pricing = true,
                               .count_others = count_answers_of_others};

}  // namespace engines
