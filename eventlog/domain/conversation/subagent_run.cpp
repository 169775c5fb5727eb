// Texts are any bytes, and are cut between characters as a reader sees them.
#include "eventlog/domain/conversation/subagent_run.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {

RunStatus status_of(const SubagentRun& run) {
  if (run.ended == Time{}) return RunStatus::running;
  switch (run.outcome) {
    case SubagentOutcome::error:
      return RunStatus::error;
    case SubagentOutcome::timeout:
      return RunStatus::timeout;
    case SubagentOutcome::unknown:
      return RunStatus::unknown;
    case SubagentOutcome::none:
    case SubagentOutcome::ok:
      break;
  }
  return RunStatus::done;
}

std::string label_of(const SubagentRun& run) {
  std::string_view label = trimmed(run.label);
  if (label.empty()) label = trimmed(run.task);
  return std::string(label.empty() ? "subagent" : label);
}

std::string short_label(const SubagentRun& run, std::int64_t characters_max) {
  std::string label = label_of(run);
  if (characters_max <= 0) return label;
  const std::string_view shown = first_shown(label, static_cast<std::size_t>(characters_max));
  if (shown.size() == label.size()) return label;
  return std::string(trimmed(shown)) + "…";
}

bool is_newer(const SubagentRun& one, const SubagentRun& other) {
  const auto start = [](const SubagentRun& run) {
    return run.started == Time{} ? run.created : run.started;
  };
  return start(one) > start(other);
}

std::optional<base::Duration> archive_after(std::optional<base::Duration> setting) {
  const base::Duration after = setting.value_or(kRunArchiveAfter);
  if (after.count() <= 0) return std::nullopt;
  return std::max(std::chrono::floor<std::chrono::minutes>(after), std::chrono::minutes(1));
}

std::string subagent_key(std::string_view agent, std::string_view id) {
  return format_session_key(normal_agent_id(agent), "subagent:" + key_word(id));
}

SubagentRun upgraded(SubagentRun run, const OldRunFields& old) {
  if (old.announce_completed != Time{}) run.cleaned_up = old.announce_completed;
  if (!run.is_announced) {
    run.is_announced = old.is_announce_handled.value_or(run.cleaned_up != Time{});
  }
  if (is_unknown(run.origin)) {
    run.origin.channel = old.channel;
    run.origin.account = old.account;
  }
  run.origin = normal_delivery(run.origin);
  return run;
}

}  // namespace domain
