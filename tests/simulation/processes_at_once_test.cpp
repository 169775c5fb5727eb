// Playing in several processes: each seed once, one violation ends all, and a dead process is named
// with its seed.
#include "tests/simulation/processes_at_once.hpp"

#include "tests/support/catch.hpp"

namespace {

using simulation::Counts;
using simulation::play_in_processes;

constexpr auto kTellNobody = [](std::uint64_t) {};

TEST_CASE("several processes play every seed once", "[simulation]") {
  const auto played = play_in_processes(
      {7, 1000}, 3,
      [](std::uint64_t seed, Counts& counts) {
        ++counts["of seed " + std::to_string(seed)];
        counts["sum"] += static_cast<std::int64_t>(seed);
        return true;
      },
      kTellNobody);
  CHECK(played.worlds == 1000);
  CHECK(played.violations == 0);
  CHECK_FALSE(played.has_failed);
  CHECK(played.counts.of("sum") == 1000 * (7 + 1006) / 2);
  for (int seed = 7; seed < 1007; ++seed) {
    CHECK(played.counts.of("of seed " + std::to_string(seed)) == 1);
  }
}

TEST_CASE("a violation in one process ends all", "[simulation]") {
  const auto played = play_in_processes(
      {1, std::uint64_t{1} << 40}, 2, [](std::uint64_t seed, Counts&) { return seed != 40; },
      kTellNobody);
  CHECK(played.violations == 1);
  CHECK(played.worlds >= 24);  // the other process can hold 16 seeds unplayed
  CHECK_FALSE(played.has_failed);
}

TEST_CASE("a process that ends by itself is noticed", "[simulation]") {
  const auto played = play_in_processes(
      {1, 100}, 2,
      [](std::uint64_t seed, Counts&) {
        if (seed == 50) std::_Exit(9);
        return true;
      },
      kTellNobody);
  CHECK_FALSE(played.has_failed);
  CHECK(played.violations == 1);
  REQUIRE(played.deaths.size() == 1);
  CHECK_THAT(played.deaths[0], Catch::Contains("ended with 9") && Catch::Contains("--seed 50"));
}

}  // namespace
