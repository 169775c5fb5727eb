// ack_p50_over_redis: time from sending one command to its durable reply, over the same for Redis,
// which syncs before each answer. One outstanding, by turns; then each in an open loop at half its
// rate.
#include <fmt/format.h>

#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/redis_load.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kAcksOfRedisTurn = 10;  // of each, before the other one's turn

base::Result<LoadResult> run(LoadTarget& target, std::size_t count) {
  return run_closed_loop(target, {1, kTurnMax, count});
}

}  // namespace

base::Result<Figure> measure_ack_over_redis(Workbench& bench) {
  const std::size_t turns_max = bench.is_quick() ? 100 : 1000;
  const Nanoseconds time_max = std::chrono::seconds(bench.is_quick() ? 4 : 60);
  const Nanoseconds open_time = std::chrono::seconds(bench.is_quick() ? 1 : 5);
  const auto server = StenoServer::start(bench, "ack-redis");
  if (!server) return tl::unexpected(server.error());
  const auto steno = StenoLoad::connect(bench, **server, {});
  if (!steno) return tl::unexpected(steno.error());
  if (auto ok = run(**steno, kWarmUpCount); !ok) return tl::unexpected(ok.error());
  auto redis = RedisPeer::start(bench, 1, (*steno)->request_bytes());
  if (!redis) return tl::unexpected(redis.error());
  if (*redis) {
    if (auto ok = run(*(*redis)->load, kWarmUpCount); !ok) return tl::unexpected(ok.error());
  }

  Rounds of_steno;
  Rounds of_redis;
  std::vector<double> ratios;
  const Nanoseconds end = now() + time_max;
  for (std::size_t turn = 0; turn < turns_max && now() < end; ++turn) {
    bench.progress(fmt::format("ack_p50_over_redis {}/{}", turn + 1, turns_max));
    const auto acked = run(**steno, kAcksOfRedisTurn);
    if (!acked) return tl::unexpected(acked.error());
    of_steno.add(*acked);
    if (!*redis) continue;
    const auto answered = run(*(*redis)->load, kAcksOfRedisTurn);
    if (!answered) return tl::unexpected(answered.error());
    of_redis.add(*answered);
    ratios.push_back(seconds(acked->latencies.p50()) / seconds(answered->latencies.p50()));
  }
  Figure figure;
  const auto add = [&](const std::string& name, LoadTarget& target,
                       const Rounds& rounds) -> base::Result<void> {
    figure.raw.push_back(describe(name + ", 1 outstanding", rounds));
    const auto open = run_open_loop(target, {rounds.rate() / 2, open_time});
    if (!open) return tl::unexpected(open.error());
    figure.raw.push_back(describe_open(name, rounds.rate() / 2, *open));
    return {};
  };
  if (auto ok = add("steno", **steno, of_steno); !ok) return tl::unexpected(ok.error());
  if (auto ok = (*steno)->check_appended(); !ok) return tl::unexpected(ok.error());
  if (!*redis) return figure;
  figure.value = median(ratios);
  if (auto ok = add("redis " + (*redis)->server->version(), *(*redis)->load, of_redis); !ok) {
    return tl::unexpected(ok.error());
  }
  figure.raw.push_back(fmt::format(
      "{} turns of {} of each; the value is the middle of the turns' ratios of p50, and all turns' "
      "p50 together give {:.3f}; requests and values of {} B",
      ratios.size(), kAcksOfRedisTurn,
      seconds(of_steno.latencies.p50()) / seconds(of_redis.latencies.p50()),
      (*steno)->request_bytes()));
  return figure;
}

}  // namespace benchmarks
