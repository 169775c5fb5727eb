// rate_64_over_redis: accepted commands a second with 64 outstanding over a few connections, over
// those of Redis with as many outstanding and connections. Redis' values are as large as Steno's
// requests, and synced before each answer. By turns; then each in an open loop.
#include <fmt/format.h>

#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/redis_load.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kRate64Outstanding = 64;

}  // namespace

base::Result<Figure> measure_rate_64_over_redis(Workbench& bench) {
  const std::size_t turns = bench.is_quick() ? 6 : 20;
  const Nanoseconds duration = std::chrono::milliseconds(bench.is_quick() ? 350 : 1000);
  const auto server = StenoServer::start(bench, "rate64");
  if (!server) return tl::unexpected(server.error());
  const auto steno = StenoLoad::connect(bench, **server, {kLoadConnections});
  if (!steno) return tl::unexpected(steno.error());
  const auto run = [&](LoadTarget& target, Nanoseconds time) {
    return run_closed_loop(target, {kRate64Outstanding, time, kTurnCountMax});
  };
  const Nanoseconds warm_up = std::chrono::milliseconds(300);
  if (auto ok = run(**steno, warm_up); !ok) return tl::unexpected(ok.error());
  auto redis = RedisPeer::start(bench, kLoadConnections, (*steno)->request_bytes());
  if (!redis) return tl::unexpected(redis.error());
  if (*redis) {
    if (auto ok = run(*(*redis)->load, warm_up); !ok) return tl::unexpected(ok.error());
  }

  Rounds of_steno;
  Rounds of_redis;
  const Nanoseconds cpu_before = cpu_time((*server)->pid());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("rate_64_over_redis {}/{}", turn + 1, turns));
    const auto result = run(**steno, duration);
    if (!result) return tl::unexpected(result.error());
    of_steno.add(*result);
    if (!*redis) continue;
    const auto peer = run(*(*redis)->load, duration);
    if (!peer) return tl::unexpected(peer.error());
    of_redis.add(*peer);
  }
  const Nanoseconds cpu = cpu_time((*server)->pid()) - cpu_before;
  Figure figure;
  figure.raw.push_back(describe("steno, 64 outstanding", of_steno));
  if (*redis) {
    figure.value = median_ratio(of_steno, of_redis);
    figure.raw.push_back(
        describe("redis " + (*redis)->server->version() + ", 64 outstanding", of_redis));
  }

  bench.progress("rate_64_over_redis, open loop");
  const auto open = [&](const std::string& what, LoadTarget& target,
                        double rate) -> base::Result<void> {
    const auto result = run_open_loop(target, {rate / 2, 3 * duration});
    if (!result) return tl::unexpected(result.error());
    figure.raw.push_back(describe_open(what, rate / 2, *result));
    return {};
  };
  if (auto ok = open("steno", **steno, of_steno.rate()); !ok) return tl::unexpected(ok.error());
  if (*redis) {
    if (auto ok = open("redis", *(*redis)->load, of_redis.rate()); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (auto ok = (*steno)->check_appended(); !ok) return tl::unexpected(ok.error());
  figure.raw.push_back(fmt::format(
      "{} turns of {:.2f} s; {} connections each; requests and values of {} B; {} sent again; "
      "server CPU {:.1f} us a command",
      turns, seconds(duration), kLoadConnections, (*steno)->request_bytes(),
      (*steno)->resend_count(),
      microseconds(cpu) / static_cast<double>(of_steno.latencies.count())));
  return figure;
}

}  // namespace benchmarks
