// fold_events_per_s: reads a log from its first block to its last, checks each block, decodes the
// facts and folds them into the states of their sessions. One thread, bound to one core; the log is
// in the page cache.
#include <fmt/format.h>

#include <algorithm>

#include "tools/benchmarks/fold_log.hpp"
#include "tools/benchmarks/fold_pass.hpp"
#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/one_core.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kFoldedEventsFull = 10'000'000;
constexpr std::int64_t kFoldedEventsQuick = 300'000;
constexpr std::int64_t kEventsOfStage = 1'000'000;  // enough to see the cost of each stage
constexpr int kTurnsMax = 3;
constexpr Nanoseconds kTurnsTime = std::chrono::seconds(60);  // no further turn after that

// Checks that the fold was really made, and that its sessions are sound.
base::Result<void> check_states(const FoldLog& log, const Pass& pass) {
  bool is_sound =
      pass.events == log.events && pass.states.size() == static_cast<std::size_t>(log.sessions);
  for (const auto& [name, state] : pass.states) {
    const auto* folded = std::get_if<domain::SessionState>(&state);
    is_sound = is_sound && folded != nullptr && folded->inconsistent.value == 0 &&
               folded->status == domain::SessionStatus::completed;
  }
  if (is_sound) return {};
  return base::failure(base::ErrorCode::damaged, "the fold is not of what was written");
}

// Returns "scan 4,000,000/s, and check 900,000/s, …": each stage includes the one before it.
base::Result<std::string> measure_stages(Workbench& bench, const FoldLog& log) {
  const std::pair<Stage, std::string> stages[] = {{Stage::scan, "scan"},
                                                  {Stage::check, "and check"},
                                                  {Stage::decode, "and decode"},
                                                  {Stage::fold, "and fold"}};
  std::string text;
  for (const auto& [stage, name] : stages) {
    bench.progress("fold_events_per_s, " + name);
    const auto pass = run_pass(*log.store, stage, std::min(log.events, kEventsOfStage));
    if (!pass) return tl::unexpected(pass.error());
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, rate_text(pass->per_second()));
  }
  return text;
}

}  // namespace

base::Result<Figure> measure_fold(Workbench& bench) {
  const std::string folder = bench.fresh_folder("fold");
  auto log =
      write_fold_log(bench, folder, bench.is_quick() ? kFoldedEventsQuick : kFoldedEventsFull);
  if (!log) return tl::unexpected(log.error());
  const OneCore pinned;
  const auto stages = measure_stages(bench, *log);
  if (!stages) return tl::unexpected(stages.error());
  std::vector<double> rates;
  const Nanoseconds end = now() + kTurnsTime;
  for (int turn = 0; turn < kTurnsMax && (turn == 0 || now() < end); ++turn) {
    bench.progress(fmt::format("fold_events_per_s {}/{}", turn + 1, kTurnsMax));
    const auto pass = run_pass(*log->store, Stage::fold, log->events);
    if (!pass) return tl::unexpected(pass.error());
    if (auto ok = check_states(*log, *pass); !ok) return tl::unexpected(ok.error());
    rates.push_back(pass->per_second());
  }
  Figure figure;
  figure.value = median(rates);
  figure.raw = {
      *stages, fmt::format("{} events of {} sessions, {:.0f} B of facts each, in blocks of 256, in "
                           "the page cache; the middle of {} turns",
                           log->events, log->sessions,
                           static_cast<double>(log->facts_bytes) / static_cast<double>(log->events),
                           rates.size())};
  log->store.reset();
  bench.remove(folder);
  return figure;
}

}  // namespace benchmarks
