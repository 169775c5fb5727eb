// ack_p50_over_floor: one command outstanding, from its sending to the reply that says it is
// durable, over what nobody can do without: one fdatasync after an append of as many bytes, and one
// bare round trip between two processes. All three, and Redis, by turns.
#include <fmt/format.h>

#include "tools/benchmarks/append_file.hpp"
#include "tools/benchmarks/echo.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/redis_load.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kOfTurn = 10;  // of each, before the next one's turn
constexpr std::size_t kWarmUp = 200;
constexpr Nanoseconds kTurnMax = std::chrono::seconds(5);

ClosedLoop one_at_a_time(std::size_t count) {
  return {1, kTurnMax, count};
}

struct Floor {
  std::unique_ptr<AppendFile> file;
  std::unique_ptr<Echo> echo;
};

base::Result<Floor> open_floor(Workbench& bench, const StenoLoad& steno, std::size_t log_bytes) {
  const std::string folder = bench.fresh_folder("floor");
  auto file = AppendFile::create(folder + "/append", log_bytes);
  if (!file) return tl::unexpected(file.error());
  auto echo = Echo::start(bench.program("steno-bench"), folder, steno.reply_bytes());
  if (!echo) return tl::unexpected(echo.error());
  return Floor{std::move(*file), std::move(*echo)};
}

}  // namespace

base::Result<Figure> measure_ack_over_floor(Workbench& bench) {
  const std::size_t turns = bench.is_quick() ? 100 : 500;
  const auto server = StenoServer::start(bench, "ack");
  if (!server) return tl::unexpected(server.error());
  const auto steno = StenoLoad::connect(bench, **server, 1);
  if (!steno) return tl::unexpected(steno.error());
  const std::size_t before = (*server)->write_ahead_bytes();
  if (auto ok = run_closed_loop(**steno, one_at_a_time(kWarmUp)); !ok) {
    return tl::unexpected(ok.error());
  }
  const std::size_t log_bytes = ((*server)->write_ahead_bytes() - before) / kWarmUp;
  const auto floor = open_floor(bench, **steno, log_bytes);
  if (!floor) return tl::unexpected(floor.error());

  Latencies syncs;
  Latencies echoes;
  Latencies acks;
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("ack_p50_over_floor {}/{}", turn + 1, turns));
    const auto synced = floor->file->append_for(kTurnMax, kOfTurn);
    if (!synced) return tl::unexpected(synced.error());
    syncs.add(*synced);
    const auto echoed = floor->echo->ask(kOfTurn, (*steno)->request_bytes());
    if (!echoed) return tl::unexpected(echoed.error());
    echoes.add(*echoed);
    const auto acked = run_closed_loop(**steno, one_at_a_time(kOfTurn));
    if (!acked) return tl::unexpected(acked.error());
    acks.add(acked->latencies);
    ratios.push_back(seconds(acked->latencies.p50()) / seconds(synced->p50() + echoed->p50()));
  }
  if (auto ok = (*steno)->check_appended(); !ok) return tl::unexpected(ok.error());
  return Figure{
      median(ratios),
      {fmt::format("steno, 1 outstanding: {}", p50_and_p99(acks)),
       fmt::format("fdatasync after an append of {} B: {}", log_bytes, p50_and_p99(syncs)),
       fmt::format("bare echo of {} B, answered with {} B: {}", (*steno)->request_bytes(),
                   (*steno)->reply_bytes(), p50_and_p99(echoes)),
       fmt::format(
           "{} turns of {} of each; the value is the middle of the turns' ratios of p50, and "
           "all turns' p50 together give {:.3f}",
           turns, kOfTurn, seconds(acks.p50()) / seconds(syncs.p50() + echoes.p50()))}};
}

}  // namespace benchmarks
