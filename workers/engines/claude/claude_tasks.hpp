// Tells when Claude Code has come to rest: no run is open, no task runs in the background, and it
// will not go on because of one that has ended.
//
// Its frames say which tasks run, and when it is idle. It is idle also while commands run in the
// background. When a task has ended, another state follows, and a run of its own in most cases. The
// rule is that of the recordings (tests/golden/claude-*): idle, behind the last change of tasks.
#pragma once

#include <optional>

#include "workers/engines/claude/claude_frames.hpp"

namespace engines {

class ClaudeTasks {
 public:
  // Where no state follows, silence tells that it rests: two seconds after the last line, half a
  // minute if it has said that it works.
  static constexpr base::Duration kIdleSilence{2'000'000};
  static constexpr base::Duration kBusySilence{30'000'000};

  void on_line(base::Time now) { heard_at_ = now; }
  void on_tasks(const TasksChanged& frame);
  void on_state(const StateChanged& frame);
  void on_run_begun() { is_run_open_ = true; }
  // `tells_tasks`: this version of the agent does. Older ones are idle only when no task runs.
  void on_result(bool tells_tasks);

  std::int64_t running() const { return running_; }
  bool is_run_open() const { return is_run_open_; }
  base::Time heard_at() const { return heard_at_; }  // when the last line came
  // Tasks that run, or one that has ended with which the agent may have to deal; 0: it has none.
  std::int64_t left() const;
  // Returns the report of what has changed since the last call; none: nothing has.
  std::optional<domain::ReportTasksChanged> take_change(base::Time now);
  // When silence tells that the agent rests; none: it is not waited for.
  std::optional<base::Time> deadline() const;

 private:
  bool is_at_rest(base::Time now) const;

  std::int64_t running_ = 0;
  std::int64_t subagents_ = 0;  // of these
  std::string text_;
  bool has_begun_ = false;  // tasks have run since the agent rested
  bool is_run_open_ = false;
  bool is_idle_awaited_ = false;  // nothing else tells that no task runs
  bool is_busy_ = false;          // by its last state
  bool is_idle_ = false;          // by a state behind the last change of tasks
  base::Time heard_at_;
  domain::ReportTasksChanged told_;
};

}  // namespace engines
