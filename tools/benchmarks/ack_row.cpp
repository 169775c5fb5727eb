// ack_p50_over_floor: time from sending one command to its durable reply, over the unavoidable
// floor. The floor is one fdatasync after an append of as many bytes, plus one bare round trip
// between two processes. One outstanding, all three by turns.
#include <fmt/format.h>

#include "tools/benchmarks/floor.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kAcksOfTurn = 10;  // of each, before the next one's turn

ClosedLoop one_at_a_time(std::size_t count) {
  return {1, kTurnMax, count};
}

}  // namespace

base::Result<Figure> measure_ack_over_floor(Workbench& bench) {
  const std::size_t turns_max = bench.is_quick() ? 100 : 1000;
  const Nanoseconds time_max = std::chrono::seconds(bench.is_quick() ? 10 : 60);
  const auto server = StenoServer::start(bench, "ack");
  if (!server) return tl::unexpected(server.error());
  const auto steno = StenoLoad::connect(bench, **server, {});
  if (!steno) return tl::unexpected(steno.error());
  const std::size_t before = (*server)->write_ahead_bytes();
  const auto warm_up = run_closed_loop(**steno, one_at_a_time(kWarmUpCount));
  if (!warm_up) return tl::unexpected(warm_up.error());
  const std::size_t log_bytes =
      ((*server)->write_ahead_bytes() - before) / warm_up->latencies.count();
  auto floor = Floor::open(bench, **steno, log_bytes);
  if (!floor) return tl::unexpected(floor.error());

  Latencies acks;
  std::vector<double> ratios;
  const Nanoseconds end = now() + time_max;
  for (std::size_t turn = 0; turn < turns_max && now() < end; ++turn) {
    bench.progress(fmt::format("ack_p50_over_floor {}/{}", turn + 1, turns_max));
    const auto floor_p50 = floor->take_turn(kAcksOfTurn, **steno);
    if (!floor_p50) return tl::unexpected(floor_p50.error());
    const auto acked = run_closed_loop(**steno, one_at_a_time(kAcksOfTurn));
    if (!acked) return tl::unexpected(acked.error());
    acks.add(acked->latencies);
    ratios.push_back(seconds(acked->latencies.p50()) / seconds(*floor_p50));
  }
  if (auto ok = (*steno)->check_appended(); !ok) return tl::unexpected(ok.error());
  const double value = median(ratios);
  return Figure{
      value,
      {fmt::format("steno, 1 outstanding: {}", p50_and_p99(acks)), floor->sync_text(),
       floor->echo_text(**steno),
       fmt::format(
           "{} turns of {} of each; the value is the middle of the turns' ratios of p50, and "
           "all turns' p50 together give {:.3f}",
           ratios.size(), kAcksOfTurn, seconds(acks.p50()) / seconds(floor->p50()))},
      // Nothing can be faster than the floor, so something else was measured.
      value < 1 ? "others' syncs delayed the floor more than the commands" : ""};
}

}  // namespace benchmarks
