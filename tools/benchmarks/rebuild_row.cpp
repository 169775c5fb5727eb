// rebuild_over_fold: events a second of building all projections anew, from the first event into
// empty rows on the disk, over those of the bare fold of the same log. By turns, on one core.
#include <fmt/format.h>

#include <algorithm>

#include "eventlog/store/key_value_store.hpp"
#include "projections/projections.hpp"
#include "tools/benchmarks/fold_pass.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/one_core.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kRebuiltEventsFull = 2'000'000;
constexpr std::int64_t kRebuiltEventsQuick = 200'000;
constexpr std::size_t kBatchEvents = 16 << 10;  // as `steno replay rebuild`
constexpr int kRebuildTurns = 3;

// Returns events a second.
base::Result<double> rebuild(eventlog::BlockStore& log, const std::string& folder) {
  auto rows = eventlog::open_rocksdb_key_value_store(folder);
  if (!rows) return tl::unexpected(rows.error());
  auto set = projections::ProjectionSet::open(**rows);
  if (!set) return tl::unexpected(set.error());
  const Nanoseconds begun = now();
  for (;;) {
    const auto folded = set->catch_up(log, log.tail(), kBatchEvents);
    if (!folded) return tl::unexpected(folded.error());
    if (*folded == 0) break;
  }
  const Nanoseconds took = now() - begun;
  if (!set->reached(log.tail())) {
    return base::failure(base::ErrorCode::damaged, "a projection stopped before the log's end");
  }
  return static_cast<double>(log.tail().value) / seconds(took);
}

}  // namespace

base::Result<Figure> measure_rebuild(Workbench& bench) {
  const std::int64_t events = bench.is_quick() ? kRebuiltEventsQuick : kRebuiltEventsFull;
  const std::string folder = bench.fresh_folder("rebuild");
  base::SeededRandom random(1);
  bench.progress(fmt::format("rebuild_over_fold, writing {} events", events));
  const auto author = LogAuthor::create(folder + "/data", random);
  if (!author) return tl::unexpected(author.error());
  const auto sessions = (*author)->add_histories(events, kUsualContentBytes);
  if (!sessions) return tl::unexpected(sessions.error());
  if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  eventlog::BlockStore& log = (*author)->store();

  const OneCore pinned;
  std::vector<double> ratios;
  std::vector<double> rebuilt;
  std::vector<double> folds;
  for (int turn = 0; turn < kRebuildTurns; ++turn) {
    bench.progress(fmt::format("rebuild_over_fold {}/{}", turn + 1, kRebuildTurns));
    const auto fold = run_pass(log, Stage::fold, log.tail().value);
    if (!fold) return tl::unexpected(fold.error());
    const auto rate = rebuild(log, folder + "/rows" + std::to_string(turn));
    if (!rate) return tl::unexpected(rate.error());
    folds.push_back(fold->per_second());
    rebuilt.push_back(*rate);
    ratios.push_back(*rate / fold->per_second());
  }
  return Figure{median(ratios),
                {fmt::format("{} projections rebuilt: {}; bare fold: {}",
                             projections::all_projections().size(), rate_text(median(rebuilt)),
                             rate_text(median(folds))),
                 fmt::format("{} events of {} sessions, in the page cache; the middle of {} turns",
                             log.tail().value, sessions->size(), kRebuildTurns)},
                {}};
}

}  // namespace benchmarks
