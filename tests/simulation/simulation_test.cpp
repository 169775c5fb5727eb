#include <cstdlib>

#include "eventlog/base/mutant.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Mutant;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct MutantGuard {
  explicit MutantGuard(Mutant mutant) { base::active_mutant = mutant; }
  ~MutantGuard() { base::active_mutant = Mutant::none; }
};

// The first seed from 1 on that finds the mutant, up to `seeds_max`; 0: none did.
std::uint64_t caught_by(Mutant mutant, std::uint64_t seeds_max) {
  const MutantGuard guard(mutant);
  for (std::uint64_t seed = 1; seed <= seeds_max; ++seed) {
    if (!simulation::run({seed}).violation.empty()) return seed;
  }
  return 0;
}

// STENO_SEED repeats one seed; STENO_SEEDS runs that many from it.
TEST_CASE("every promise holds in every simulated world", "[simulation]") {
  const std::uint64_t first = number_from("STENO_SEED", 1);
  const std::uint64_t count =
      number_from("STENO_SEEDS", std::getenv("STENO_SEED") == nullptr ? 60 : 1);
  simulation::Counts sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto outcome = simulation::run({seed});
    INFO("STENO_SEED=" << seed << "\n" << outcome.trace);
    REQUIRE(outcome.violation == "");
    add(sum, outcome.counts);
  }
  WARN(count << " seeds: " << describe(sum));
  if (count < 60) return;
  // A run that reached nothing proved nothing.
  CHECK(sum.server_crashes > 0);
  CHECK(sum.blocks_torn_away > 0);
  CHECK(sum.worker_crashes > 0);
  CHECK(sum.repeated > 0);
  CHECK(sum.partitions > 0);
  CHECK(sum.leases_expired > 0);
  CHECK(sum.turns_finished > 0);
}

TEST_CASE("one seed gives one run", "[simulation]") {
  const auto first = simulation::run({7});
  const auto second = simulation::run({7});
  CHECK(first.counts.events == second.counts.events);
  CHECK(first.counts.steps == second.counts.steps);
  CHECK(first.counts.accepted == second.counts.accepted);
}

TEST_CASE("simulation catches an acknowledgement before the sync", "[simulation]") {
  CHECK(caught_by(Mutant::acknowledge_before_sync, 5) > 0);
}

TEST_CASE("simulation catches skipped deduplication", "[simulation]") {
  CHECK(caught_by(Mutant::skip_deduplication, 100) > 0);
}

TEST_CASE("simulation catches an ignored fencing token", "[simulation]") {
  CHECK(caught_by(Mutant::ignore_fencing_token, 300) > 0);
}

}  // namespace
