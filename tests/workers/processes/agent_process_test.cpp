// An agent's process under a real keeper: its whole life, inherited state, failed starts, odd
// output, flow control, and the end of its whole process tree.
#include "workers/processes/agent_process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "eventlog/base/file_lock.hpp"
#include "tests/support/agent_harness.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/watched_process.hpp"
#include "workers/processes/process_table.hpp"

namespace processes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::AgentHarness;
using support::kDeadline;
using support::user_line;
using support::WatchedProcess;

std::vector<std::string> sorted_lines(const AgentHarness& harness) {
  std::vector<std::string> out;
  for (const auto& line : harness.lines()) out.push_back(line.bytes);
  std::sort(out.begin(), out.end());
  return out;
}

// Returns the number behind "<field>:" in a file below /proc/<pid>, or -1.
std::int64_t proc_number(const std::string& pid, const char* file, const std::string& field) {
  std::ifstream in("/proc/" + pid + "/" + file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return support::number_after(text, field + ":");
}

// ---- a life ----

TEST_CASE("an agent answers, and exits when its stdin ends", "[workers][R056]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[say hello]")));
  REQUIRE(harness.pump_until_line("\"result\":\"hello\""));
  CHECK(base::is_locked(harness.plan.lock_file).value());
  harness.process->close_stdin();
  REQUIRE(harness.pump_until_over());
  REQUIRE(harness.exited());
  CHECK(*harness.exited() == ProcessExited{0, 0, 0, ""});
  CHECK_FALSE(base::is_locked(harness.plan.lock_file).value());
  CHECK(std::holds_alternative<ProcessStarted>(harness.events.front()));
  CHECK(std::holds_alternative<ProcessExited>(harness.events.back()));
  CHECK(harness.process->poll_wishes().empty());
}

TEST_CASE("the started process is named by pid and start time", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.pump_until([&] { return harness.find<ProcessStarted>() != nullptr; }));
  const auto started = *harness.find<ProcessStarted>();
  const auto row = read_process(static_cast<pid_t>(started.pid));
  REQUIRE(row);
  CHECK(static_cast<std::int64_t>(row->start_ticks) == started.start_ticks);
  CHECK(row->name == "steno-scripted-");
}

TEST_CASE("exit codes and signals are told", "[workers]") {
  const std::pair<const char*, ProcessExited> cases[] = {
      {"exit 3", {3, 0, 0, ""}}, {"kill -9 $$", {-1, 9, 0, ""}}, {"kill -15 $$", {-1, 15, 0, ""}}};
  for (const auto& [script, expected] : cases) {
    AgentHarness harness;
    REQUIRE(harness.start_shell(script));
    REQUIRE(harness.pump_until_over());
    REQUIRE(harness.exited());
    CHECK(*harness.exited() == expected);
  }
}

TEST_CASE("every line comes before the exit", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start_shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"));
  REQUIRE(harness.pump_until_over());
  const auto lines = harness.lines();
  REQUIRE(lines.size() == 20000);
  CHECK(lines.back() == Frame{"line 19999", FrameEnding::whole});
  CHECK(std::holds_alternative<ProcessExited>(harness.events.back()));
}

// ---- a terminal ----

TEST_CASE("an agent with a terminal has it at all three descriptors, and is controlled by it",
          "[workers]") {
  AgentHarness harness;
  harness.plan.agent.terminal = TerminalSize{100, 40};
  REQUIRE(
      harness.start_shell("tty; stty size; test -t 0 && test -t 1 && test -t 2 && echo three; "
                          "stty -echo; echo controlled >/dev/tty; read word; echo \"got $word\""));
  REQUIRE(harness.pump_until_line("controlled"));
  REQUIRE(harness.process->write("a word\n"));
  REQUIRE(harness.pump_until_over());
  CHECK(harness.line_with("/dev/pts/") != "");
  CHECK(harness.line_with("40 100") == "40 100\r");
  CHECK(harness.line_with("three") == "three\r");
  CHECK(harness.line_with("got") == "got a word\r");
  REQUIRE(harness.exited());
  CHECK(harness.exited()->code == 0);
}

TEST_CASE("an agent with a terminal is told the end of its input, also within a line",
          "[workers]") {
  for (const std::string last : {"", "whole\n", "begun"}) {
    AgentHarness harness;
    harness.plan.agent.terminal = TerminalSize{};
    harness.plan.agent.framing = Framing::raw;
    REQUIRE(harness.start_shell("stty -echo; echo ready; cat; echo end"));
    REQUIRE(harness.pump_until_line("ready"));
    REQUIRE(harness.process->write(last));
    harness.process->close_stdin();
    REQUIRE(harness.pump_until_over());
    std::string said;
    for (const Frame& frame : harness.lines()) said += frame.bytes;
    CHECK(said.find("end\r\n") != std::string::npos);
    CHECK(harness.exited()->code == 0);
  }
}

TEST_CASE("the tree of an agent with a terminal is gone with it", "[workers]") {
  AgentHarness harness;
  harness.plan.agent.terminal = TerminalSize{};
  REQUIRE(harness.start_shell("(trap '' HUP; sleep 100) & echo child $!; exec sleep 100"));
  REQUIRE(harness.pump_until_line("child"));
  const std::string line = harness.line_with("child");
  const auto child = static_cast<pid_t>(support::number_after(line, "child "));
  harness.process->kill();
  REQUIRE(harness.pump_until_over());
  CHECK_FALSE(read_process(child));
}

// ---- frames ----

TEST_CASE("output comes in the frames that the plan says", "[workers]") {
  AgentHarness harness;
  harness.plan.agent.framing = Framing::headers;
  REQUIRE(
      harness.start_shell("printf 'Content-Length: 5\\r\\n\\r\\na\\nb\\nc"
                          "Content-Length: 2\\r\\n\\r\\nd'"));
  REQUIRE(harness.pump_until_over());
  const std::vector<Frame> expected = {{"a\nb\nc", FrameEnding::whole},
                                       {"d", FrameEnding::cut_short}};
  CHECK(harness.lines() == expected);
}

// ---- what the agent inherits ----

TEST_CASE("an agent gets stdin, stdout and stderr and no other descriptor", "[workers]") {
  const base::UniqueFd leaky(::fcntl(STDIN_FILENO, F_DUPFD, 40));  // without close-on-exec
  REQUIRE(leaky.is_open());
  AgentHarness harness;
  REQUIRE(harness.start({"ls", "/proc/self/fd"}));
  REQUIRE(harness.pump_until_over());
  CHECK(sorted_lines(harness) == std::vector<std::string>{"0", "1", "2", "3"});  // 3: the listing
}

TEST_CASE("an agent gets the planned environment and the markers", "[workers]") {
  AgentHarness harness;
  harness.plan.agent.environment = {"PATH=/usr/bin:/bin", "STENO_LOCK=/forged", "EMPTY="};
  REQUIRE(harness.start({"env"}));
  REQUIRE(harness.pump_until_over());
  CHECK(sorted_lines(harness) ==
        std::vector<std::string>{"EMPTY=", "PATH=/usr/bin:/bin",
                                 "STENO_LOCK=" + harness.plan.lock_file,
                                 "STENO_SESSION=" + harness.plan.session.text()});
}

TEST_CASE("an agent starts in its folder with no signal ignored or blocked", "[workers][R014]") {
  AgentHarness harness;
  REQUIRE(harness.start_shell("pwd; grep -E 'Sig(Blk|Ign)' /proc/self/status"));
  REQUIRE(harness.pump_until_over());
  const auto lines = harness.lines();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].bytes == harness.folder.path());
  CHECK(lines[1].bytes == "SigBlk:\t0000000000000000");
  // glibc's posix_spawn leaves its own signals 32 and 33 ignored; no program can use them.
  const bool is_clean = lines[2].bytes == "SigIgn:\t0000000000000000" ||
                        lines[2].bytes == "SigIgn:\t0000000180000000";
  CHECK(is_clean);
}

// ---- starts that fail ----

TEST_CASE("a missing program is told with its name", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start({"steno-no-such-program"}));
  REQUIRE(harness.pump_until_over());
  REQUIRE(harness.failed());
  CHECK(*harness.failed() ==
        StartFailed{StartFailure::no_program,
                    "cannot start steno-no-such-program: No such file or directory"});
  CHECK(harness.events.size() == 1);
  CHECK_FALSE(base::is_locked(harness.plan.lock_file).value());
}

TEST_CASE("a program that may not be executed is told", "[workers]") {
  AgentHarness harness;
  const std::string program = harness.folder.file("text");
  std::ofstream(program) << "not a program";
  REQUIRE(harness.start({program}));
  REQUIRE(harness.pump_until_over());
  REQUIRE(harness.failed());
  CHECK(*harness.failed() ==
        StartFailed{StartFailure::no_program, "cannot start " + program + ": Permission denied"});
}

TEST_CASE("a missing working folder is told", "[workers]") {
  AgentHarness harness;
  harness.plan.workdir = harness.folder.file("none");
  REQUIRE(harness.start());
  REQUIRE(harness.pump_until_over());
  REQUIRE(harness.failed());
  CHECK(*harness.failed() == StartFailed{StartFailure::no_folder,
                                         "cannot enter the working folder " + harness.plan.workdir +
                                             ": No such file or directory"});
}

TEST_CASE("a session whose lock is held is not started", "[workers]") {
  AgentHarness harness;
  const auto lock = base::FileLock::take(harness.plan.lock_file);
  REQUIRE(lock);
  REQUIRE(harness.start());
  REQUIRE(harness.pump_until_over());
  REQUIRE(harness.failed());
  CHECK(harness.failed()->reason == StartFailure::lock_held);
}

TEST_CASE("a session whose lock becomes free in time is started", "[workers]") {
  AgentHarness harness;
  std::optional lock = *base::FileLock::take(harness.plan.lock_file);
  REQUIRE(harness.start());
  for (int i = 0; i < 5; ++i) harness.pump_once(50);
  REQUIRE(harness.events.empty());
  lock.reset();
  REQUIRE(harness.pump_until([&] { return harness.find<ProcessStarted>() != nullptr; }));
}

TEST_CASE("a keeper that waits for its session's lock ends with its worker", "[workers]") {
  AgentHarness harness;
  std::optional lock = *base::FileLock::take(harness.plan.lock_file);
  REQUIRE(harness.start_shell("touch started"));
  const auto began = harness.clock.boot();
  harness.process.reset();
  CHECK(harness.clock.boot() - began < std::chrono::seconds{2});
  lock.reset();
  CHECK_FALSE(std::filesystem::exists(harness.folder.file("started")));
}

TEST_CASE("plans that make no sense are refused at once", "[workers]") {
  AgentHarness harness;
  const auto refused = [&](auto change) {
    KeeperPlan plan = harness.default_plan();
    change(plan);
    const auto spawned = spawn_under_keeper(plan);
    return spawned ? std::nullopt : std::optional(spawned.error().code);
  };
  CHECK(refused([](KeeperPlan& plan) { plan.agent.argv.clear(); }) == base::ErrorCode::invalid);
  CHECK(refused([](KeeperPlan& plan) { plan.lock_file = "a"; }) == base::ErrorCode::invalid);
  CHECK(refused([](KeeperPlan& plan) { plan.workdir.clear(); }) == base::ErrorCode::invalid);
  CHECK(refused([](KeeperPlan& plan) { plan.agent.argv.push_back(std::string("a\0b", 3)); }) ==
        base::ErrorCode::invalid);
  CHECK(refused([](KeeperPlan& plan) { plan.keeper = "/none"; }) == base::ErrorCode::not_found);
}

// ---- odd output ----

TEST_CASE("half a line at the end is delivered as cut short", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[halfline]")));
  REQUIRE(harness.pump_until_over());
  REQUIRE_FALSE(harness.lines().empty());
  CHECK(harness.lines().back().ending == FrameEnding::cut_short);
  CHECK(harness.lines().back().bytes == R"({"type":"assistant","message":{"role":"assi)");
  CHECK(harness.exited()->code == 0);
}

TEST_CASE("a line without end is cut once and costs bounded memory", "[workers]") {
  AgentHarness harness;
  harness.plan.frame_bytes_max = 1024 * 1024;
  REQUIRE(harness.start_shell("head -c 268435456 /dev/zero; echo; echo done; exec sleep 100"));
  const std::int64_t before_kib = proc_number("self", "status", "VmRSS");
  REQUIRE(harness.pump_until_line("done"));
  const std::int64_t after_kib = proc_number("self", "status", "VmRSS");
  const auto lines = harness.lines();
  REQUIRE(std::count_if(lines.begin(), lines.end(), [](const Frame& line) {
            return line.ending == FrameEnding::too_long;
          }) == 1);
  CHECK(lines.front().bytes.size() == 1024 * 1024);
  // Less than the output, also where the address sanitizer holds freed memory back.
  CHECK(after_kib - before_kib < 192 * 1024);
  harness.process->kill();
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->signal == 9);
}

TEST_CASE("bytes that are no text come through as they are", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start_shell("printf '\\377\\376\\000x\\n\\n\\n'"));
  REQUIRE(harness.pump_until_over());
  CHECK(harness.lines() == std::vector<Frame>{{std::string("\xFF\xFE\0x", 4), FrameEnding::whole}});
}

TEST_CASE("the last 2 KiB of stderr come with the exit", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[stderr 300000]")));
  harness.process->close_stdin();
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->stderr_tail == std::string(2048 - 14, 'e') + "end of stderr\n");
}

// ---- flow ----

TEST_CASE("an agent whose output is not read blocks, and loses nothing", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start({"yes", "0123456789"}));
  harness.process->set_reading(false);
  REQUIRE(harness.pump_until([&] { return harness.find<ProcessStarted>() != nullptr; }));
  const std::int64_t pid = harness.find<ProcessStarted>()->pid;
  // `yes` sleeps only when its pipe is full.
  REQUIRE(harness.pump_until([&] {
    const auto row = read_process(static_cast<pid_t>(pid));
    return row && row->state == 'S' && proc_number(std::to_string(pid), "io", "wchar") > 0;
  }));
  const std::int64_t written = proc_number(std::to_string(pid), "io", "wchar");
  CHECK(written <= 128 * 1024);
  CHECK(harness.lines().empty());

  harness.process->kill();
  REQUIRE(harness.pump_until([&] { return !base::is_locked(harness.plan.lock_file).value(); }));
  for (int i = 0; i < 10; ++i) harness.pump_once(0);
  CHECK(harness.exited() == nullptr);  // only after its output was read
  harness.process->set_reading(true);
  REQUIRE(harness.pump_until_over());
  std::int64_t received = 0;
  for (const auto& line : harness.lines()) {
    received += static_cast<std::int64_t>(line.bytes.size()) + 1;
  }
  CHECK(received >= written);
}

TEST_CASE("stdin is queued up to its bound, then refused", "[workers]") {
  AgentHarness harness;
  harness.plan.stdin_buffer_max = 100'000;
  const std::string go = harness.folder.file("go");
  REQUIRE(::mkfifo(go.c_str(), 0600) == 0);
  REQUIRE(harness.start_shell("read _ <go; exec cat >/dev/null"));
  CHECK(harness.process->write(Bytes(100'001, 'x')).error().code == base::ErrorCode::too_large);
  const Bytes block(50'000, 'x');
  int taken = 0;  // the first ones go into the pipe
  while (harness.process->write(block)) REQUIRE(++taken < 100);
  CHECK(taken >= 2);
  CHECK(harness.process->write(block).error().code == base::ErrorCode::busy);
  base::UniqueFd writer;
  REQUIRE(harness.pump_until([&] {
    writer = base::UniqueFd(::open(go.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    return writer.is_open();
  }));
  REQUIRE(::write(writer.get(), "\n", 1) == 1);
  REQUIRE(harness.pump_until([&] { return bool(harness.process->write(block)); }));
  harness.process->kill();
  REQUIRE(harness.pump_until_over());
  CHECK(harness.process->write("x").error().code == base::ErrorCode::unreachable);
}

TEST_CASE("a large prompt arrives whole, and stdin ends behind it", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start({"wc", "-c"}));
  REQUIRE(harness.process->write(Bytes(5'000'000, 'x')));
  harness.process->close_stdin();
  CHECK(harness.process->write("x").error().code == base::ErrorCode::unreachable);
  REQUIRE(harness.pump_until_over());
  CHECK(harness.lines() == std::vector<Frame>{{"5000000", FrameEnding::whole}});
}

TEST_CASE("an agent that closes its stdin does not end the worker", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start_shell("exec <&-; echo closed; exec sleep 600"));
  REQUIRE(harness.pump_until_line("closed"));
  CHECK(harness.process->write("x\n").error().code == base::ErrorCode::unreachable);
  harness.process->kill();
  CHECK(harness.pump_until_over());
}

// ---- ends ----

TEST_CASE("terminate ends an agent gently", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start_shell(
      "trap 'echo farewell; exit 7' TERM; echo ready; while :; do sleep 0.01; done"));
  REQUIRE(harness.pump_until_line("ready"));
  harness.process->terminate(seconds{60});
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->code == 7);
  CHECK(harness.lines().back().bytes == "farewell");
}

TEST_CASE("an agent that does not heed terminate is killed after the grace", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[deaf] [hang]")));
  REQUIRE(harness.pump_until_line("init"));
  harness.process->terminate(milliseconds{50});
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->signal == 9);
}

TEST_CASE("an agent that is told to end twice ends by the more urgent of both", "[workers]") {
  const bool is_urgent_first = GENERATE(true, false);
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[deaf] [hang]")));
  REQUIRE(harness.pump_until_line("init"));
  const milliseconds slow = seconds{600};
  const milliseconds urgent{50};
  harness.process->terminate(is_urgent_first ? urgent : slow);
  harness.process->terminate(is_urgent_first ? slow : urgent);
  REQUIRE(harness.pump_until_over());
  REQUIRE(harness.exited());
  CHECK(harness.exited()->signal == SIGKILL);
}

TEST_CASE("kill ends children in sessions of their own", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[child] [hang]")));
  REQUIRE(harness.pump_until_line("child "));
  const WatchedProcess child(support::number_after(harness.line_with("child "), "child "));
  REQUIRE(child.is_running());
  harness.process->kill();
  REQUIRE(harness.pump_until_over());
  CHECK_FALSE(child.is_running());
  CHECK(harness.exited()->left_behind == 0);
}

TEST_CASE("what an agent leaves running when it exits is ended", "[workers]") {
  AgentHarness harness;
  // Children in the background, in sessions of their own, one of them a grandchild; they hold
  // stdout open.
  REQUIRE(
      harness.start_shell("setsid sleep 600 & echo child $!; (setsid setsid sleep 600 &); exit 4"));
  REQUIRE(harness.pump_until_line("child "));
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->code == 4);
  CHECK(harness.exited()->left_behind == 0);
}

TEST_CASE("a tree that keeps growing is ended", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start_shell("echo go; while :; do setsid sleep 600 & done"));
  REQUIRE(harness.pump_until_line("go"));
  harness.process->kill();
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->left_behind == 0);
}

TEST_CASE("a stopped agent is ended too", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start_shell("kill -STOP $$"));
  REQUIRE(harness.pump_until([&] {
    const auto* started = harness.find<ProcessStarted>();
    if (started == nullptr) return false;
    const auto row = read_process(static_cast<pid_t>(started->pid));
    return row && row->state == 'T';
  }));
  harness.process->terminate(milliseconds{20});
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->signal == 9);
}

TEST_CASE("destroying a process ends its tree", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[child] [deaf] [hang]")));
  REQUIRE(harness.pump_until_line("child "));
  const WatchedProcess child(support::number_after(harness.line_with("child "), "child "));
  const WatchedProcess agent(harness.find<ProcessStarted>()->pid);
  harness.process.reset();
  CHECK(agent.ends_within(milliseconds{0}));
  CHECK(child.ends_within(milliseconds{0}));
  CHECK_FALSE(base::is_locked(harness.plan.lock_file).value());
}

TEST_CASE("a keeper is not ended by the signals of a terminal", "[workers]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(user_line("[say one]")));
  REQUIRE(harness.pump_until_line("\"result\":\"one\""));
  const auto agent = read_process(static_cast<pid_t>(harness.find<ProcessStarted>()->pid));
  REQUIRE(agent);
  const WatchedProcess keeper(agent->parent);
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) keeper.send(number);
  REQUIRE(harness.process->write(user_line("[say two]")));
  REQUIRE(harness.pump_until_line("\"result\":\"two\""));
  CHECK(keeper.is_running());
}

}  // namespace
}  // namespace processes
