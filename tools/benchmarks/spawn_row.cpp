// spawn_overhead_ms: p50 of the time from a Spawn's acceptance to the first instruction of its
// agent under a keeper. Less p50 of the time from a bare posix_spawn to the first instruction of
// the same program; by turns. Acceptance is when the client that sent the command has its answer.
//
// The agent is `steno-bench-agent`, which writes that moment down before all else and then becomes
// the scripted agent. So the figure holds the server's directive, the worker's private folders, the
// keeper's own start and its vfork. It lacks the durable append, which comes before the acceptance.
// Also shown: the same from the sending of the command. Each session is killed, and has ended,
// before the next turn.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "eventlog/base/unique_fd.hpp"
#include "tools/benchmarks/agent_sessions.hpp"
#include "tools/benchmarks/agent_start.hpp"
#include "tools/benchmarks/bare_process.hpp"
#include "tools/benchmarks/failure.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr int kTurnsOfSpawn = 300;
constexpr int kTurnsOfSpawnQuick = 30;
constexpr Nanoseconds kAgentStartMax = std::chrono::seconds(10);
constexpr Nanoseconds kAgentEndMax = std::chrono::seconds(10);

class Starts {
 public:
  static base::Result<Starts> open(const std::string& folder) {
    const std::string path = folder + "/" + kAgentStartFifo;
    if (mkfifo(path.c_str(), 0600) != 0) return tl::unexpected(errno_error(path));
    // Open for both, so that it never ends while no agent has it open.
    base::UniqueFd fifo(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fifo.is_open()) return tl::unexpected(errno_error(path));
    return Starts(std::move(fifo));
  }

  // Returns the next agent's moment.
  base::Result<Nanoseconds> next() {
    const Nanoseconds deadline = now() + kAgentStartMax;
    pollfd item{fifo_.get(), POLLIN, 0};
    while (poll(&item, 1, 100) <= 0) {
      if (is_stopped()) return stopped();
      if (now() > deadline) {
        return base::failure(base::ErrorCode::timeout, "an agent does not start");
      }
    }
    AgentStart start;
    if (read(fifo_.get(), &start, sizeof start) != sizeof start) {
      return tl::unexpected(errno_error("an agent's first words"));
    }
    return Nanoseconds(start.at_ns);
  }

 private:
  explicit Starts(base::UniqueFd fifo) : fifo_(std::move(fifo)) {}
  base::UniqueFd fifo_;
};

struct Spawned {
  Latencies bare;
  Latencies from_acceptance;
  Latencies from_sending;
};

base::Result<void> spawn_one(OneCommand& one, Starts& starts, const domain::Spawn& spawn,
                             const base::CommandId& id, Spawned& spawned) {
  const base::SessionId session{id.bytes};
  const Nanoseconds sent = now();
  const auto took = one.run(id, session, kLogAgent, spawn);
  if (!took) return tl::unexpected(took.error());
  const auto began = starts.next();
  if (!began) return tl::unexpected(began.error());
  spawned.from_acceptance.add(*began - sent - *took);
  spawned.from_sending.add(*began - sent);
  const auto killed = one.run(session, kLogAgent, domain::KillSession{});
  if (!killed) return tl::unexpected(killed.error());
  return {};
}

base::Result<void> start_one_bare(const std::vector<std::string>& argv, const std::string& folder,
                                  Starts& starts, Spawned& spawned) {
  const Nanoseconds begin = now();
  const auto pid = start_bare(argv, folder);
  if (!pid) return tl::unexpected(pid.error());
  const auto began = starts.next();
  const auto ended = wait_for_bare(*pid);
  if (!began) return tl::unexpected(began.error());
  if (!ended) return tl::unexpected(ended.error());
  spawned.bare.add(*began - begin);
  return {};
}

// Waits until the killed session has ended on the record, and its agent has gone.
base::Result<void> wait_for_end(OneCommand& one, const AgentSessions& agents) {
  workers::QueryBody live;
  live.agent = kLogAgent;
  live.statuses = {domain::SessionStatus::starting, domain::SessionStatus::running};
  const Nanoseconds deadline = now() + kAgentEndMax;
  for (;;) {
    const auto listed = one.answer_to<workers::ListAnswer>(workers::kVerbList, live);
    if (!listed) return tl::unexpected(listed.error());
    if (listed->sessions.empty() && agents.count_processes() == 0) return {};
    if (now() > deadline) return base::failure(base::ErrorCode::timeout, "an agent does not end");
    if (auto ok = wait_until(now() + std::chrono::milliseconds(5)); !ok) return ok;
  }
}

}  // namespace

base::Result<Figure> measure_spawn_overhead(Workbench& bench) {
  const int turns = bench.is_quick() ? kTurnsOfSpawnQuick : kTurnsOfSpawn;
  const std::string home = bench.fresh_folder("spawn");
  auto starts = Starts::open(home);
  if (!starts) return tl::unexpected(starts.error());
  const std::string program = bench.program("steno-bench-agent");
  const auto server = StenoServer::start_with_worker(bench, home, {"--scripted-program", program});
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  const auto agents = AgentSessions::connect(bench, **server, home);
  if (!agents) return tl::unexpected(agents.error());
  domain::Spawn spawn = spawn_command();
  spawn.spec.workdir = home;
  Spawned spawned;
  // The first turn warms both up.
  for (int turn = 0; turn <= turns; ++turn) {
    if (turn % 10 == 0) bench.progress(fmt::format("spawn_overhead_ms {}/{}", turn, turns));
    if (turn == 1) spawned = {};
    auto ok = start_one_bare({program}, home, *starts, spawned);
    const auto id = base::CommandId::make(bench.clock().wall(), bench.random());
    if (ok) ok = spawn_one(**one, *starts, spawn, id, spawned);
    if (ok) ok = wait_for_end(**one, **agents);
    if (!ok) return tl::unexpected(ok.error());
  }
  const auto ours = spawned.from_acceptance.p50() - spawned.bare.p50();
  return Figure{
      seconds(ours) * 1000,
      {fmt::format("from acceptance to the agent's first instruction: {}",
                   p50_and_p99(spawned.from_acceptance)),
       fmt::format("from the command's sending: {}", p50_and_p99(spawned.from_sending)),
       fmt::format("from a bare posix_spawn: {}", p50_and_p99(spawned.bare)),
       fmt::format("{} turns of one of each; the value is the first p50 less the last", turns)}};
}

}  // namespace benchmarks
