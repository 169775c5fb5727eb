// Each line is read into a frame, and one overload of take() turns that frame into reports and
// answers.
#include "workers/engines/claude/claude_engine.hpp"

#include <algorithm>
#include <utility>

#include "workers/engines/agent_line.hpp"
#include "workers/engines/claude/claude_input.hpp"
#include "workers/engines/claude/claude_launch.hpp"

namespace engines {
namespace {

// Denied calls whose results have not come. An agent runs few calls at once; calls beyond this are
// recorded as errors only.
constexpr std::size_t kDeniedCallsMax = 1'000;
constexpr base::NanoUsd kTotalMax{base::kIntegerLimit - 1};
constexpr std::string_view kDenial =
    "Denied: this tool call needs an approval, and nobody can give one in this session. It was not "
    "carried out. Go on without it, and say what was left out and why it was needed.";
constexpr std::string_view kRefusal = "this host does not answer requests of that kind";

// Returns the turn that the result belongs to. A result names the prompts that it answers; one that
// names only another turn's prompt came late. One that names none, such as the refusal to resume an
// unknown session, belongs to the running turn.
TurnId turn_of(const ResultFrame& frame, TurnId current) {
  TurnId other;
  for (const std::string& prompt : frame.prompts) {
    const auto turn = TurnId::parse(prompt);
    if (turn == current) return current;
    if (turn) other = *turn;
  }
  return other.is_set() ? other : current;
}

}  // namespace

std::vector<Report> ClaudeEngine::on_line(ByteView line, Time now) {
  Reports out;
  const Step step{line, now, out};
  std::visit([&](const auto& frame) { take(frame, step); }, read_frame(line));
  // Partial text is reported after the frame, so that a block which the frame finishes is not
  // reported in part just before.
  report_partial(partial_.take_due(now), out);
  return out;
}

std::vector<Report> ClaudeEngine::on_time(Time now) {
  Reports out;
  report_partial(partial_.take_due(now), out);
  return out;
}

std::vector<Report> ClaudeEngine::on_end() {
  Reports out;
  report_partial(partial_.take_rest(), out);
  return out;
}

// The agent introduces itself at the start of every turn; only a change is reported.
void ClaudeEngine::take(const InitFrame& frame, const Step& step) {
  if (frame.init == last_init_) return;
  last_init_ = frame.init;
  step.out.emplace_back(frame.init);
}

void ClaudeEngine::take(const MessageFrame& frame, const Step& step) {
  for (const Block& block : frame.blocks) {
    if (frame.parent.empty() && std::holds_alternative<domain::ReportOutput>(block)) {
      partial_.drop();
    }
    std::visit(
        [&](auto report) {
          report.turn = turn_;
          report.parent = frame.parent;
          if constexpr (requires { report.is_denied; }) {
            report.is_denied = denied_calls_.erase(report.call) > 0;
          }
          step.out.emplace_back(std::move(report));
        },
        block);
  }
  if (frame.is_strange)
    step.out.emplace_back(agent_line(domain::LineFault::unknown_kind, step.line));
}

void ClaudeEngine::take(const ResultFrame& frame, const Step& step) {
  domain::ReportTurnResult result = frame.result;
  result.agent_total = std::min(result.agent_total.plus(cleared_total_.value), kTotalMax);
  agent_total_ = result.agent_total;
  result.turn = turn_of(frame, turn_);
  if (result.turn == turn_) {
    // The text has no finished block, so the partial text is all that is known of it.
    report_partial(partial_.take_rest(), step.out);
    has_result_ = true;
  }
  step.out.emplace_back(std::move(result));
}

// A stream that broke off begins anew and repeats its text.
void ClaudeEngine::take(const StreamStarted&, const Step&) {
  partial_.drop();
}

void ClaudeEngine::take(const TextDelta& frame, const Step& step) {
  partial_.add(frame.text, step.now);
}

// Every request is answered, because the agent waits for the answer.
void ClaudeEngine::take(const AgentRequest& frame, const Step& step) {
  if (frame.is_permission) {
    writes_ += deny_line(frame.id, frame.call, kDenial);
    note_denial(frame.call);
    return;  // the agent reports the denied call's result
  }
  writes_ += refusal_line(frame.id, kRefusal);
  step.out.emplace_back(agent_line(domain::LineFault::unknown_kind, step.line));
}

void ClaudeEngine::take(const CallDenied& frame, const Step&) {
  note_denial(frame.call);
}

// The cancelled turn gets a result; otherwise it would wait for one for ever.
void ClaudeEngine::take(const PromptCancelled& frame, const Step& step) {
  if (has_result_ || !turn_.is_set() || TurnId::parse(frame.prompt) != turn_) return;
  has_result_ = true;
  domain::ReportTurnResult result;
  result.turn = turn_;
  result.is_error = true;
  result.subtype = "cancelled";
  result.agent_total = agent_total_;
  step.out.emplace_back(std::move(result));
}

void ClaudeEngine::take(const ConversationReset&, const Step&) {
  cleared_total_ = agent_total_;
}

void ClaudeEngine::take(const KnownFrame&, const Step&) {}

void ClaudeEngine::take(const StrangeFrame& frame, const Step& step) {
  step.out.emplace_back(agent_line(frame.fault, step.line));
}

void ClaudeEngine::note_denial(const std::string& call) {
  if (denied_calls_.size() < kDeniedCallsMax) denied_calls_.insert(call);
}

void ClaudeEngine::report_partial(std::string text, Reports& out) const {
  if (!text.empty()) out.emplace_back(domain::ReportPartialOutput{turn_, std::move(text)});
}

Launch ClaudeEngine::launch() const {
  return claude_launch(settings_, session_);
}

// The agent needs no initialize request, but only that one can carry a system prompt.
Bytes ClaudeEngine::start() {
  if (session_.system_prompt.empty()) return {};
  return initialize_line(next_request_id(), session_.system_prompt);
}

Bytes ClaudeEngine::begin_turn(TurnId turn, ByteView prompt) {
  turn_ = turn;
  has_result_ = false;
  denied_calls_.clear();
  return prompt_line(turn, prompt);
}

Bytes ClaudeEngine::interrupt() {
  return interrupt_line(next_request_id());
}

Bytes ClaudeEngine::take_writes() {
  return std::exchange(writes_, {});
}

bool ClaudeEngine::wants_exit() const {
  return has_result_ && !session_.spec.is_multi_turn;
}

std::string ClaudeEngine::next_request_id() {
  return "steno-" + std::to_string(++requests_);
}

std::unique_ptr<Engine> make_claude_engine(EngineSettings settings, SessionLaunch session) {
  return std::make_unique<ClaudeEngine>(std::move(settings), std::move(session));
}

const EngineKind kClaudeEngine{"claude", "Claude Code", "claude", false, make_claude_engine};

}  // namespace engines
