// steno-simulate: plays simulated worlds, seed after seed, and explains the first one that breaks a
// promise.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "tests/simulation/failure.hpp"
#include "tests/simulation/processes_at_once.hpp"
#include "tests/simulation/reached.hpp"
#include "tests/simulation/world.hpp"

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 1;
  double minutes = 0;
  std::string schedule_file;
  unsigned jobs = 1;
  std::size_t trace_lines = 200;
  bool is_traced = false;
  bool is_json = false;
  bool is_quiet = false;
};

struct Sum {
  std::uint64_t worlds = 0;
  std::uint64_t violations = 0;
  bool has_failed = false;
  simulation::Counts counts;
  SteadyTime began = std::chrono::steady_clock::now();

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
};

void print_json(const Options& options, const Sum& sum) {
  std::printf(
      "{\"campaign\":\"simulation\",\"first\":%llu,\"seeds\":%llu,\"violations\":%llu,"
      "\"seconds\":%.1f,\"per_minute\":%.0f,\"counts\":{",
      static_cast<unsigned long long>(options.first), static_cast<unsigned long long>(sum.worlds),
      static_cast<unsigned long long>(sum.violations), sum.seconds(),
      static_cast<double>(sum.worlds) * 60 / std::max(sum.seconds(), 0.001));
  const char* comma = "";
  for (const auto& [name, count] : sum.counts.all()) {
    std::printf("%s\"%s\":%lld", comma, name.c_str(), static_cast<long long>(count));
    comma = ",";
  }
  std::printf("}}\n");
}

void print_table(const Sum& sum) {
  for (const auto& [name, count] : sum.counts.all()) {
    std::printf("  %12lld  %s\n", static_cast<long long>(count), name.c_str());
  }
  std::printf("%llu worlds, %llu violations, %.1f s, %.0f a minute\n",
              static_cast<unsigned long long>(sum.worlds),
              static_cast<unsigned long long>(sum.violations), sum.seconds(),
              static_cast<double>(sum.worlds) * 60 / std::max(sum.seconds(), 0.001));
}

// Plays one schedule; `played` is the option that stands for it. False: a promise was broken.
bool play(const simulation::Schedule& schedule, const std::string& played, const Options& options,
          simulation::Counts& counts) {
  const auto outcome = simulation::run(
      schedule, options.is_traced ? simulation::Tracing::on : simulation::Tracing::off);
  counts.add(outcome.counts);
  for (const std::string& line : outcome.trace) std::printf("%s\n", line.c_str());
  if (outcome.violation.empty()) return true;
  std::printf("seed %llu\n%s", static_cast<unsigned long long>(schedule.seed),
              simulation::explain(schedule, played, options.trace_lines).c_str());
  return false;
}

int play_file(const Options& options, Sum& sum) {
  std::ifstream file(options.schedule_file);
  std::stringstream text;
  text << file.rdbuf();
  const auto schedule = simulation::parse_schedule(text.str());
  if (!file || !schedule) {
    std::fprintf(stderr, "steno-simulate: %s: %s\n", options.schedule_file.c_str(),
                 file ? base::describe(schedule.error()).c_str() : "cannot be read");
    return 2;
  }
  sum.worlds = 1;
  sum.violations =
      play(*schedule, "--schedule " + options.schedule_file, options, sum.counts) ? 0 : 1;
  sum.counts.add(simulation::take_rare_branches());
  return 0;
}

void play_seeds(const Options& options, Sum& sum) {
  const simulation::Seeds seeds{options.first, options.seeds,
                                std::chrono::duration<double>(60 * options.minutes)};
  const auto play_one = [&](std::uint64_t seed, simulation::Counts& counts) {
    const bool holds =
        play(simulation::make_schedule(seed), "--seed " + std::to_string(seed), options, counts);
    counts.add(simulation::take_rare_branches());
    return holds;
  };
  const auto tell = [&](std::uint64_t worlds) {
    if (options.is_quiet) return;
    std::fprintf(stderr, "\r%llu worlds, %.0f a minute ", static_cast<unsigned long long>(worlds),
                 static_cast<double>(worlds) * 60 / sum.seconds());
  };
  auto played = simulation::play_in_processes(seeds, options.jobs, play_one, tell);
  sum.worlds = played.worlds;
  sum.violations = played.violations;
  sum.has_failed = played.has_failed;
  for (const std::string& death : played.deaths) {
    std::fprintf(stderr, "steno-simulate: %s\n", death.c_str());
  }
  sum.counts = std::move(played.counts);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Plays simulated worlds of Steno, one for each seed, and checks every promise in each.\n"
      "The first that breaks one is cut down, explained, and ends the run with exit code 1. A run "
      "of\n"
      "10,000 or more that has not reached everything that must be reached ends with 3.",
      "steno-simulate");
  app.add_option("--seed", options.first, "the first seed");
  app.add_option("--seeds", options.seeds, "how many, from there on")->check(CLI::PositiveNumber);
  app.add_option("--minutes", options.minutes, "as many as the time allows, instead of --seeds")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--jobs", options.jobs, "so many processes at once")->check(CLI::Range(1, 256));
  app.add_option("--schedule", options.schedule_file, "play this one, as a failure printed it");
  app.add_option("--trace-lines", options.trace_lines, "of a failure, at most");
  app.add_flag("--trace", options.is_traced, "print what happens in every world");
  app.add_flag("--json", options.is_json, "print the figures as one line of JSON");
  app.footer(
      "Examples:\n"
      "  steno-simulate --seed 4711 --trace\n"
      "  steno-simulate --seed 1 --seeds 100000 --jobs 2 --json\n"
      "  STENO_MUTANT=skip_deduplication steno-simulate --seeds 1000");
  CLI11_PARSE(app, argc, argv);
  options.is_quiet = options.is_json || isatty(STDERR_FILENO) == 0;
  Sum sum;
  if (!options.schedule_file.empty()) {
    if (const int code = play_file(options, sum); code != 0) return code;
  } else {
    play_seeds(options, sum);
  }
  if (options.is_json) {
    print_json(options, sum);
  } else {
    print_table(sum);
  }
  if (sum.has_failed) {
    std::fprintf(stderr, "steno-simulate: not all of its processes could be started\n");
    return 2;
  }
  if (sum.violations > 0) return 1;
  if (sum.worlds < simulation::kWorldsToReachAll) return 0;
  for (const std::string& name : simulation::not_reached(sum.counts)) {
    std::fprintf(stderr, "steno-simulate: never reached: %s\n", name.c_str());
  }
  return simulation::not_reached(sum.counts).empty() ? 0 : 3;
}
