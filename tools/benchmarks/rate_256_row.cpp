// rate_256_over_fdatasync: accepted commands a second with 256 outstanding, over bare appends of as
// many bytes, each with an fdatasync. By turns; then Steno in an open loop.
#include <fmt/format.h>

#include "tools/benchmarks/append_file.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kRate256Outstanding = 256;
constexpr Nanoseconds kRate256WarmUpMax = std::chrono::seconds(3);

}  // namespace

base::Result<Figure> measure_rate_256_over_fdatasync(Workbench& bench) {
  const std::size_t turns = bench.is_quick() ? 6 : 20;
  const Nanoseconds duration = std::chrono::milliseconds(bench.is_quick() ? 350 : 1000);
  const auto server = StenoServer::start(bench, "rate256");
  if (!server) return tl::unexpected(server.error());
  const auto steno = StenoLoad::connect(bench, **server, {kLoadConnections});
  if (!steno) return tl::unexpected(steno.error());
  // With one outstanding, one command is one block: as many bytes as one append has.
  const std::size_t before = (*server)->write_ahead_bytes();
  const auto warm_up = run_closed_loop(**steno, {1, kRate256WarmUpMax, kWarmUpCount});
  if (!warm_up) return tl::unexpected(warm_up.error());
  const std::size_t log_bytes =
      ((*server)->write_ahead_bytes() - before) / warm_up->latencies.count();
  const auto file = AppendFile::create(bench.fresh_folder("rate256-floor") + "/append", log_bytes);
  if (!file) return tl::unexpected(file.error());

  Rounds of_steno;
  Rounds of_file;
  const Nanoseconds cpu_before = cpu_time((*server)->pid());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("rate_256_over_fdatasync {}/{}", turn + 1, turns));
    const Nanoseconds begun = now();
    const auto synced = (*file)->append_for(duration / 2, kTurnCountMax);
    if (!synced) return tl::unexpected(synced.error());
    of_file.add({*synced, now() - begun, {}});
    const auto result = run_closed_loop(**steno, {kRate256Outstanding, duration, kTurnCountMax});
    if (!result) return tl::unexpected(result.error());
    of_steno.add(*result);
  }
  const Nanoseconds cpu = cpu_time((*server)->pid()) - cpu_before;
  bench.progress("rate_256_over_fdatasync, open loop");
  const auto open = run_open_loop(**steno, {of_steno.rate() / 2, 3 * duration});
  if (!open) return tl::unexpected(open.error());
  if (auto ok = (*steno)->check_appended(); !ok) return tl::unexpected(ok.error());
  return Figure{
      median_ratio(of_steno, of_file),
      {describe("steno, 256 outstanding", of_steno),
       describe(fmt::format("fdatasync after each append of {} B", log_bytes), of_file),
       describe_open("steno", of_steno.rate() / 2, *open),
       fmt::format("{} turns of {:.2f} s; {} connections; {} sent again; server CPU {:.1f} us a "
                   "command",
                   turns, seconds(duration), kLoadConnections, (*steno)->resend_count(),
                   microseconds(cpu) / static_cast<double>(of_steno.latencies.count()))}};
}

}  // namespace benchmarks
