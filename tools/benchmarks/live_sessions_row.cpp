// live_sessions: sessions that live at once, each taking a turn a minute, while p99 of a prompt's
// acceptance is at most ten times its p50.
//
// They share agent processes over time: an agent without work for a second is ended
// (idle_agent_stop), and its session lives on without a process. A prompt starts a new agent under
// a keeper. No agent of today's engines serves several sessions at once. The sessions' history is
// written beforehand: each was opened, and had one prompt, which was interrupted. The number counts
// only if all turns finish within ten seconds of the last prompt. If it does not hold, the turns
// are given to half of the sessions, while the others wait. The figure is how many took turns. 0:
// it held at none of four numbers.
#include <fmt/format.h>

#include "tools/benchmarks/agent_sessions.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kLiveSessions = 10'000;
constexpr std::size_t kLiveSessionsQuick = 500;
constexpr Nanoseconds kSessionsPeriod = std::chrono::minutes(1);
constexpr Nanoseconds kSessionsPeriodQuick = std::chrono::seconds(10);
constexpr int kSessionsTries = 4;

base::Result<std::vector<base::SessionId>> write_history(const std::string& home,
                                                         std::size_t count) {
  base::SeededRandom random(1);
  const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
  if (!author) return tl::unexpected(author.error());
  ShortLife life;
  life.is_ended = false;
  life.engine = "scripted";
  life.workdir = home;
  std::vector<base::SessionId> sessions;
  while (sessions.size() < count) {
    const auto id = (*author)->add_short(life);
    if (!id) return tl::unexpected(id.error());
    sessions.push_back(*id);
  }
  if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  return sessions;
}

}  // namespace

base::Result<Figure> measure_live_sessions(Workbench& bench) {
  const std::size_t target = bench.is_quick() ? kLiveSessionsQuick : kLiveSessions;
  const Nanoseconds period = bench.is_quick() ? kSessionsPeriodQuick : kSessionsPeriod;
  const std::string home = bench.fresh_folder("live-sessions");
  bench.progress("live_sessions: a history");
  const auto sessions = write_history(home, target);
  if (!sessions) return tl::unexpected(sessions.error());
  const auto server = StenoServer::start_with_worker(
      bench, home, {"--max-sessions", fmt::format("{}", target), "--idle-agent-stop", "1s"});
  if (!server) return tl::unexpected(server.error());
  const auto agents = AgentSessions::connect(bench, **server, home);
  if (!agents) return tl::unexpected(agents.error());
  (*agents)->adopt(*sessions);

  Figure figure{0, {}};
  std::size_t count = target;
  for (int left = kSessionsTries; left > 0; --left, count /= 2) {
    bench.progress(fmt::format("live_sessions: {} take turns", count));
    const auto turns = (*agents)->take_turns(count, period);
    if (!turns) return tl::unexpected(turns.error());
    figure.raw.push_back(describe(*turns));
    if (!turns->has_held()) continue;
    figure.value = static_cast<double>(count);
    break;
  }
  figure.raw.push_back(
      fmt::format("{} sessions live; those above take a turn each in {:.0f} s, for which a process "
                  "is started that ends 1 s after it; the server's memory at most {} MB{}",
                  target, seconds(period), memory_kib((*server)->pid(), "VmHWM") / 1024,
                  bench.is_quick() ? "; --quick, so fewer sessions" : ""));
  if (bench.is_quick()) figure.void_because = fmt::format("--quick tries {} only", target);
  return figure;
}

}  // namespace benchmarks
