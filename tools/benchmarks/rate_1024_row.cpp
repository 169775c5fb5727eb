// rate_1024_over_unsynced: accepted commands a second with 1,024 outstanding, over those of a
// second server whose syncs do nothing. By turns; then the first one in an open loop.
#include <fmt/format.h>

#include "tools/benchmarks/rate_subject.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kRate1024Outstanding = 1024;

base::Result<RateSubject> start(Workbench& bench, const std::string& name,
                                const std::string& preload) {
  auto server = StenoServer::start(bench, name, preload);
  if (!server) return tl::unexpected(server.error());
  return RateSubject::start(bench, std::move(*server), {kLoadConnections});
}

}  // namespace

base::Result<Figure> measure_rate_1024_over_unsynced(Workbench& bench) {
  const RateTurns turns{bench.is_quick() ? 6 : 20, kRate1024Outstanding,
                        std::chrono::milliseconds(bench.is_quick() ? 350 : 1000)};
  bench.progress("rate_1024_over_unsynced");
  auto synced = start(bench, "rate1024", {});
  if (!synced) return tl::unexpected(synced.error());
  auto unsynced = start(bench, "rate1024-unsynced", bench.program("libbench_no_sync.so"));
  if (!unsynced) return tl::unexpected(unsynced.error());
  if (auto ok = run_by_turns(*synced, *unsynced, turns); !ok) return tl::unexpected(ok.error());
  bench.progress("rate_1024_over_unsynced, open loop");
  const auto open = open_loop_text("steno", *synced, 3 * turns.duration);
  if (!open) return tl::unexpected(open.error());
  return Figure{median_ratio(synced->rounds, unsynced->rounds),
                {describe("steno, 1024 outstanding", synced->rounds),
                 describe("steno that does not sync, 1024 outstanding", unsynced->rounds), *open,
                 fmt::format("{} turns of {:.2f} s; {} connections; {} and {} sent again",
                             turns.turns, seconds(turns.duration), kLoadConnections,
                             synced->load->resend_count(), unsynced->load->resend_count())}};
}

}  // namespace benchmarks
