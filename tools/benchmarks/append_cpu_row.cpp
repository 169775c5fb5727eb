// append_cpu_us: processor time of the server's whole process for one accepted command, with 1,024
// outstanding. It includes the loop, ZeroMQ's threads, committing, flushing and compacting, in user
// and kernel mode.
#include <fmt/format.h>

#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kAppendCpuOutstanding = 1024;
constexpr Nanoseconds kAppendCpuWarmUp = std::chrono::milliseconds(500);

}  // namespace

base::Result<Figure> measure_append_cpu(Workbench& bench) {
  const int turns = bench.is_quick() ? 4 : 20;
  const Nanoseconds duration = std::chrono::milliseconds(bench.is_quick() ? 500 : 1000);
  const auto server = StenoServer::start(bench, "append-cpu");
  if (!server) return tl::unexpected(server.error());
  const auto steno = StenoLoad::connect(bench, **server, {kLoadConnections});
  if (!steno) return tl::unexpected(steno.error());
  const auto run = [&](Nanoseconds time) {
    return run_closed_loop(**steno, {kAppendCpuOutstanding, time, kTurnCountMax});
  };
  if (auto ok = run(kAppendCpuWarmUp); !ok) return tl::unexpected(ok.error());
  Rounds rounds;
  const Nanoseconds begun = now();
  const Nanoseconds cpu_before = cpu_time((*server)->pid());
  for (int turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("append_cpu_us {}/{}", turn + 1, turns));
    const auto result = run(duration);
    if (!result) return tl::unexpected(result.error());
    rounds.add(*result);
  }
  const Nanoseconds cpu = cpu_time((*server)->pid()) - cpu_before;
  const Nanoseconds took = now() - begun;
  if (auto ok = (*steno)->check_appended(); !ok) return tl::unexpected(ok.error());
  return Figure{microseconds(cpu) / static_cast<double>(rounds.latencies.count()),
                {describe("steno, 1024 outstanding", rounds),
                 fmt::format("{} commands took {:.2f} s of processor time in {:.2f} s; {} turns of "
                             "{:.2f} s; {} connections; {} sent again",
                             rounds.latencies.count(), seconds(cpu), seconds(took), turns,
                             seconds(duration), kLoadConnections, (*steno)->resend_count())},
                {}};
}

}  // namespace benchmarks
