// Puts a row's fields into words.
#include "tools/steno/operations/session_text.hpp"

#include "eventlog/domain/session/cost_text.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

std::string status_text(const projections::SessionRow& row) {
  std::string text(base::enum_name(row.status));
  if (row.is_waiting_for_input) text += ", waiting";
  if (row.is_parked) text += ", parked";
  if (row.tasks > 0) text += ", " + tasks_text(row.tasks);
  if (row.pause == domain::EndReason::session_limit) {
    text += ", waits for a place";
  } else if (row.pause != domain::EndReason::none) {
    text += ", paused";
  }
  if (row.attention == domain::Attention::stuck) text += ", stuck";
  const bool is_asked_for =
      row.end_reason == domain::EndReason::none || row.end_reason == domain::EndReason::user;
  const bool is_killed = row.status == domain::SessionStatus::killed && !is_asked_for;
  const bool is_of_interest =
      row.status == domain::SessionStatus::failed || row.status == domain::SessionStatus::completed;
  if ((is_of_interest && row.end_reason != domain::EndReason::none) || is_killed) {
    text += " (" + std::string(base::enum_name(row.end_reason)) + ")";
  }
  if (!row.terminal_reason.empty()) text += ", " + workers::safe_line(row.terminal_reason);
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
  return "ends in " + duration_text(std::max(left, base::Duration{0}));
}

base::Duration age_of(const projections::SessionRow& row, base::Time now) {
  return (row.closed_at.us != 0 ? row.closed_at : now) - row.created_at;
}

std::string ran_text(const projections::SessionRow& row, base::Time now) {
  return duration_text(age_of(row, now));
}

std::string cost_text(const projections::SessionRow& row) {
  return domain::cost_text(row.cost, row.cost_basis);
}

std::string dollars_text(base::NanoUsd amount) {
  return std::string("$").append(usd_text(amount));
}

}  // namespace steno
