// Puts a row's fields into words.
#include "workers/operations/session_text.hpp"

#include <algorithm>

#include "eventlog/base/time_text.hpp"
#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/session/cost_text.hpp"
#include "workers/operations/text_bounds.hpp"
#include "workers/text/amounts.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

std::string_view icon_of(domain::SessionStatus status) {
  switch (status) {
    case domain::SessionStatus::none:
    case domain::SessionStatus::starting:
      return "🟡";
    case domain::SessionStatus::running:
      return "🟢";
    case domain::SessionStatus::completed:
      return "✅";
    case domain::SessionStatus::failed:
      return "❌";
    case domain::SessionStatus::killed:
      return "⛔";
  }
  return {};
}

}  // namespace

std::string status_text(const projections::SessionRow& row) {
  std::string text(base::enum_name(row.status));
  if (row.is_waiting_for_input) text += ", waiting";
  if (row.is_parked) text += ", parked";
  if (row.tasks > 0) text += ", " + tasks_text(row.tasks);
  if (row.pause == domain::EndReason::session_limit) {
    text += ", waits for a place";
  } else if (row.pause != domain::EndReason::none && row.pause != domain::EndReason::deferred) {
    text += ", paused";
  }
  if (domain::is_unanswered(row.asks)) text += ", " + asks_text(row.asks);
  if (row.attention == domain::Attention::stuck) text += ", stuck";
  const bool is_asked_for =
      row.end_reason == domain::EndReason::none || row.end_reason == domain::EndReason::user;
  const bool is_killed = row.status == domain::SessionStatus::killed && !is_asked_for;
  const bool is_of_interest =
      row.status == domain::SessionStatus::failed || row.status == domain::SessionStatus::completed;
  if ((is_of_interest && row.end_reason != domain::EndReason::none) || is_killed) {
    text += " (" + std::string(base::enum_name(row.end_reason)) + ")";
  }
  if (!row.terminal_reason.empty()) text += ", " + safe_line(row.terminal_reason);
  if (row.denied > 0) text += ", " + std::to_string(row.denied) + " denied";
  return text;
}

std::string pause_text(domain::EndReason pause, const std::string& alias, base::Time until) {
  if (pause == domain::EndReason::daily_budget) {
    return "until 00:00 UTC, when its agent has a new budget for the day";
  }
  if (pause == domain::EndReason::agent_budget) {
    return "until a server has a larger agent_budget_usd: steno continue " + alias;
  }
  if (pause == domain::EndReason::usage_limit) {
    return "by its provider's limit of use, until " + short_time_text(until) + ": steno continue " +
           alias + " tries earlier";
  }
  if (pause == domain::EndReason::deferred) return "until what its agent asks is answered";
  if (pause == domain::EndReason::session_limit) {
    return "until a place is free, because as many sessions are running as may (max_sessions): "
           "it then goes on by itself; steno close or kill one of them to make room";
  }
  if (until.us != 0) {
    return "until " + short_time_text(until) + ", when its agent is started again";
  }
  if (pause == domain::EndReason::start_failed) {
    return "since its agent could not be started: steno continue " + alias + " tries again";
  }
  return "behind a failed turn: steno continue " + alias;
}

std::string idle_end_text(const projections::SessionRow& row, base::Time now) {
  if (row.idle_since.us == 0 || row.idle_timeout.count() <= 0) return {};
  const base::Duration left = row.idle_since + row.idle_timeout - now;
  // A server that was started since then gives it the whole time again.
  if (left.count() <= 0) return "ends within " + base::duration_text(row.idle_timeout);
  return "ends in " + base::duration_text(left);
}

base::Duration age_of(const projections::SessionRow& row, base::Time now) {
  if (row.closed_at.us == 0) return now - row.created_at;
  // What was imported ended before it was recorded.
  const bool was_elsewhere = row.imported->ended.us != 0;
  return (was_elsewhere ? row.imported->ended : row.closed_at) - row.created_at;
}

std::string ran_text(const projections::SessionRow& row, base::Time now) {
  return base::duration_text(age_of(row, now));
}

std::string cost_text(const projections::SessionRow& row) {
  return domain::cost_text(row.cost, row.cost_basis);
}

std::string labels_text(const projections::SessionRow& row) {
  std::string text;
  for (const std::string& label : row.labels) text += (text.empty() ? "" : ", ") + safe_line(label);
  return text;
}

std::string named_text(const projections::SessionRow& row) {
  return row.name + " [" + row.alias + "]";
}

std::string session_title(const projections::SessionRow& row, base::Time now) {
  return named_text(row) + " (" + ran_text(row, now) + ")";
}

std::string session_lines(const projections::SessionRow& row, const std::string& prompt,
                          base::Time now) {
  std::string text(icon_of(row.status));
  text.append(" ").append(status_text(row)).append(" ").append(session_title(row, now));
  text.append(" — ").append(row.foreground.empty() ? "background" : "foreground").append(", ");
  text.append(row.is_multi_turn ? "multi-turn" : "single-turn").append(", ");
  text += cost_text(row);
  text += "\n   📁 " + safe_line(row.workdir);
  if (!prompt.empty()) text += "\n   📝 " + prompt_beginning(prompt, kPromptColumnsMax);
  if (!row.agent_session.empty()) text += "\n   🔗 " + row.agent_session;
  if (row.resumed_from.is_set()) {
    text +=
        "\n   ↩️ resumed from " + row.resumed_from.text() + (row.is_fork ? " (forked)" : "");
  }
  return text;
}

std::string dollars_text(base::NanoUsd amount) {
  return std::string("$").append(usd_text(amount));
}

}  // namespace workers
