// Effects of floods on other clients.
//
// kill_ms_in_flood: time of a kill of one session while another session is flooded with prompts,
// over a kill while nothing else is asked; by turns.
//
// good_client_p99_ms: p99 of a well-behaved client's commands, one outstanding, beside three
// hostile clients. One floods with prompts, one floods and reads no answer, one sends frames of 9.4
// MB with millions of items. Also measured: with a fourth, which sends prompts of 9.4 MB; and
// beside three processes that only compute, instead of the hostile ones.
#include <fmt/format.h>

#include "tools/benchmarks/flood.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr int kKillsOfTurn = 20;

// Spawns a session, then kills it; returns the time of the kill.
base::Result<Nanoseconds> kill_one(Workbench& bench, OneCommand& one) {
  const auto id = base::CommandId::make(bench.clock().wall(), bench.random());
  const base::SessionId session{id.bytes};
  if (auto ok = one.run(id, session, kLogAgent, spawn_command()); !ok) return ok;
  return one.run(session, kLogAgent, domain::KillSession{});
}

base::Result<Latencies> kill_some(Workbench& bench, OneCommand& one) {
  Latencies kills;
  for (int i = 0; i < kKillsOfTurn; ++i) {
    const auto took = kill_one(bench, one);
    if (!took) return tl::unexpected(took.error());
    kills.add(*took);
  }
  return kills;
}

}  // namespace

base::Result<Figure> measure_kill_in_flood(Workbench& bench) {
  const int turns = bench.is_quick() ? 3 : 15;
  const auto server = StenoServer::start(bench, "kill-in-flood");
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  Latencies idle;
  Latencies flooded;
  std::vector<double> ratios;
  for (int turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("kill_ms_in_flood {}/{}", turn + 1, turns));
    const auto before = kill_some(bench, **one);
    if (!before) return tl::unexpected(before.error());
    const auto flood = start_flood(bench, **server, FloodKind::prompts);
    if (!flood) return tl::unexpected(flood.error());
    const auto during = kill_some(bench, **one);
    if (!during) return tl::unexpected(during.error());
    idle.add(*before);
    flooded.add(*during);
    ratios.push_back(seconds(during->p50()) / seconds(before->p50()));
  }
  Figure figure;
  figure.value = median(ratios);
  figure.raw = {fmt::format("a kill while nothing else is asked: {}", p50_and_p99(idle)),
                fmt::format("while another session is flooded: {}", p50_and_p99(flooded)),
                fmt::format("{} turns of {} of each; the value is the middle of the turns' ratios "
                            "of p50",
                            turns, kKillsOfTurn)};
  return figure;
}

base::Result<Figure> measure_good_client(Workbench& bench) {
  const Nanoseconds time = std::chrono::seconds(bench.is_quick() ? 5 : 30);
  const auto server = StenoServer::start(bench, "good-client");
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  const auto alone = kill_some(bench, **one);
  if (!alone) return tl::unexpected(alone.error());
  std::vector<std::unique_ptr<ChildProcess>> hostile;
  const auto measure_beside =
      [&](std::initializer_list<FloodKind> more) -> base::Result<Latencies> {
    for (const FloodKind kind : more) {
      auto flood = start_flood(bench, **server, kind);
      if (!flood) return tl::unexpected(flood.error());
      hostile.push_back(std::move(*flood));
    }
    bench.progress(fmt::format("good_client_p99_ms beside {}", hostile.size()));
    Latencies good;
    for (const Nanoseconds end = now() + time; now() < end;) {
      const auto took = kill_one(bench, **one);
      if (!took) return tl::unexpected(took.error());
      good.add(*took);
    }
    return good;
  };
  const auto computing =
      measure_beside({FloodKind::compute, FloodKind::compute, FloodKind::compute});
  if (!computing) return tl::unexpected(computing.error());
  hostile.clear();
  const auto beside_three = measure_beside({FloodKind::prompts, FloodKind::deaf, FloodKind::lists});
  if (!beside_three) return tl::unexpected(beside_three.error());
  const auto beside_four = measure_beside({FloodKind::large});
  if (!beside_four) return tl::unexpected(beside_four.error());
  Figure figure;
  figure.value = seconds(beside_three->p99()) * 1000;
  figure.raw = {fmt::format("alone: {}", p50_and_p99(*alone)),
                fmt::format("beside three that only compute: {}, {} commands",
                            p50_and_p99(*computing), computing->count()),
                fmt::format("beside three hostile clients: {}, {} commands",
                            p50_and_p99(*beside_three), beside_three->count()),
                fmt::format("and beside one that sends prompts of 9.4 MB: {}, {} commands",
                            p50_and_p99(*beside_four), beside_four->count()),
                fmt::format("the server's memory at most {} MB",
                            memory_kib((*server)->pid(), "VmHWM") / 1024)};
  return figure;
}

}  // namespace benchmarks
