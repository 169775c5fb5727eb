// Puts a row's fields into words.
#include "tools/steno/operations/session_text.hpp"

#include "tools/steno/text/units.hpp"

namespace steno {

std::string status_text(const projections::SessionRow& row) {
  std::string text(base::enum_name(row.status));
  if (row.is_waiting_for_input) text += ", waiting";
  if (row.tasks > 0) text += ", " + tasks_text(row.tasks);
  if (row.pause != domain::EndReason::none) text += ", paused";
  if (row.attention == domain::Attention::stuck) text += ", stuck";
  if (row.status == domain::SessionStatus::failed && row.end_reason != domain::EndReason::none) {
    text += " (" + std::string(base::enum_name(row.end_reason)) + ")";
  }
  return text;
}

std::string pause_text(domain::EndReason pause, const std::string& alias, base::Time until) {
  if (pause == domain::EndReason::daily_budget) {
    return "until 00:00 UTC, when its agent has a new budget for the day";
  }
  if (pause == domain::EndReason::usage_limit) {
    return "by its provider's limit of use, until " + short_time_text(until) + ": steno continue " +
           alias + " tries earlier";
  }
  if (until.us != 0) {
    return "until " + short_time_text(until) + ", when its agent is started again";
  }
  if (pause == domain::EndReason::start_failed) {
    return "since its agent could not be started: steno continue " + alias + " tries again";
  }
  return "behind a failed turn: steno continue " + alias;
}

base::Duration age_of(const projections::SessionRow& row, base::Time now) {
  return (row.closed_at.us != 0 ? row.closed_at : now) - row.created_at;
}

std::string ran_text(const projections::SessionRow& row, base::Time now) {
  return duration_text(age_of(row, now));
}

std::string dollars_text(base::NanoUsd amount) {
  return std::string("$").append(usd_text(amount));
}

}  // namespace steno
