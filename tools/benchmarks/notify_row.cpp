// notify_p50_over_ack_p50: time from sending a command until its event reaches another process that
// follows the feed, over the sender's wait for the reply. It counts only if the reply comes in good
// time, so the floor of ack_row.cpp is measured by turns.
#include <fmt/format.h>

#include "tools/benchmarks/floor.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/subscriber.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kNotifiesOfTurn = 20;
constexpr double kAckOverFloorMax = 1.15;  // the goal of ack_p50_over_floor

struct Both {
  LoadResult acks;
  Latencies notifies;
};

// `run` drives the load. The subscriber is told of `count` events before it, and asked after it.
template <class Run>
base::Result<Both> observe(Subscriber& subscriber, std::size_t count, Run run) {
  if (auto ok = subscriber.expect(count); !ok) return tl::unexpected(ok.error());
  auto result = run();
  if (!result) return tl::unexpected(result.error());
  if (result->since.size() != count) {
    return base::failure(base::ErrorCode::timeout, "a turn took too long to be compared");
  }
  const auto moments = subscriber.received(count);
  if (!moments) return tl::unexpected(moments.error());
  Both both{std::move(*result), {}};
  for (std::size_t i = 0; i < count; ++i) both.notifies.add((*moments)[i] - both.acks.since[i]);
  return both;
}

}  // namespace

base::Result<Figure> measure_notify_over_ack(Workbench& bench) {
  const std::size_t turns_max = bench.is_quick() ? 50 : 500;
  const Nanoseconds time_max = std::chrono::seconds(bench.is_quick() ? 5 : 60);
  const Nanoseconds open_time = std::chrono::seconds(bench.is_quick() ? 1 : 5);
  const auto server = StenoServer::start(bench, "notify");
  if (!server) return tl::unexpected(server.error());
  const auto steno = StenoLoad::connect(bench, **server, {});
  if (!steno) return tl::unexpected(steno.error());
  const auto run = [&](std::size_t count) {
    return run_closed_loop(**steno, {1, kTurnMax, count});
  };
  const std::size_t before = (*server)->write_ahead_bytes();
  const auto warm_up = run(kWarmUpCount);
  if (!warm_up) return tl::unexpected(warm_up.error());
  auto floor = Floor::open(bench, **steno,
                           ((*server)->write_ahead_bytes() - before) / warm_up->latencies.count());
  if (!floor) return tl::unexpected(floor.error());
  const auto subscriber = Subscriber::start(bench, **server);
  if (!subscriber) return tl::unexpected(subscriber.error());

  Latencies acks;
  Latencies notifies;
  std::vector<double> ratios;
  std::vector<double> over_floor;
  const Nanoseconds end = now() + time_max;
  for (std::size_t turn = 0; turn < turns_max && now() < end; ++turn) {
    bench.progress(fmt::format("notify_p50_over_ack_p50 {}/{}", turn + 1, turns_max));
    const auto floor_p50 = floor->take_turn(kNotifiesOfTurn, **steno);
    if (!floor_p50) return tl::unexpected(floor_p50.error());
    const auto both = observe(**subscriber, kNotifiesOfTurn, [&] { return run(kNotifiesOfTurn); });
    if (!both) return tl::unexpected(both.error());
    acks.add(both->acks.latencies);
    notifies.add(both->notifies);
    ratios.push_back(seconds(both->notifies.p50()) / seconds(both->acks.latencies.p50()));
    over_floor.push_back(seconds(both->acks.latencies.p50()) / seconds(*floor_p50));
  }
  const double half_rate = 0.5 / seconds(acks.p50());
  const auto total = static_cast<std::size_t>(half_rate * seconds(open_time));
  const auto open = observe(**subscriber, total, [&] {
    return run_open_loop(**steno, {half_rate, open_time});
  });
  if (!open) return tl::unexpected(open.error());
  if (auto ok = (*steno)->check_appended(); !ok) return tl::unexpected(ok.error());

  Figure figure;
  figure.value = median(ratios);
  if (median(over_floor) > kAckOverFloorMax) figure.void_because = "the reply itself is late";
  if (median(over_floor) < 1) figure.void_because = "others' syncs delayed the floor";
  figure.raw = {
      fmt::format("subscriber, 1 outstanding: {}", p50_and_p99(notifies)),
      fmt::format("sender, 1 outstanding: {}", p50_and_p99(acks)),
      fmt::format("subscriber, open loop at {}: {}", rate_text(half_rate),
                  p50_and_p99(open->notifies)),
      describe_open("sender", half_rate, open->acks),
      floor->sync_text(),
      floor->echo_text(**steno),
      fmt::format("{} turns of {}; in the same turns the reply took {:.3f} of the floor (goal "
                  "{:.2f})",
                  ratios.size(), kNotifiesOfTurn, median(over_floor), kAckOverFloorMax)};
  return figure;
}

}  // namespace benchmarks
