// Whole simulated worlds under random faults: every promise holds, runs are reproducible, and
// planted bugs are found and explained by short schedules.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "eventlog/base/mutant.hpp"
#include "tests/simulation/failure.hpp"
#include "tests/simulation/reached.hpp"
#include "tests/simulation/shrink.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment_number.hpp"

namespace {

using base::Mutant;
using simulation::make_schedule;
using simulation::Schedule;

constexpr std::size_t kTraceLines = 120;
constexpr std::int64_t kSmokeSeeds = 300;

void require_holds(const Schedule& schedule, const std::string& played,
                   const simulation::Outcome& outcome) {
  if (outcome.violation.empty()) return;
  FAIL(simulation::explain(schedule, played, kTraceLines));
}

struct MutantGuard {
  explicit MutantGuard(Mutant mutant) { base::active_mutant = mutant; }
  ~MutantGuard() { base::active_mutant = Mutant::none; }
};

// Returns the first seed from 1 on, up to `seeds_max`, that finds the mutant; 0: none did.
std::uint64_t caught_by(Mutant mutant, std::uint64_t seeds_max) {
  const MutantGuard guard(mutant);
  for (std::uint64_t seed = 1; seed <= seeds_max; ++seed) {
    if (!simulation::run(make_schedule(seed)).violation.empty()) return seed;
  }
  return 0;
}

// STENO_SEED repeats one seed; STENO_SEEDS runs that many from it.
TEST_CASE("every promise holds in every simulated world", "[simulation]") {
  const auto first = static_cast<std::uint64_t>(support::environment_number("STENO_SEED", 1, 0));
  const auto count = static_cast<std::uint64_t>(support::environment_number(
      "STENO_SEEDS", std::getenv("STENO_SEED") == nullptr ? kSmokeSeeds : 1));
  simulation::Counts sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Schedule schedule = make_schedule(seed);
    const auto outcome = simulation::run(schedule);
    require_holds(schedule, "--seed " + std::to_string(seed), outcome);
    sum.add(outcome.counts);
    CHECK(outcome.counts.of("events") >= 200);
  }
  sum.add(simulation::take_rare_branches());
  WARN(count << " seeds: " << simulation::describe(sum));
  if (count < simulation::kWorldsToReachAll) return;
  CHECK(simulation::not_reached(sum) == std::vector<std::string>{});
}

TEST_CASE("one schedule gives one run", "[simulation]") {
  const auto first = simulation::run(make_schedule(7), simulation::Tracing::on);
  const auto second = simulation::run(make_schedule(7), simulation::Tracing::on);
  CHECK(first.counts == second.counts);
  CHECK(first.trace == second.trace);
  CHECK(first.trace != simulation::run(make_schedule(8), simulation::Tracing::on).trace);
}

// Each schedule fails with the mutant of its name: a bug that it once found, or one that a checker
// must see.
TEST_CASE("schedules that failed once hold, and fail where their bug is planted", "[simulation]") {
  const std::filesystem::path folder = STENO_SOURCE_DIR "/tests/simulation/regressions";
  std::set<std::string> missing = {
      "busy_is_refusal",         "completed_before_scrubbed", "directive_numbers_restart",
      "expiring_lease_directed", "holder_not_awaited",        "page_skips_event",
      "stopped_worker_obeys",    "takeover_behind",           "whole_block_erased"};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto schedule = simulation::parse_schedule(text.str());
    INFO(entry.path());
    REQUIRE(schedule);
    require_holds(*schedule, "--schedule " + entry.path().string(), simulation::run(*schedule));
    const std::string name = entry.path().stem().string();
    missing.erase(name);
    const auto mutant = base::mutant_named(name);
    REQUIRE(mutant);
    const MutantGuard guard(*mutant);
    CHECK(simulation::run(*schedule).violation != "");
  }
  CHECK(missing == std::set<std::string>{});
}

TEST_CASE("a schedule is printed and read back", "[simulation]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Schedule schedule = make_schedule(seed);
    CHECK(simulation::parse_schedule(simulation::to_text(schedule)) == schedule);
  }
  const Schedule last = make_schedule(~std::uint64_t{0});
  CHECK(simulation::parse_schedule(simulation::to_text(last)) == last);
  const auto unsorted = simulation::parse_schedule(
      "seed 1\n+2.000000 kill_server for 0.500000 choice 1\n"
      "+1.000000 kill_worker for 0.500000 choice 1\n");
  REQUIRE(unsorted);
  CHECK(unsorted->faults.front().kind == simulation::FaultKind::kill_worker);
  CHECK(!simulation::parse_schedule(""));
  CHECK(!simulation::parse_schedule("clients 3\n"));
  CHECK(!simulation::parse_schedule("seed 1\nclients 0\n"));
  CHECK(!simulation::parse_schedule("seed 1\npercent EraseContent 101\n"));
  CHECK(!simulation::parse_schedule("seed 1\n+1.000000 kill_servant for 0.000000 choice 1\n"));
  CHECK(!simulation::parse_schedule("seed 1\npercent RaiseSession 5\n"));
  CHECK(!simulation::parse_schedule("seed -1\n"));
  CHECK(!simulation::parse_schedule("+1.5 kill_server for 0.000000 choice 1\n"));
}

TEST_CASE("a failing schedule is cut down to what it fails with", "[simulation]") {
  const auto needs_two = [](const Schedule& schedule) {
    int crashes = 0;
    for (const auto& fault : schedule.faults) {
      crashes += fault.kind == simulation::FaultKind::kill_agent ||
                 fault.kind == simulation::FaultKind::cut_link;
    }
    return crashes >= 2 && schedule.commands >= 5;
  };
  std::uint64_t seed = 1;
  while (!needs_two(make_schedule(seed))) ++seed;
  const Schedule shortest = simulation::shrink(make_schedule(seed), needs_two);
  CHECK(shortest.faults.size() == 2);
  CHECK(shortest.commands == 5);
  CHECK(shortest.clients == 1);
}

TEST_CASE("simulation catches an acknowledgement before the sync", "[simulation]") {
  CHECK(caught_by(Mutant::acknowledge_before_sync, 5) > 0);
}

TEST_CASE("simulation catches skipped deduplication", "[simulation]") {
  CHECK(caught_by(Mutant::skip_deduplication, 100) > 0);
}

TEST_CASE("simulation catches an ignored fencing token", "[simulation]") {
  CHECK(caught_by(Mutant::ignore_fencing_token, 1000) > 0);
}

}  // namespace
