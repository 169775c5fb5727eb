// cold_over_warm_p50: the first command on an evicted session, over one on a session in memory, one
// outstanding. An eviction leaves a snapshot, made here by the product's own loader. Sessions
// without a snapshot, which no server has had in memory since their last events, are measured
// beside.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/saved_snapshots.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kEventsOfSession = 369;
constexpr Nanoseconds kColdStartMax = std::chrono::minutes(2);

}  // namespace

base::Result<Figure> measure_cold_over_warm(Workbench& bench) {
  const std::int64_t count = bench.is_quick() ? 400 : 4000;
  const std::string home = bench.fresh_folder("cold");
  const std::string data_folder = StenoServer::data_folder(home);
  base::SeededRandom random(1);
  std::vector<base::SessionId> evicted;
  std::vector<base::SessionId> never_loaded;
  {
    bench.progress("cold_over_warm_p50, writing sessions");
    const auto author = LogAuthor::create(data_folder, random);
    if (!author) return tl::unexpected(author.error());
    auto ids = (*author)->add_histories(count * kEventsOfSession, kUsualContentBytes);
    if (!ids) return tl::unexpected(ids.error());
    if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
    const auto half = ids->begin() + static_cast<std::ptrdiff_t>(ids->size() / 2);
    evicted.assign(ids->begin(), half);
    never_loaded.assign(half, ids->end());
  }
  if (auto ok = save_snapshots(data_folder, evicted, random); !ok) {
    return tl::unexpected(ok.error());
  }
  const auto server = StenoServer::start_in(bench, home, kColdStartMax);
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());

  // Three of each by turns. Every command leaves NothingChanged, because the sessions have ended.
  Latencies cold;
  Latencies warm;
  Latencies folded;
  const auto run = [&](base::SessionId id, Latencies& latencies) -> base::Result<void> {
    const auto took = (*one)->run(id, kLogAgent, domain::KillSession{});
    if (!took) return tl::unexpected(took.error());
    latencies.add(*took);
    return {};
  };
  Latencies ignored;
  if (auto ok = run(evicted[0], ignored); !ok) return tl::unexpected(ok.error());
  for (std::size_t i = 1; i < evicted.size(); ++i) {
    if (i % 50 == 0) bench.progress(fmt::format("cold_over_warm_p50 {}/{}", i, evicted.size()));
    if (auto ok = run(evicted[i], cold); !ok) return tl::unexpected(ok.error());
    if (auto ok = run(evicted[i], warm); !ok) return tl::unexpected(ok.error());
    if (auto ok = run(never_loaded[i], folded); !ok) return tl::unexpected(ok.error());
  }
  return Figure{seconds(cold.p50()) / seconds(warm.p50()),
                {fmt::format("on an evicted session: {}", p50_and_p99(cold)),
                 fmt::format("on one in memory: {}", p50_and_p99(warm)),
                 fmt::format("on one without a snapshot, folded from the log: {}, {:.2f} times as "
                             "long as on one in memory",
                             p50_and_p99(folded), seconds(folded.p50()) / seconds(warm.p50())),
                 fmt::format("{} of each, 1 outstanding; sessions of {} events", cold.count(),
                             kEventsOfSession)}};
}

}  // namespace benchmarks
