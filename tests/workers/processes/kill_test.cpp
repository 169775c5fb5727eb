// Kills workers and keepers with SIGKILL, and checks that nothing of the agent's process tree is
// left.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>

#include "eventlog/base/file_lock.hpp"
#include "tests/support/agent_harness.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/watched_process.hpp"
#include "workers/processes/orphan_reaper.hpp"
#include "workers/processes/process_table.hpp"
#include "workers/processes/tree_mark.hpp"

namespace processes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::kDeadline;
using support::WatchedProcess;

// The tree of a dead worker or keeper must be gone within this time.
constexpr auto kGoneMax = seconds{2};

// A separate worker process with one agent, whose child runs in a session of its own.
struct TreeUnderTest {
  support::TemporaryFolder folder;
  std::string lock_file = folder.file("session.lock");
  pid_t worker_pid = -1;
  pid_t agent_pid = -1;
  pid_t child_pid = -1;
  std::string output;
  std::optional<WatchedProcess> worker, keeper, agent, child;

  ~TreeUnderTest() {
    if (worker_pid >= 0) ::kill(worker_pid, SIGKILL);
    // Orphans of the tests come to this process, since not every init reaps the dead. All of them
    // have ended, or a test has failed.
    while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
  }

  bool start(const std::string& prompt) {
    if (!become_subreaper()) return false;
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return false;
    from_worker_ = base::UniqueFd(fds[0]);
    const base::UniqueFd to_us(fds[1]);
    std::vector<std::string> words = {
        STENO_TEST_WORKER,          STENO_KEEPER,        lock_file, folder.path(),
        support::user_line(prompt), STENO_SCRIPTED_AGENT};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to_us.get(), STDOUT_FILENO);
    const int error = ::posix_spawn(&worker_pid, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return error == 0 && find_processes();
  }

  // Reads the worker's output until it contains `part`. False: it did not in time.
  bool read_until(const std::string& part) {
    base::SystemClock clock;
    const auto deadline = clock.boot() + kDeadline;
    while (output.find(part) == std::string::npos) {
      pollfd fd{from_worker_.get(), POLLIN, 0};
      if (clock.boot() > deadline || ::poll(&fd, 1, 1000) < 0) return false;
      if (fd.revents == 0) continue;
      char chunk[4096];
      const ssize_t count = ::read(from_worker_.get(), chunk, sizeof chunk);
      if (count <= 0) return false;
      output.append(chunk, static_cast<std::size_t>(count));
    }
    return true;
  }

 private:
  bool find_processes() {
    if (!read_until("child ") || !read_until("\"}]")) return false;
    agent_pid = static_cast<pid_t>(support::number_after(output, "started "));
    child_pid = static_cast<pid_t>(support::number_after(output, "child "));
    const auto row = read_process(agent_pid);
    if (!row) return false;
    worker.emplace(worker_pid);
    keeper.emplace(row->parent);
    agent.emplace(agent_pid);
    child.emplace(child_pid);
    return worker->is_running() && keeper->is_running() && agent->is_running() &&
           child->is_running() && base::is_locked(lock_file).value();
  }

  base::UniqueFd from_worker_;
};

TEST_CASE("after the death of a worker its agents' trees are gone within 2 s",
          "[workers][.crash][C14]") {
  for (const char* prompt : {"[child] [hang]", "[child] [deaf] [hang]", "[child bare] [hang]"}) {
    TreeUnderTest tree;
    REQUIRE(tree.start(prompt));
    base::SystemClock clock;
    const auto killed_at = clock.boot();
    tree.worker->send(SIGKILL);
    CHECK(tree.keeper->ends_within(kGoneMax));
    CHECK(tree.agent->ends_within(milliseconds{0}));
    CHECK(tree.child->ends_within(milliseconds{0}));
    CHECK(clock.boot() - killed_at < kGoneMax);
    CHECK_FALSE(base::is_locked(tree.lock_file).value());
  }
}

TEST_CASE("after the death of a keeper the worker ends the tree", "[workers][.crash]") {
  for (const char* prompt : {"[child] [hang]", "[child] [deaf] [hang]", "[child bare] [hang]"}) {
    TreeUnderTest tree;
    REQUIRE(tree.start(prompt));
    tree.keeper->send(SIGKILL);
    CHECK(tree.agent->ends_within(kGoneMax));
    CHECK(tree.child->ends_within(kGoneMax));
    CHECK(tree.read_until("exited -1 9 0"));
    CHECK_FALSE(base::is_locked(tree.lock_file).value());
    CHECK(tree.worker->ends_within(kDeadline));
  }
}

TEST_CASE("after the death of both the reaper at start-up ends the tree",
          "[workers][.crash][C14]") {
  // The bare child has cleared its environment.
  const char* prompt = GENERATE("[child] [hang]", "[child bare] [hang]");
  TreeUnderTest tree;
  REQUIRE(tree.start(prompt));
  tree.keeper->send(SIGSTOP);  // a stopped keeper cannot act when the worker dies
  tree.worker->send(SIGKILL);
  REQUIRE(tree.worker->ends_within(kDeadline));
  CHECK(reap_orphans(tree.folder.path()).value().empty());  // its lock is still held
  CHECK(tree.child->is_running());

  tree.keeper->send(SIGKILL);
  REQUIRE(tree.keeper->ends_within(kDeadline));
  REQUIRE(tree.child->is_running());  // nobody is left to end it
  CHECK_FALSE(base::is_locked(tree.lock_file).value());
  const auto orphans = reap_orphans(tree.folder.path());
  REQUIRE(orphans);
  CHECK_FALSE(orphans->empty());
  for (const auto& orphan : *orphans) CHECK(orphan.lock_file == tree.lock_file);
  CHECK(tree.agent->ends_within(kGoneMax));
  CHECK(tree.child->ends_within(kGoneMax));
  CHECK(reap_orphans(tree.folder.path()).value().empty());
}

TEST_CASE("a tree has the mark of its session's lock file, whatever its members do",
          "[workers][.crash]") {
  TreeUnderTest tree;
  REQUIRE(tree.start("[child bare] [hang]"));
  const auto mark = tree_mark(tree.lock_file.c_str());
  REQUIRE(mark);
  CHECK(mark_of(tree.agent_pid) == mark);
  CHECK(mark_of(tree.child_pid) == mark);
  CHECK_FALSE(mark_of(::getpid()));
  CHECK_FALSE(tree_mark((tree.lock_file + ".none").c_str()));
  const support::TemporaryFolder other;
  std::ofstream(other.file("session.lock")) << "";
  CHECK(tree_mark(other.file("session.lock").c_str()) != mark);
}

TEST_CASE("the reaper leaves other folders' processes alone", "[workers][.crash]") {
  TreeUnderTest tree;
  REQUIRE(tree.start("[child] [hang]"));
  tree.keeper->send(SIGSTOP);
  tree.worker->send(SIGKILL);
  tree.keeper->send(SIGKILL);
  REQUIRE(tree.keeper->ends_within(kDeadline));
  const support::TemporaryFolder other;
  CHECK(reap_orphans(other.path()).value().empty());
  CHECK(tree.child->is_running());
  CHECK_FALSE(reap_orphans(other.file("none")));
  CHECK_FALSE(base::is_locked(tree.lock_file).value());
  CHECK_FALSE(reap_orphans(tree.folder.path()).value().empty());
  CHECK(tree.child->ends_within(kGoneMax));
}

TEST_CASE("a keeper that was stopped does not save the tree from a kill", "[workers][.crash]") {
  support::AgentHarness harness;
  REQUIRE(become_subreaper());
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(support::user_line("[child] [hang]")));
  REQUIRE(harness.pump_until_line("child "));
  const WatchedProcess child(support::number_after(harness.line_with("child "), "child "));
  const auto agent = read_process(static_cast<pid_t>(harness.find<ProcessStarted>()->pid));
  REQUIRE(agent);
  WatchedProcess(agent->parent).send(SIGSTOP);
  harness.process->kill();
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->signal == 9);
  CHECK_FALSE(child.is_running());
  CHECK_FALSE(base::is_locked(harness.plan.lock_file).value());
}

TEST_CASE("the death of one keeper does not touch another session", "[workers][.crash]") {
  support::AgentHarness first;
  support::AgentHarness second;
  REQUIRE(become_subreaper());
  REQUIRE(first.start());
  REQUIRE(second.start());
  for (auto* harness : {&first, &second}) {
    REQUIRE(harness->process->write(support::user_line("[child] [say up]")));
    REQUIRE(harness->pump_until_line("\"result\":\"up\""));
  }
  const auto agent = read_process(static_cast<pid_t>(first.find<ProcessStarted>()->pid));
  REQUIRE(agent);
  const WatchedProcess others_child(support::number_after(second.line_with("child "), "child "));
  WatchedProcess(agent->parent).send(SIGKILL);
  REQUIRE(first.pump_until_over());
  REQUIRE(first.exited());
  CHECK(first.exited()->signal == 9);
  CHECK(others_child.is_running());
  REQUIRE(second.process->write(support::user_line("[say still here]")));
  REQUIRE(second.pump_until_line("\"result\":\"still here\""));
  second.process->close_stdin();
  REQUIRE(second.pump_until_over());
  CHECK(second.exited()->code == 0);
  CHECK_FALSE(others_child.is_running());
}

}  // namespace
}  // namespace processes
