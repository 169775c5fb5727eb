// live_processes: real agent processes that live at once, each under its keeper. Each takes a turn
// a minute, while p99 of a prompt's acceptance is at most ten times its p50.
//
// The agents are scripted ones of one server and its worker. Each session's second prompt falls
// into the measured minute; the prompts are evenly spread. A turn has two tool calls and an answer.
// The number counts only if all agents live when the last prompt is accepted, and all turns have
// finished ten seconds later. If it does not hold, half of the sessions are killed, and the rest is
// measured again, three times in all. 0: it held at none of these numbers.
#include <fmt/format.h>

#include "tools/benchmarks/agent_sessions.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kProcesses = 1'000;
constexpr std::size_t kProcessesQuick = 60;
constexpr Nanoseconds kProcessesPeriod = std::chrono::minutes(1);
constexpr Nanoseconds kProcessesPeriodQuick = std::chrono::seconds(10);
constexpr int kProcessesTries = 3;
constexpr Nanoseconds kProcessesStartMax = std::chrono::seconds(90);
constexpr Nanoseconds kProcessesKillMax = std::chrono::seconds(30);

double resident_mb(int pid) {
  return static_cast<double>(memory_kib(pid, "VmRSS")) * 1024 / 1e6;
}

}  // namespace

base::Result<Figure> measure_live_processes(Workbench& bench) {
  const std::size_t target = bench.is_quick() ? kProcessesQuick : kProcesses;
  const Nanoseconds period = bench.is_quick() ? kProcessesPeriodQuick : kProcessesPeriod;
  const std::string home = bench.fresh_folder("live-processes");
  const auto server = StenoServer::start_with_worker(
      bench, home, {"--max-sessions", fmt::format("{}", target), "--idle-agent-stop", "never"});
  if (!server) return tl::unexpected(server.error());
  const auto agents = AgentSessions::connect(bench, **server, home);
  if (!agents) return tl::unexpected(agents.error());
  bench.progress(fmt::format("live_processes: {} agents start", target));
  const Nanoseconds begin = now();
  if (auto ok = (*agents)->spawn(target, usual_prompt()); !ok) return tl::unexpected(ok.error());
  if (auto ok = (*agents)->wait_for_turns(static_cast<std::int64_t>(target), kProcessesStartMax);
      !ok) {
    return tl::unexpected(ok.error());
  }
  const Nanoseconds started_in = now() - begin;

  Figure figure{0, {}};
  std::size_t count = target;
  for (int left = kProcessesTries; left > 0; --left, count /= 2) {
    bench.progress(fmt::format("live_processes: {} agents", count));
    if (auto ok = (*agents)->kill_down_to(count, kProcessesKillMax); !ok)
      return tl::unexpected(ok.error());
    const auto turns = (*agents)->take_turns(count, period);
    if (!turns) return tl::unexpected(turns.error());
    figure.raw.push_back(describe(*turns));
    if (!turns->has_held() || turns->processes < count) continue;
    figure.value = static_cast<double>(count);
    break;
  }
  figure.raw.push_back(fmt::format(
      "{} agents had started and answered once after {:.1f} s; memory: server {:.1f} MB, worker "
      "{:.1f} MB, an agent and its keeper {:.1f} MB that they share with nobody",
      target, seconds(started_in), resident_mb((*server)->pid()),
      resident_mb((*server)->worker_pid()), (*agents)->private_bytes_of_one() / 1e6));
  figure.raw.push_back(fmt::format("each takes a turn in {:.0f} s{}", seconds(period),
                                   bench.is_quick() ? "; --quick, so fewer agents" : ""));
  if (bench.is_quick()) figure.void_because = fmt::format("--quick tries {} only", target);
  return figure;
}

}  // namespace benchmarks
