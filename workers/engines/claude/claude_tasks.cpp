// Tasks that have begun count until the agent rests without any.
#include "workers/engines/claude/claude_tasks.hpp"

#include <algorithm>

namespace engines {

void ClaudeTasks::on_tasks(const TasksChanged& frame) {
  running_ = frame.tasks;
  subagents_ = frame.subagents;
  text_ = frame.text;
  has_begun_ |= running_ > 0;
  is_idle_ = false;
}

void ClaudeTasks::on_state(const StateChanged& frame) {
  is_busy_ = !frame.is_idle;
  is_idle_ = frame.is_idle;
}

void ClaudeTasks::on_result(bool tells_tasks) {
  is_run_open_ = false;
  is_idle_awaited_ = !tells_tasks && is_busy_;
  has_begun_ |= is_idle_awaited_;
}

std::int64_t ClaudeTasks::left() const {
  return has_begun_ ? std::max<std::int64_t>(running_, 1) : 0;
}

std::optional<base::Time> ClaudeTasks::deadline() const {
  const bool is_silent_only = has_begun_ && running_ == 0 && !is_run_open_ && !is_idle_awaited_;
  if (!is_silent_only) return std::nullopt;
  return heard_at_ + (is_busy_ ? kBusySilence : kIdleSilence);
}

bool ClaudeTasks::is_at_rest(base::Time now) const {
  if (running_ > 0 || is_run_open_) return false;
  const auto due = deadline();
  return is_idle_ || (due && now >= *due);
}

std::optional<domain::ReportTasksChanged> ClaudeTasks::take_change(base::Time now) {
  if (is_at_rest(now)) has_begun_ = false;
  const domain::ReportTasksChanged change{left(), text_, false, subagents_};
  const bool is_told = running_ == 0 ? change.tasks == told_.tasks : change == told_;
  if (is_told) return std::nullopt;
  return told_ = change;
}

}  // namespace engines
