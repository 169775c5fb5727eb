// update_rate_flatness_hot, update_rate_flatness_uniform: accepted commands a second with 1,000,000
// known sessions, over those with 100.
//
// Hot: prompts and interruptions of 100 live sessions, while all others have ended. Uniform:
// commands spread over all ended sessions, few of which are in memory, so that each command loads
// its session from the snapshot that the eviction left. The same is measured without snapshots, as
// in a log whose rows were deleted.
#include <fmt/format.h>

#include <optional>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "tools/benchmarks/rate_subject.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/saved_snapshots.hpp"

namespace benchmarks {
namespace {

constexpr int kFew = 100;
constexpr int kManyFull = 1'000'000;
constexpr int kManyQuick = 20'000;
constexpr int kManyColdQuick = 100'000;  // more than are asked for, so that none is in memory
constexpr std::size_t kFlatnessOutstanding = 256;
constexpr Nanoseconds kFlatnessStartMax =
    std::chrono::minutes(20);  // the first one indexes the log

struct Sessions {
  std::vector<base::SessionId> live;
  std::vector<base::SessionId> ended;
};

// Writes the log of a server that knows `known` sessions, `live` of which are live.
base::Result<Sessions> write_log(const std::string& home, int known, int live) {
  base::SeededRandom random(1);
  const auto author = LogAuthor::create(StenoServer::data_folder(home), random);
  if (!author) return tl::unexpected(author.error());
  Sessions sessions;
  for (int i = 0; i < known; ++i) {
    const bool is_ended = i >= live;
    const auto id = (*author)->add_short({1, is_ended});
    if (!id) return tl::unexpected(id.error());
    (is_ended ? sessions.ended : sessions.live).push_back(*id);
  }
  if (auto ok = (*author)->flush(); !ok) return tl::unexpected(ok.error());
  // Neighbours in time share a block; a uniform spread has no such neighbours.
  for (std::size_t i = sessions.ended.size(); i > 1; --i) {
    std::swap(sessions.ended[i - 1], sessions.ended[random.below(i)]);
  }
  return sessions;
}

// Starts a server on that log, with a load on the live sessions, or on the ended ones if none is
// live.
base::Result<RateSubject> start(Workbench& bench, const std::string& home,
                                const Sessions& sessions) {
  auto server = StenoServer::start_in(bench, home, kFlatnessStartMax);
  if (!server) return tl::unexpected(server.error());
  const auto one = OneCommand::connect(bench, **server);
  if (!one) return tl::unexpected(one.error());
  // A server in operation has no log to fold beside the load, so wait until its views are up.
  if (auto ok = (*one)->wait_for_views(); !ok) return tl::unexpected(ok.error());
  const bool are_ended = sessions.live.empty();
  return RateSubject::start(
      bench, std::move(*server),
      {kLoadConnections, 0, are_ended ? sessions.ended : sessions.live, are_ended});
}

// Two servers, measured by turns.
class Flatness {
 public:
  Flatness(Workbench& bench, std::string row, int known, int live)
      : bench_(bench), row_(std::move(row)), known_(known), live_(live) {}

  base::Result<void> prepare() {
    bench_.progress(fmt::format("{}, writing {} sessions", row_, known_));
    home_ = bench_.fresh_folder(row_ + "-many");
    auto sessions = write_log(home_, known_, live_);
    if (!sessions) return tl::unexpected(sessions.error());
    sessions_ = std::move(*sessions);
    const std::string few_home = bench_.fresh_folder(row_ + "-few");
    const auto few = write_log(few_home, kFew, live_);
    if (!few) return tl::unexpected(few.error());
    return started(few_, few_home, *few);
  }

  // Leaves the state of a server that has evicted all of the sessions.
  base::Result<void> evict() {
    many_.reset();
    bench_.progress(row_ + ", writing snapshots");
    return save_snapshots(StenoServer::data_folder(home_), sessions_.ended, bench_.random());
  }

  // Returns the ratio of the two. Starts the server that knows many first.
  base::Result<double> run() {
    if (auto ok = started(many_, home_, sessions_); !ok) return tl::unexpected(ok.error());
    bench_.progress(row_);
    few_->rounds = {};
    if (auto ok = run_by_turns(*many_, *few_, turns()); !ok) return tl::unexpected(ok.error());
    return median_ratio(many_->rounds, few_->rounds);
  }

  std::string many_text() const { return text(known_, *many_); }
  std::string few_text() const { return text(kFew, *few_); }
  base::Result<std::string> open_text() {
    return open_loop_text(known_text(known_), *many_, 3 * turns().duration);
  }

  RateTurns turns() const {
    return {bench_.is_quick() ? 4 : 20, kFlatnessOutstanding,
            std::chrono::milliseconds(bench_.is_quick() ? 350 : 1000)};
  }

 private:
  base::Result<void> started(std::optional<RateSubject>& subject, const std::string& home,
                             const Sessions& sessions) {
    auto fresh = start(bench_, home, sessions);
    if (!fresh) return tl::unexpected(fresh.error());
    subject = std::move(*fresh);
    return {};
  }

  static std::string known_text(int known) { return fmt::format("{} sessions known", known); }
  static std::string text(int known, const RateSubject& subject) {
    return describe(fmt::format("{}, {} outstanding", known_text(known), kFlatnessOutstanding),
                    subject.rounds);
  }

  Workbench& bench_;
  const std::string row_;
  const int known_;
  const int live_;
  std::string home_;  // of the server that knows many
  Sessions sessions_;
  std::optional<RateSubject> many_;
  std::optional<RateSubject> few_;
};

base::Result<Figure> measure(Workbench& bench, const std::string& row, int known, int live) {
  Flatness flatness(bench, row, known, live);
  if (auto ok = flatness.prepare(); !ok) return tl::unexpected(ok.error());
  std::string folded;
  if (live == 0) {
    const auto ratio = flatness.run();
    if (!ratio) return tl::unexpected(ratio.error());
    folded = fmt::format("without snapshots, folded from the log: {:.3f}; {}", *ratio,
                         flatness.many_text());
    if (auto ok = flatness.evict(); !ok) return tl::unexpected(ok.error());
  }
  const auto ratio = flatness.run();
  if (!ratio) return tl::unexpected(ratio.error());
  const auto open = flatness.open_text();
  if (!open) return tl::unexpected(open.error());
  Figure figure{*ratio, {flatness.many_text(), flatness.few_text(), *open}};
  if (!folded.empty()) figure.raw.push_back(folded);
  figure.raw.push_back(
      fmt::format("{} turns of {:.2f} s; {} connections{}", flatness.turns().turns,
                  seconds(flatness.turns().duration), kLoadConnections,
                  bench.is_quick() ? "; --quick, so fewer than 1,000,000 sessions" : ""));
  return figure;
}

}  // namespace

base::Result<Figure> measure_flatness_hot(Workbench& bench) {
  return measure(bench, "update_rate_flatness_hot", bench.is_quick() ? kManyQuick : kManyFull,
                 kFew);
}

base::Result<Figure> measure_flatness_uniform(Workbench& bench) {
  return measure(bench, "update_rate_flatness_uniform",
                 bench.is_quick() ? kManyColdQuick : kManyFull, 0);
}

}  // namespace benchmarks
