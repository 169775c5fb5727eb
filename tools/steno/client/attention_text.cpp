// The words differ by how the session came to need somebody; the kinds are the domain's.
#include "tools/steno/client/attention_text.hpp"

#include "tools/steno/text/units.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/end_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using domain::Attention;

std::string denials_text(const projections::SessionRow& row) {
  return workers::safe_line(workers::denied_text(row.denied, row.denied_tools));
}

std::string failed_text(const projections::SessionRow& row) {
  const domain::EndReason reason =
      row.pause != domain::EndReason::none ? row.pause : row.end_reason;
  const std::string why = " (" + std::string(base::enum_name(reason)) + ")";
  if (row.pause == domain::EndReason::none) return std::string(base::enum_name(row.status)) + why;
  const bool is_unbegun = row.pause == domain::EndReason::start_failed;
  return (is_unbegun ? "agent not started" : "turn failed") + why + ", " +
         std::to_string(row.turns_waiting) + " waiting";
}

// Returns the limit that the session has reached; none: it is that of its output.
domain::EndReason limit_of(const projections::SessionRow& row) {
  using domain::EndReason;
  if (domain::is_cap(row.pause) || row.pause == EndReason::usage_limit) return row.pause;
  if (row.pause == EndReason::none && row.day_over.us != 0) return EndReason::daily_budget;
  if (domain::is_spent(row.end_reason) || domain::is_cap(row.end_reason)) {
    return row.end_reason;
  }
  if (row.budget.value > 0 && row.cost >= row.budget) return EndReason::budget;
  return domain::used_up(row.use_limits, {domain::tokens_of(row.usage), row.tool_calls, 0});
}

std::string over_budget_text(const projections::SessionRow& row) {
  switch (limit_of(row)) {
    case domain::EndReason::budget:
      return "over budget";
    case domain::EndReason::daily_budget:
      return "over the budget for the day";
    case domain::EndReason::agent_budget:
      return "over the agent's budget over all time";
    case domain::EndReason::usage_limit:
      return "provider's limit until " + short_time_text(row.paused_until);
    case domain::EndReason::max_tokens:
      return "over budget: tokens";
    case domain::EndReason::max_tool_calls:
      return "over budget: tool calls";
    default:
      return "over budget: output";
  }
}

}  // namespace

std::string attention_text(const projections::SessionRow& row) {
  switch (row.attention) {
    case Attention::none:
      return {};
    case Attention::waiting_for_input:
      return std::string("waiting for input") + (row.denied > 0 ? ", " + denials_text(row) : "") +
             (row.tasks_lost > 0 ? ", " + tasks_text(row.tasks_lost) + " lost" : "");
    case Attention::stuck:
      return row.is_repeating ? "stuck: repeats a tool call" : "stuck: silent";
    case Attention::over_budget:
      return over_budget_text(row);
    case Attention::failed:
      return failed_text(row);
    case Attention::denied:
      return "completed, but " + denials_text(row);
    case Attention::ended_idle:
      return std::string(base::enum_name(row.status)) + " (idle): no prompt came";
    case Attention::asks:
      return workers::asks_text(row.asks);
  }
  return {};
}

std::string allow_flags(const std::vector<std::string>& tools) {
  std::string flags;
  for (const std::string& tool : tools) {
    if (!needs_answer(tool)) flags += " --allow-tool " + workers::safe_line(tool);
  }
  return flags;
}

bool needs_answer(std::string_view tool) {
  return tool == "AskUserQuestion" || tool == "ExitPlanMode";
}

std::string attention_command(const projections::SessionRow& row, std::string_view agent) {
  const bool is_live = domain::is_live(row.status);
  const std::string named = " " + row.alias + (row.agent == agent ? "" : " --agent " + row.agent);
  switch (row.attention) {
    case Attention::none:
      return {};
    case Attention::waiting_for_input:
      return "steno send" + named + " 'PROMPT'";
    case Attention::stuck:
      return "steno interrupt" + named;
    case Attention::over_budget:
      if (row.pause == domain::EndReason::agent_budget ||
          row.pause == domain::EndReason::usage_limit) {
        return "steno continue" + named;
      }
      if (is_live && limit_of(row) == domain::EndReason::daily_budget) return "steno show" + named;
      if (limit_of(row) != domain::EndReason::budget) {
        return (is_live ? "steno kill" + named + "; " : "") + "steno resume" + named;
      }
      return (is_live ? "steno kill" + named + "; " : "") + "steno resume" + named +
             " --budget-usd AMOUNT";
    case Attention::failed: {
      // A session whose agent never began cannot be resumed.
      const bool has_begun = !row.agent_session.empty();
      return (is_live ? "steno continue" : has_begun ? "steno resume" : "steno show") + named;
    }
    case Attention::denied:
      return "steno resume" + named + allow_flags(row.denied_tools);
    case Attention::asks:
      return "steno approvals" + named;
    case Attention::ended_idle:
      return (row.agent_session.empty() ? "steno show" : "steno resume") + named;
  }
  return {};
}

std::string reason_text(domain::EndReason reason) {
  if (reason == domain::EndReason::idle) return "idle: no prompt came within idle_timeout";
  if (reason == domain::EndReason::expired) return "expired: it could not be started in time";
  if (reason == domain::EndReason::run_timeout) return "run_timeout: it ran for too long";
  if (reason == domain::EndReason::repeated_calls) {
    return "repeated_calls: the agent made one tool call again and again";
  }
  if (reason == domain::EndReason::hook_unanswered) {
    return "hook_unanswered: a hook gave no verdict on a tool call, and hooks_must_answer is on";
  }
  if (reason == domain::EndReason::daily_budget) {
    return "daily_budget: the agent's sessions have spent what they may today";
  }
  if (reason == domain::EndReason::agent_budget) {
    return "agent_budget: the agent's sessions have spent what they may over all time";
  }
  if (reason == domain::EndReason::max_tokens) return "max_tokens: it has used all its tokens";
  if (reason == domain::EndReason::max_tool_calls) {
    return "max_tool_calls: it has made all its tool calls";
  }
  if (reason == domain::EndReason::max_output_bytes) {
    return "max_output_bytes: its agent and tools have said all that they may";
  }
  if (reason == domain::EndReason::usage_limit) {
    return "usage_limit: the provider takes nothing more for a while";
  }
  return std::string(base::enum_name(reason));
}

}  // namespace steno
