// rate_1024_over_unsynced: accepted commands a second with 1,024 outstanding, over the same of a
// second server whose syncs do nothing. By turns; then the first one in an open loop.
#include <fmt/format.h>

#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kOutstanding = 1024;
constexpr std::size_t kConnections = 4;
constexpr std::size_t kCountMax = 2'000'000;  // of a turn, which ends by the clock
constexpr Nanoseconds kWarmUp = std::chrono::milliseconds(300);

struct Subject {
  std::unique_ptr<StenoServer> server;
  std::unique_ptr<StenoLoad> load;
  Rounds rounds;

  base::Result<bool> run(Nanoseconds duration) {
    const auto result = run_closed_loop(*load, {kOutstanding, duration, kCountMax});
    if (!result) return tl::unexpected(result.error());
    rounds.add(*result);
    return true;
  }
};

base::Result<Subject> start(Workbench& bench, const std::string& name, const std::string& preload) {
  auto server = StenoServer::start(bench, name, preload);
  if (!server) return tl::unexpected(server.error());
  auto load = StenoLoad::connect(bench, **server, {kConnections});
  if (!load) return tl::unexpected(load.error());
  Subject subject{std::move(*server), std::move(*load), {}};
  if (auto ok = subject.run(kWarmUp); !ok) return tl::unexpected(ok.error());
  subject.rounds = {};
  return subject;
}

}  // namespace

base::Result<Figure> measure_rate_1024_over_unsynced(Workbench& bench) {
  const int turns = bench.is_quick() ? 6 : 20;
  const Nanoseconds duration = std::chrono::milliseconds(bench.is_quick() ? 350 : 1000);
  auto synced = start(bench, "rate1024", {});
  if (!synced) return tl::unexpected(synced.error());
  auto unsynced = start(bench, "rate1024-unsynced", bench.program("libbench_no_sync.so"));
  if (!unsynced) return tl::unexpected(unsynced.error());
  for (int turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("rate_1024_over_unsynced {}/{}", turn + 1, turns));
    if (auto ok = synced->run(duration); !ok) return tl::unexpected(ok.error());
    if (auto ok = unsynced->run(duration); !ok) return tl::unexpected(ok.error());
  }
  bench.progress("rate_1024_over_unsynced, open loop");
  const double half = synced->rounds.rate() / 2;
  const auto open = run_open_loop(*synced->load, {half, 3 * duration});
  if (!open) return tl::unexpected(open.error());
  for (const Subject* subject : {&*synced, &*unsynced}) {
    if (auto ok = subject->load->check_appended(); !ok) return tl::unexpected(ok.error());
  }
  return Figure{median_ratio(synced->rounds, unsynced->rounds),
                {describe("steno, 1024 outstanding", synced->rounds),
                 describe("steno that does not sync, 1024 outstanding", unsynced->rounds),
                 describe_open("steno", half, *open),
                 fmt::format("{} turns of {:.2f} s; {} connections; {} and {} sent again", turns,
                             seconds(duration), kConnections, synced->load->resend_count(),
                             unsynced->load->resend_count())},
                {}};
}

}  // namespace benchmarks
