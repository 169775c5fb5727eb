// When Claude Code has come to rest: the rule over single frames, then over all recordings, in
// which no agent may go on after it was held to rest.
#include "workers/engines/claude/claude_tasks.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace engines {
namespace {

using domain::ReportTasksChanged;

constexpr StateChanged kIdle{true};
constexpr StateChanged kBusy{false};
constexpr Time kStart{1'000'000};

// A run in which a task begins, which goes on behind the run's result.
ClaudeTasks with_task() {
  ClaudeTasks tasks;
  tasks.on_line(kStart);
  tasks.on_state(kBusy);
  tasks.on_run_begun();
  tasks.on_tasks({1, "Wait"});
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{1, "Wait"});
  tasks.on_result(true);
  return tasks;
}

TEST_CASE("an agent without tasks is at rest from its result on", "[workers]") {
  ClaudeTasks tasks;
  tasks.on_run_begun();
  tasks.on_result(true);
  CHECK(tasks.left() == 0);
  CHECK_FALSE(tasks.take_change(kStart));
  CHECK_FALSE(tasks.deadline());
}

TEST_CASE("being idle does not end a command in the background", "[workers]") {
  ClaudeTasks tasks = with_task();
  tasks.on_state(kIdle);
  CHECK_FALSE(tasks.take_change(kStart));
  CHECK(tasks.left() == 1);
  CHECK_FALSE(tasks.deadline());
}

TEST_CASE("a task that has ended counts until the agent has dealt with it", "[workers]") {
  ClaudeTasks tasks = with_task();
  tasks.on_state(kIdle);
  tasks.on_tasks({});
  CHECK_FALSE(tasks.take_change(kStart));
  CHECK(tasks.left() == 1);
  tasks.on_state(kBusy);
  tasks.on_run_begun();
  CHECK(tasks.left() == 1);
  tasks.on_result(true);
  CHECK_FALSE(tasks.take_change(kStart));
  tasks.on_state(kIdle);
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{});
  CHECK(tasks.left() == 0);
}

TEST_CASE("other tasks are told, the same ones once", "[workers]") {
  ClaudeTasks tasks = with_task();
  tasks.on_tasks({1, "Wait"});
  CHECK_FALSE(tasks.take_change(kStart));
  tasks.on_tasks({1, "Look"});
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{1, "Look"});
  tasks.on_tasks({2, "Look; Wait"});
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{2, "Look; Wait"});
}

TEST_CASE("the end of a subagent beside a command is told", "[workers]") {
  ClaudeTasks tasks;
  tasks.on_tasks({2, "Look; Wait", 1});
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{2, "Look; Wait", false, 1});
  tasks.on_tasks({2, "Look; Wait", 0});
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{2, "Look; Wait"});
}

TEST_CASE("all tasks but shell commands are subagents", "[workers]") {
  const auto frame = read_frame(R"({"type":"system","subtype":"background_tasks_changed","tasks":[)"
                                R"({"task_id":"a","task_type":"local_bash","description":"Wait"},)"
                                R"({"task_id":"b","task_type":"local_agent","description":"Look"},)"
                                R"({"task_id":"c","task_type":"a new kind"},{"task_id":"d"}]})");
  const auto* changed = std::get_if<TasksChanged>(&frame);
  REQUIRE(changed);
  CHECK(changed->tasks == 4);
  CHECK(changed->subagents == 3);
  CHECK(changed->text == "Wait; Look");
}

TEST_CASE("silence stands for rest where no state follows", "[workers]") {
  ClaudeTasks tasks = with_task();
  const bool is_busy = GENERATE(true, false);
  tasks.on_state({!is_busy});
  tasks.on_tasks({});
  const auto silence = is_busy ? ClaudeTasks::kBusySilence : ClaudeTasks::kIdleSilence;
  REQUIRE(tasks.deadline());
  CHECK(*tasks.deadline() == kStart + silence);
  tasks.on_line(kStart + base::Duration{10});
  CHECK_FALSE(tasks.take_change(kStart + silence));
  CHECK(tasks.take_change(kStart + silence + base::Duration{10}) == ReportTasksChanged{});
  CHECK_FALSE(tasks.deadline());
}

TEST_CASE("a version that does not tell its tasks has some until it is idle", "[workers]") {
  ClaudeTasks tasks;
  tasks.on_line(kStart);
  tasks.on_state(kBusy);
  tasks.on_run_begun();
  CHECK(tasks.left() == 0);
  tasks.on_result(false);
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{1, ""});
  CHECK_FALSE(tasks.deadline());
  tasks.on_state(kIdle);
  CHECK(tasks.take_change(kStart) == ReportTasksChanged{});
}

TEST_CASE("a version that says nothing of all this rests from its result on", "[workers]") {
  ClaudeTasks tasks;
  tasks.on_run_begun();
  tasks.on_result(false);
  CHECK(tasks.left() == 0);
}

TEST_CASE("an open run is no silence", "[workers]") {
  ClaudeTasks tasks = with_task();
  tasks.on_tasks({});
  tasks.on_run_begun();
  CHECK_FALSE(tasks.deadline());
  CHECK_FALSE(tasks.take_change(kStart + base::Duration{3'600'000'000}));
}

// ---- recordings ----

bool begins_own_run(const std::string& line) {
  const JsonLine json(line);
  const auto frame = json.object();
  return frame && (*frame)["type"].text() == "system" && (*frame)["subtype"].text() == "init" &&
         (*frame)["user_message_uuids"].is_null();
}

// Plays a recording. Returns the number of runs that began although the agent was held to rest: no
// prompt without an answer, and no task left.
int runs_after_rest(const std::string& name) {
  const auto engine = driven_claude(engines::priced(), {});
  int open_prompts = 0;
  int found = 0;
  bool has_result = false;
  for (const RecordedLine& line : recording(name)) {
    const auto due = engine->deadline();
    if (due && *due <= line.at) engine->on_time(line.at);
    if (line.direction == "host->cli") {
      const JsonLine json(line.text);
      const auto said = json.object();
      if (said && (*said)["type"].text() == "user") {
        engine->begin_turn(recorded_turn(*said, ++open_prompts), "");
      }
    }
    if (line.direction != "cli->host") continue;
    if (has_result && open_prompts == 0 && !engine->has_tasks() && begins_own_run(line.text)) {
      ++found;
    }
    for (const Report& report : engine->on_line(line.text, line.at)) {
      if (!std::holds_alternative<domain::ReportTurnResult>(report)) continue;
      has_result = true;
      open_prompts = std::max(0, open_prompts - 1);
    }
  }
  return found;
}

TEST_CASE("what tasks have spent is told before their end", "[workers]") {
  // The agent ends its subagents, whose calls exceed the budget, and says nothing of it.
  const auto engine = driven_claude(engines::priced(), {});
  const std::vector<Report> reports = replayed(*engine, "budget_agent_bg_1");
  std::optional<std::size_t> last_spending;
  std::optional<std::size_t> end_of_tasks;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (std::holds_alternative<domain::ReportSpending>(reports[i])) last_spending = i;
    if (reports[i] == Report(ReportTasksChanged{})) end_of_tasks = i;
  }
  REQUIRE(last_spending);
  REQUIRE(end_of_tasks);
  CHECK(*last_spending < *end_of_tasks);
}

TEST_CASE("no agent in the recordings goes on after it was held to rest", "[workers]") {
  std::vector<std::string> found;
  int played = 0;
  for (const std::string folder : {"claude-2.1.329", "claude-2.1.112"}) {
    for (const auto& entry : std::filesystem::directory_iterator(recordings() / ".." / folder)) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string name = "../" + folder + "/" + entry.path().stem().string();
      ++played;
      if (runs_after_rest(name) > 0) found.push_back(entry.path().stem().string());
    }
  }
  CHECK(played > 100);
  // Nobody is told of a wake-up that is due, which is why agents are given none.
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::string>{"cron_once", "wakeup", "wakeup_interrupt"});
}

}  // namespace
}  // namespace engines
