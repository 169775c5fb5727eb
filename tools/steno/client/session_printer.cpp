// Continues the line of streamed text, and does not repeat it when the whole block arrives.
#include "tools/steno/client/session_printer.hpp"

#include "eventlog/domain/all_events.hpp"
#include "tools/steno/client/attention_text.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/text/ask_risk.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/end_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

// Of what an agent asks; steno approvals shows all.
constexpr std::size_t kAskLinesMax = 40;

using workers::lines_of;
using workers::safe_line;
using workers::safe_text;

// Returns the duration in tenths of a second.
base::Duration rounded(base::Duration duration) {
  constexpr std::int64_t kTenth = 100'000;
  return base::Duration{(duration.count() + kTenth / 2) / kTenth * kTenth};
}

// Returns the column behind `text`, which begins in `column`.
std::size_t columns_after(std::size_t column, std::string_view text) {
  constexpr std::size_t kTabStop = 8;
  if (const std::size_t feed = text.rfind('\n'); feed != std::string_view::npos) {
    text.remove_prefix(feed + 1);
    column = 0;
  }
  for (std::size_t tab = 0; (tab = text.find('\t')) != std::string_view::npos;) {
    column = (column + workers::columns_of(text.substr(0, tab))) / kTabStop * kTabStop + kTabStop;
    text.remove_prefix(tab + 1);
  }
  return column + workers::columns_of(text);
}

}  // namespace

bool is_shown_whole(domain::AskKind kind, const workers::AskText& ask) {
  // One that is too long for an answer, or cannot be read, has none.
  return !ask.input.empty() && workers::ask_lines(kind, ask, 0).size() <= kAskLinesMax;
}

void SessionPrinter::show(const workers::SeenEvent& seen) {
  const std::string none;
  const std::string& text = seen.recorded.content ? seen.recorded.content->text : none;
  domain::visit([&](const auto& event) { on(event, text); }, seen.recorded.event);
}

void SessionPrinter::end_line() {
  if (is_mid_line_) print("\n");
  is_mid_line_ = false;
  flush();
}

void SessionPrinter::on(const domain::OutputRecorded& event, const std::string& text) {
  if (event.kind != domain::OutputKind::text) return;
  if (!event.parent.empty()) {
    for (const std::string_view line : lines_of(text)) note(event.parent, std::string(line));
    return;
  }
  // Text of the block that was already streamed is not repeated.
  const bool is_continued = !partial_.empty() && text.starts_with(partial_);
  if (!is_continued) end_line();
  say(std::string_view(text).substr(is_continued ? partial_.size() : 0));
  end_block();
  last_said_ = text;
}

void SessionPrinter::end_block() {
  end_line();
  partial_.clear();
}

void SessionPrinter::on(const domain::PartialOutputRecorded&, const std::string& text) {
  partial_ += text;
  say(text);
  flush();
}

void SessionPrinter::on(const domain::ToolCallStarted& event, const std::string& input) {
  note(event.parent, calls_.begin(event.call, event.tool, input));
}

void SessionPrinter::on(const domain::ToolCallFinished& event, const std::string& output) {
  if (!event.is_error) return calls_.end(event.call);
  // What a person has denied lacks no permission, and names no tool.
  const bool is_decided = event.is_denied && event.tool.empty();
  note(event.parent, is_decided ? calls_.refuse(event.call, output)
                                : calls_.fail(event.call, event.is_denied, output));
}

void SessionPrinter::on(const domain::OwnTurnStarted& event, const std::string&) {
  end_block();
  const bool is_woken = event.cause == domain::OwnTurnCause::wake_up;
  const bool is_told = event.cause == domain::OwnTurnCause::task;
  note("", std::string("↪ the agent goes on by itself") + (is_told    ? ": a task has ended"
                                                           : is_woken ? ": it had asked to be woken"
                                                                      : ""));
}

void SessionPrinter::on(const domain::TasksChanged& event, const std::string& text) {
  if (event.is_given_up) {
    return note("", "⌛ the tasks in the background are not waited for any longer (task_wait)");
  }
  // Without a text no task runs, but the agent has still to deal with the end of one.
  if (text.empty()) return;
  note("", "⋯ " + tasks_text(event.tasks) + " in the background: " + safe_line(text));
}

void SessionPrinter::on(const domain::ModelCallRetried& event, const std::string&) {
  const std::string status =
      event.api_status == 0 ? "" : " (HTTP " + std::to_string(event.api_status) + ")";
  const std::string most =
      event.attempts_max == 0 ? "" : " of " + std::to_string(event.attempts_max);
  note("", "↻ a call of the model failed: " + safe_line(event.error) + status +
               "; the agent tries again in " + exact_duration_text(rounded(event.delay)) +
               ", attempt " + std::to_string(event.attempt) + most);
}

void SessionPrinter::on(const domain::ModelFellBack& event, const std::string&) {
  note("", "⇄ the agent goes on with " + safe_line(event.to) + " instead of " +
               safe_line(event.from) +
               (event.cause.empty() ? "" : " (" + safe_line(event.cause) + ")"));
}

void SessionPrinter::on(const domain::TurnReturned& event, const std::string&) {
  if (event.attempts == 0) return;
  end_block();
  note("", "↻ the turn was cut off, and an agent is given its prompt again, attempt " +
               std::to_string(event.attempts + 1) + " of " +
               std::to_string(domain::kTurnAttemptsMax));
}

void SessionPrinter::on(const domain::PromptInjected& event, const std::string& text) {
  end_block();
  note("", "↳ added to the turn: " + safe_line(domain::prompt_text(text, event.files)));
}

void SessionPrinter::on(const domain::ToolCallDenied& event, const std::string&) {
  note("", "✗ " + calls_.deny(event.call, event.tool) + ": denied");
}

void SessionPrinter::on(const domain::AgentNoted& event, const std::string& text) {
  if (domain::is_warning(event)) note("", "⚠ " + safe_line(text));
}

void SessionPrinter::on(const domain::McpServersReported& event, const std::string&) {
  if (!event.broken.empty()) note("", "⚠ " + safe_line(workers::mcp_text(event.broken)));
}

void SessionPrinter::on(const domain::HookRan& event, const std::string& text) {
  if (const std::string line = workers::hook_text(event, text); !line.empty())
    note("", "⚠ " + line);
}

void SessionPrinter::show_ask(const domain::AskRaised& event, const std::string& text,
                              std::int64_t left_out) {
  if (!domain::is_for_people(event.kind)) return;
  end_block();
  const workers::AskText ask = workers::read_ask(text);
  std::string head = "❓ request " + std::to_string(event.ask) + " ";
  switch (event.kind) {
    case domain::AskKind::question:
      head += "asks:";
      break;
    case domain::AskKind::plan:
      head += "proposes a plan:";
      break;
    case domain::AskKind::approval: {
      head += "asks for approval: " + workers::ask_line(event.kind, event.tool, ask);
      const workers::AskRisk risk = workers::risk_of(event.tool, ask);
      for (const std::string& reason : risk.reasons) {
        head += (&reason == &risk.reasons.front() ? " (" : ", ") + reason;
      }
      if (!risk.reasons.empty()) head += ")";
      break;
    }
    case domain::AskKind::step:
      break;
  }
  note("", head);
  const std::string why = workers::why_text(ask, event.rule, event.pattern);
  if (!why.empty()) note("", "     why: " + why);
  if (left_out == 0 && ask.input.empty()) note("", "     its input cannot be shown here");
  if (left_out > 0) {
    note("",
         "     its input has " + std::to_string(left_out) + " bytes, too many to be shown here");
  }
  for (const std::string& line : workers::ask_lines(event.kind, ask, kAskLinesMax)) {
    note("", "     " + line);
  }
}

void SessionPrinter::on(const domain::AskAnswered& event, const std::string& text) {
  if (event.point != domain::HookPoint::none) {
    const bool is_blocked = event.verdict == domain::AskVerdict::denied;
    const std::string line = workers::step_text(event, text);
    if (!line.empty()) note("", (is_blocked ? "⛔ " : "⚑ ") + line);
    return;
  }
  const bool is_granted = event.verdict == domain::AskVerdict::granted;
  note("", std::string(is_granted ? "✅" : "⛔") + " request " + std::to_string(event.ask) + " " +
               workers::answered_text(event, text, {}));
}

void SessionPrinter::on(const domain::AskClosed& event, const std::string&) {
  if (event.end == domain::AskEnd::told || event.point != domain::HookPoint::none) return;
  note("", "↩ request " + std::to_string(event.ask) + " " + workers::over_text(event.end));
}

void SessionPrinter::on(const domain::AgentSilenceReported& event, const std::string&) {
  if (event.is_over) return;
  const bool is_told = event.silence.count() > 0;
  note("", "⋯ the agent has been silent" +
               (is_told ? " for " + duration_text(event.silence) : std::string(" for a while")));
}

// A limit that allows all is no news to people.
void SessionPrinter::on(const domain::RateLimitReported& event, const std::string&) {
  if (event.status == "allowed") return;
  note("", "⚠ rate limit " + safe_line(event.limit) + ": " + safe_line(event.status) +
               (event.resets_at.us == 0 ? "" : ", until " + short_time_text(event.resets_at)));
}

void SessionPrinter::on(const domain::ContextCompacted& event, const std::string&) {
  note("", "⇲ the conversation was summarized: " + std::to_string(event.tokens_before) + " → " +
               std::to_string(event.tokens_after) + " tokens");
}

void SessionPrinter::on(const domain::AgentStatusReported& event, const std::string&) {
  if (!event.status.empty()) note("", "… the agent is " + safe_line(event.status));
  if (!event.permission_mode.empty()) {
    note("", "⚙ the agent's permissions are now " + safe_line(event.permission_mode));
  }
  if (!event.error.empty()) note("", "⚠ that failed: " + safe_line(event.error));
}

void SessionPrinter::on(const domain::ToolCallsRepeated& event, const std::string&) {
  note("", "⚠ the agent has made the same call of " + safe_line(event.tool) + " " +
               std::to_string(event.repeats) + " times in a row, with the same result");
}

void SessionPrinter::on(const domain::AgentSessionLost&, const std::string& text) {
  note("", "⚠ the agent cannot go on with its own session (" + safe_line(text) +
               "); a new one is told what the record holds, if it holds anything");
}

void SessionPrinter::on(const domain::TranscriptWritesLost& event, const std::string&) {
  note("", "⚠ the agent could not write all of its transcript" +
               (event.error.empty() ? "" : " (" + safe_line(event.error) + ")") +
               "; the next agent process is told what the record holds");
}

void SessionPrinter::on(const domain::AgentSessionShared& event, const std::string&) {
  note("", "⚠ " + safe_line(workers::shared_text(event)));
}

void SessionPrinter::on(const domain::TasksLost& event, const std::string&) {
  note("", "⚠ " + tasks_text(event.tasks) + " in the background ended with the agent, undone");
}

void SessionPrinter::on(const domain::QueuePaused& event, const std::string& text) {
  if (event.reason == domain::EndReason::daily_budget) {
    note("", "⏸ the agent's budget for the day is spent; prompts wait until 00:00 UTC");
    return;
  }
  if (event.reason == domain::EndReason::agent_budget) {
    note("", "⏸ the agent's budget over all time is spent (agent_budget_usd); prompts wait");
    return;
  }
  if (event.reason == domain::EndReason::usage_limit) {
    end_block();
    if (!text.empty()) note("", "❌ " + safe_line(text));
    note("", "⏸ the provider's limit of use is reached; prompts wait until " +
                 short_time_text(event.until) + ", or until steno continue");
    return;
  }
  if (event.reason == domain::EndReason::deferred) {
    note("", "⏸ the agent waits without a process; the answer starts one that goes on");
    return;
  }
  if (event.reason == domain::EndReason::session_limit) {
    note(
        "",
        "⏸ as many sessions are running as may (max_sessions); the prompt waits until a place is "
        "free");
    return;
  }
  if (event.until.us != 0) {
    note("",
         "↻ the prompt waits, and an agent is started again at " + short_time_text(event.until));
    return;
  }
  note("", "⏸ the prompts that wait are paused; steno continue gives them to the agent");
}

void SessionPrinter::on(const domain::TurnFinished& event, const std::string& text) {
  end_block();
  if (event.is_answer) say(text);
  const std::string end = workers::end_text(event, !text.empty());
  if (!end.empty()) note("", "⚠ " + safe_line(end));
  end_block();
}

void SessionPrinter::on(const domain::TurnFailed& event, const std::string& text) {
  end_block();
  const std::string reason = workers::failure_reason(event);
  // A call of the model that failed is told by the agent as if it said it.
  const bool is_said = text.empty() || text == last_said_;
  note("", "❌ turn failed" + (reason.empty() ? "" : " (" + reason + ")") +
               (is_said ? "" : ": " + text));
}

void SessionPrinter::on(const domain::TurnInterrupted& event, const std::string&) {
  end_block();
  const bool is_asked_for = event.reason == domain::EndReason::user;
  const bool is_of_agent = event.reason == domain::EndReason::worker_lost ||
                           event.reason == domain::EndReason::agent_exited ||
                           event.reason == domain::EndReason::stopped;
  if (is_of_agent) {
    for (const std::string& call : calls_.take_open()) note("", "✗ " + call + ": cut off");
  }
  note("", "⛔ turn interrupted" + (is_asked_for ? "" : ": " + reason_text(event.reason)));
}

void SessionPrinter::on(const domain::AgentStartFailed&, const std::string& text) {
  note("", "❌ the agent could not be started: " + text);
}

void SessionPrinter::on(const domain::AgentExited& event, const std::string& stderr_tail) {
  if (event.is_stopped || (event.exit_code == 0 && event.signal == 0)) return;
  std::string line = event.signal != 0
                         ? "the agent was ended by signal " + std::to_string(event.signal)
                         : "the agent exited with code " + std::to_string(event.exit_code);
  if (!stderr_tail.empty()) line += ": " + stderr_tail;
  note("", line);
}

void SessionPrinter::say(std::string_view text) {
  if (text.empty()) return;
  const std::string shown = is_terminal_ ? safe_text(text) : std::string(text);
  print(shown);
  columns_ = columns_after(is_mid_line_ ? columns_ : 0, shown);
  is_mid_line_ = text.back() != '\n';
}

void SessionPrinter::note(std::string_view parent, const std::string& line) {
  end_line();
  remark(std::string(parent.empty() ? "" : workers::kSubagentMark) + line);
}

}  // namespace steno
