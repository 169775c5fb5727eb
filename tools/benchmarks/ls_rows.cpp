// ls_ms: p50 of `steno ls`, from posix_spawn to its end, with 1,000 live sessions. It prints the 50
// newest ones. Also shown: `steno ls --all`, and a program that does nothing (`steno version`).
//
// ls_busy_p99_ms: p99 of the same while ten further sessions work: their agents, real processes,
// stream a word every 10 ms each, without end.
//
// completion_ms: p50 of the program that completes a word in a shell, with the same 1,000 sessions;
// the word is a session's name.
//
// attach_first_screen_ms: p50 of `steno attach` in a terminal, from its start until the last words
// of the session, which has said many, are on the screen.
//
// top_cpu_percent: the processor time of `steno top` in a terminal of 80 columns, for each second,
// while the same ten sessions work.
#include <fmt/format.h>

#include "tools/benchmarks/agent_sessions.hpp"
#include "tools/benchmarks/bare_process.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr int kListed = 1'000;
constexpr std::size_t kBusy = 10;
constexpr int kListings = 500;
constexpr int kListingsQuick = 100;
constexpr Nanoseconds kBusyMax = std::chrono::seconds(10);  // until all stream
constexpr Nanoseconds kTopFor = std::chrono::seconds(20);
constexpr Nanoseconds kTopForQuick = std::chrono::seconds(5);
constexpr Nanoseconds kFirstScreenMax = std::chrono::seconds(10);
constexpr int kAttaches = 50;
constexpr int kAttachesQuick = 10;
constexpr int kAttachedWords = 3'000;
constexpr std::string_view kEndlessPrompt = "[words 200000] [delay 10] go on";

class ListedServer {
 public:
  static base::Result<ListedServer> start(Workbench& bench, const std::string& name) {
    ListedServer listed;
    listed.home_ = bench.fresh_folder(name);
    base::SeededRandom random(1);
    {
      const auto author = LogAuthor::create(StenoServer::data_folder(listed.home_), random);
      if (!author) return tl::unexpected(author.error());
      ShortLife life;
      life.is_ended = false;
      for (int i = 0; i < kListed; ++i) {
        if (auto id = (*author)->add_short(life); !id) return tl::unexpected(id.error());
      }
      if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
    }
    auto server = StenoServer::start_with_worker(bench, listed.home_, {"--max-sessions", "10000"});
    if (!server) return tl::unexpected(server.error());
    listed.server_ = std::move(*server);
    auto one = OneCommand::connect(bench, *listed.server_);
    if (!one) return tl::unexpected(one.error());
    if (auto ok = (*one)->wait_for_views(); !ok) return tl::unexpected(ok.error());
    return listed;
  }

  const StenoServer& server() const { return *server_; }
  const std::string& home() const { return home_; }

  std::vector<std::string> steno(Workbench& bench,
                                 const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv = {bench.program("steno"), "--home", home_, "--agent",
                                     std::string(kLogAgent)};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
  }
  // Runs `steno` with these arguments again and again.
  base::Result<Latencies> run(Workbench& bench, const std::vector<std::string>& arguments) const {
    const std::vector<std::string> argv = steno(bench, arguments);
    Latencies latencies;
    for (int i = bench.is_quick() ? kListingsQuick : kListings; i > 0; --i) {
      if (is_stopped()) return stopped();
      const Nanoseconds begin = now();
      const auto pid = start_bare(argv, home_);
      if (!pid) return tl::unexpected(pid.error());
      if (auto ok = wait_for_bare(*pid); !ok) return tl::unexpected(ok.error());
      latencies.add(now() - begin);
    }
    return latencies;
  }

 private:
  std::string home_;
  std::unique_ptr<StenoServer> server_;
};

std::string ms_text(const Latencies& latencies) {
  return fmt::format("p50 {:.1f} ms, p99 {:.1f} ms", seconds(latencies.p50()) * 1000,
                     seconds(latencies.p99()) * 1000);
}

// Returns once every agent has begun its turn.
base::Result<void> wait_for_busy(AgentSessions& agents) {
  const Nanoseconds deadline = now() + kBusyMax;
  for (;;) {
    const auto counts = agents.count_turns();
    if (!counts) return tl::unexpected(counts.error());
    if (counts->under_way >= static_cast<std::int64_t>(kBusy)) return {};
    if (now() > deadline) return base::failure(base::ErrorCode::timeout, "agents do not begin");
    if (auto ok = wait_until(now() + std::chrono::milliseconds(50)); !ok) return ok;
  }
}

// Returns agents that stream; `server` must outlive them.
base::Result<std::unique_ptr<AgentSessions>> start_busy(Workbench& bench,
                                                        const ListedServer& listed) {
  auto agents = AgentSessions::connect(bench, listed.server(), listed.home());
  if (!agents) return agents;
  if (auto ok = (*agents)->spawn(kBusy, std::string(kEndlessPrompt)); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = wait_for_busy(**agents); !ok) return tl::unexpected(ok.error());
  return agents;
}

}  // namespace

base::Result<Figure> measure_ls(Workbench& bench) {
  bench.progress("ls_ms");
  const auto listed = ListedServer::start(bench, "ls");
  if (!listed) return tl::unexpected(listed.error());
  const auto ls = listed->run(bench, {"ls"});
  if (!ls) return tl::unexpected(ls.error());
  const auto all = listed->run(bench, {"ls", "--all"});
  if (!all) return tl::unexpected(all.error());
  const auto version = listed->run(bench, {"version"});
  if (!version) return tl::unexpected(version.error());
  return Figure{seconds(ls->p50()) * 1000,
                {fmt::format("steno ls, the 50 newest of {} sessions: {}", kListed, ms_text(*ls)),
                 fmt::format("steno ls --all: {}", ms_text(*all)),
                 fmt::format("steno version, which asks nobody: {}", ms_text(*version)),
                 fmt::format("{} runs of each, one after another", ls->count())}};
}

base::Result<Figure> measure_ls_busy(Workbench& bench) {
  bench.progress("ls_busy_p99_ms");
  const auto listed = ListedServer::start(bench, "ls-busy");
  if (!listed) return tl::unexpected(listed.error());
  const auto agents = start_busy(bench, *listed);
  if (!agents) return tl::unexpected(agents.error());
  const auto ls = listed->run(bench, {"ls"});
  if (!ls) return tl::unexpected(ls.error());
  const auto all = listed->run(bench, {"ls", "--all"});
  if (!all) return tl::unexpected(all.error());
  // The figure is of ten busy sessions only if none of them has ended.
  if (auto ok = wait_for_busy(**agents); !ok) return tl::unexpected(ok.error());
  return Figure{
      seconds(ls->p99()) * 1000,
      {fmt::format("steno ls, the 50 newest of {} sessions: {}", kListed + kBusy, ms_text(*ls)),
       fmt::format("steno ls --all: {}", ms_text(*all)),
       fmt::format("{} runs of each, one after another; {} agents stream 100 words/s each",
                   ls->count(), kBusy)}};
}

base::Result<Figure> measure_completion(Workbench& bench) {
  bench.progress("completion_ms");
  const auto listed = ListedServer::start(bench, "completion");
  if (!listed) return tl::unexpected(listed.error());
  const std::vector<std::string> completion = {"complete", "--", "show", ""};
  // A completion without the sessions would be a fast one.
  const auto process =
      ChildProcess::start(listed->steno(bench, completion), listed->home() + "/stderr");
  if (!process) return tl::unexpected(process.error());
  if (auto name = (*process)->read_line(kFirstScreenMax); !name) {
    return tl::unexpected(name.error());
  }
  const auto latencies = listed->run(bench, completion);
  if (!latencies) return tl::unexpected(latencies.error());
  return Figure{seconds(latencies->p50()) * 1000,
                {fmt::format("steno complete -- show '', with {} sessions: {}; {} runs, one after "
                             "another",
                             kListed, ms_text(*latencies), latencies->count())}};
}

base::Result<Figure> measure_top(Workbench& bench) {
  bench.progress("top_cpu_percent");
  const auto listed = ListedServer::start(bench, "top");
  if (!listed) return tl::unexpected(listed.error());
  const auto agents = start_busy(bench, *listed);
  if (!agents) return tl::unexpected(agents.error());
  std::vector<std::string> argv = listed->steno(bench, {"top"});
  argv.insert(argv.begin(), {"env", "TERM=xterm-256color"});
  const auto top = ChildProcess::start_on_terminal(argv);
  if (!top) return tl::unexpected(top.error());
  if (auto ok = (*top)->skip_to("word", kFirstScreenMax); !ok) return tl::unexpected(ok.error());
  const Nanoseconds begin = now();
  const Nanoseconds cpu = cpu_time((*top)->pid());
  if (auto ok = (*top)->skip_for(bench.is_quick() ? kTopForQuick : kTopFor); !ok) {
    return tl::unexpected(ok.error());
  }
  const Nanoseconds used = cpu_time((*top)->pid()) - cpu;
  const Nanoseconds took = now() - begin;
  if (auto ok = wait_for_busy(**agents); !ok) return tl::unexpected(ok.error());
  return Figure{100 * seconds(used) / seconds(took),
                {fmt::format("steno top, 80 by 24: {:.0f} ms of a core in {:.0f} s; {} agents "
                             "stream 100 words/s each, {} other sessions wait",
                             seconds(used) * 1000, seconds(took), kBusy, kListed)}};
}

base::Result<Figure> measure_attach(Workbench& bench) {
  bench.progress("attach_first_screen_ms");
  const auto listed = ListedServer::start(bench, "attach");
  if (!listed) return tl::unexpected(listed.error());
  const auto one = OneCommand::connect(bench, listed->server());
  if (!one) return tl::unexpected(one.error());
  const auto agents = AgentSessions::connect(bench, listed->server(), listed->home());
  if (!agents) return tl::unexpected(agents.error());
  domain::Spawn spawn = spawn_command();
  spawn.spec.workdir = listed->home();
  spawn.spec.is_multi_turn = true;
  spawn.name = "attached-one";
  spawn.prompt = fmt::format("[words {}]", kAttachedWords);
  const auto id = base::CommandId::make(bench.clock().wall(), bench.random());
  const base::SessionId session{id.bytes};
  if (auto ok = (*one)->run(id, session, kLogAgent, spawn); !ok) return tl::unexpected(ok.error());
  if (auto ok = (*agents)->wait_for_turns(1, kBusyMax); !ok) return tl::unexpected(ok.error());
  std::vector<std::string> argv = listed->steno(bench, {"attach", session.text()});
  argv.insert(argv.begin(), {"env", "TERM=xterm-256color"});
  const std::string last = fmt::format("word{}", kAttachedWords - 1);
  Latencies latencies;
  for (int i = bench.is_quick() ? kAttachesQuick : kAttaches; i > 0; --i) {
    if (is_stopped()) return tl::unexpected(stopped());
    const Nanoseconds begin = now();
    const auto attach = ChildProcess::start_on_terminal(argv);
    if (!attach) return tl::unexpected(attach.error());
    if (auto ok = (*attach)->skip_to(last, kFirstScreenMax); !ok) {
      return tl::unexpected(ok.error());
    }
    latencies.add(now() - begin);
  }
  return Figure{
      seconds(latencies.p50()) * 1000,
      {fmt::format("steno attach to a session that has said {} words, until its last ones "
                   "are on the screen: {}; {} runs, one after another",
                   kAttachedWords, ms_text(latencies), latencies.count())}};
}

}  // namespace benchmarks
