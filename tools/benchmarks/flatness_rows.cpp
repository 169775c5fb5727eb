// update_rate_flatness_hot, update_rate_flatness_uniform: accepted commands a second of a server
// that knows 1,000,000 sessions, over those of one that knows 100. Hot: prompts and interruptions
// of 100 sessions that live, the other ones having ended. Uniform: spread over all that have ended,
// few of which are in memory: each command must load its session.
#include <fmt/format.h>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/rate_subject.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr int kFew = 100;
constexpr int kManyFull = 1'000'000;
constexpr int kManyQuick = 20'000;
constexpr std::size_t kFlatnessOutstanding = 256;
constexpr Nanoseconds kFlatnessStartMax =
    std::chrono::minutes(20);  // the first one indexes the log

enum class Spread { hot, uniform };

// A server that knows so many sessions, of which kFew live if they are to be the hot ones.
base::Result<RateSubject> start(Workbench& bench, const std::string& name, int known,
                                Spread spread) {
  const std::string home = bench.fresh_folder(name);
  base::SeededRandom random(1);
  std::vector<base::SessionId> live;
  std::vector<base::SessionId> ended;
  {
    const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
    if (!author) return tl::unexpected(author.error());
    const int live_count = spread == Spread::hot ? kFew : 0;
    for (int i = 0; i < known; ++i) {
      const bool is_ended = i >= live_count;
      const auto id = (*author)->add_short({1, is_ended});
      if (!id) return tl::unexpected(id.error());
      (is_ended ? ended : live).push_back(*id);
    }
    if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  }
  // Neighbours in time lie in one block; a spread that is one has none.
  for (std::size_t i = ended.size(); i > 1; --i) std::swap(ended[i - 1], ended[random.below(i)]);
  auto server = StenoServer::start_in(bench, home, kFlatnessStartMax);
  if (!server) return tl::unexpected(server.error());
  const bool is_hot = spread == Spread::hot;
  return RateSubject::start(
      bench, std::move(*server),
      {kLoadConnections, 0, is_hot ? std::move(live) : std::move(ended), !is_hot});
}

base::Result<Figure> measure(Workbench& bench, Spread spread, const std::string& row) {
  const int many = bench.is_quick() ? kManyQuick : kManyFull;
  const RateTurns turns{bench.is_quick() ? 4 : 20, kFlatnessOutstanding,
                        std::chrono::milliseconds(bench.is_quick() ? 350 : 1000)};
  bench.progress(fmt::format("{}, writing {} sessions", row, many));
  auto of_many = start(bench, row + "-many", many, spread);
  if (!of_many) return tl::unexpected(of_many.error());
  auto of_few = start(bench, row + "-few", kFew, spread);
  if (!of_few) return tl::unexpected(of_few.error());
  bench.progress(row);
  if (auto ok = run_by_turns(*of_many, *of_few, turns); !ok) return tl::unexpected(ok.error());
  const auto open =
      open_loop_text(fmt::format("{} sessions known", many), *of_many, 3 * turns.duration);
  if (!open) return tl::unexpected(open.error());
  return Figure{
      median_ratio(of_many->rounds, of_few->rounds),
      {describe(fmt::format("{} sessions known, {} outstanding", many, kFlatnessOutstanding),
                of_many->rounds),
       describe(fmt::format("{} sessions known, {} outstanding", kFew, kFlatnessOutstanding),
                of_few->rounds),
       *open,
       fmt::format("{} turns of {:.2f} s; {} connections{}", turns.turns, seconds(turns.duration),
                   kLoadConnections,
                   bench.is_quick() ? "; --quick, so fewer than 1,000,000 sessions" : "")}};
}

}  // namespace

base::Result<Figure> measure_flatness_hot(Workbench& bench) {
  return measure(bench, Spread::hot, "update_rate_flatness_hot");
}

base::Result<Figure> measure_flatness_uniform(Workbench& bench) {
  return measure(bench, Spread::uniform, "update_rate_flatness_uniform");
}

}  // namespace benchmarks
