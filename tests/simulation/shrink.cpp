// Drops portions of faults, lowers each number by halving, then drops faults again and shortens
// the rest, within a bound on attempts.
#include "tests/simulation/shrink.hpp"

#include <algorithm>

namespace simulation {
namespace {

constexpr int kAttemptsMax = 400;

class Shrinker {
 public:
  Shrinker(Schedule failing, const std::function<bool(const Schedule&)>& fails)
      : best_(std::move(failing)), fails_(fails) {}

  Schedule run() {
    lower(&Schedule::events_min, 0);
    drop_faults();
    lower(&Schedule::commands, 1);
    lower(&Schedule::clients, 1);
    drop_faults();
    shorten_faults();
    return best_;
  }

 private:
  bool keep_if_failing(Schedule candidate) {
    if (attempts_ >= kAttemptsMax || candidate == best_) return false;
    ++attempts_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Lowers the number to the smallest failing value from `least` on, as far as halving finds it.
  void lower(std::int64_t Schedule::*number, std::int64_t least) {
    std::int64_t passes = least - 1;
    while (best_.*number > passes + 1) {
      Schedule candidate = best_;
      candidate.*number = passes + (best_.*number - passes) / 2;
      if (candidate.*number < least) candidate.*number = least;
      const std::int64_t tried = candidate.*number;
      if (!keep_if_failing(std::move(candidate))) passes = tried;
    }
  }

  void drop_faults() {
    for (std::size_t portion = best_.faults.size(); portion > 0; portion /= 2) {
      for (std::size_t at = 0; at < best_.faults.size();) {
        Schedule candidate = best_;
        const auto begin = candidate.faults.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end =
            begin + static_cast<std::ptrdiff_t>(std::min(portion, candidate.faults.size() - at));
        candidate.faults.erase(begin, end);
        if (!keep_if_failing(std::move(candidate))) at += portion;
      }
    }
  }

  void shorten_faults() {
    for (std::size_t i = 0; i < best_.faults.size(); ++i) {
      Schedule candidate = best_;
      candidate.faults[i].length = Duration{0};
      keep_if_failing(std::move(candidate));
    }
  }

  Schedule best_;
  const std::function<bool(const Schedule&)>& fails_;
  int attempts_ = 0;
};

}  // namespace

Schedule shrink(Schedule failing, const std::function<bool(const Schedule&)>& fails) {
  return Shrinker(std::move(failing), fails).run();
}

}  // namespace simulation
