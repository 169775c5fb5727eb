// `steno-bench`: measures the rows of rows.cpp and prints them, or runs one of its own child
// processes. `./tools/bench` builds and runs it.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>

#include "tools/benchmarks/echo.hpp"
#include "tools/benchmarks/feed_subscriber.hpp"
#include "tools/benchmarks/flood.hpp"
#include "tools/benchmarks/report.hpp"
#include "tools/benchmarks/stop.hpp"
#include "tools/benchmarks/subscriber.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

int complain(const std::string& text, int exit_code) {
  std::fprintf(stderr, "steno-bench: %s\n", text.c_str());
  return exit_code;
}

bool is_wanted(const Options& options, const Row& row) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), row.name) != options.only.end();
}

int measure(const Options& options) {
  take_stop_signals();
  auto bench = Workbench::open(options);
  if (!bench) return complain(base::describe(bench.error()), kExitFailed);
  std::vector<Measured> measured;
  for (const Row& row : rows()) {
    if (!is_wanted(options, row) || is_stopped()) continue;
    measured.push_back({row, row.measure(**bench)});
  }
  (*bench)->clear_progress();
  if (is_stopped()) return complain("stopped by a signal", kExitFailed);
  std::fputs(table_text(measured, (*bench)->absent()).c_str(), stdout);
  std::fputs((*bench)->load_text().c_str(), stdout);
  if (!options.json_file.empty()) {
    std::ofstream out(options.json_file);
    out << json_text(measured, (*bench)->absent(), options.commit);
    if (!out.flush()) return complain("cannot write " + options.json_file, kExitFailed);
  }
  const bool has_failed =
      std::any_of(measured.begin(), measured.end(), [](const Measured& m) { return !m.figure; });
  return has_failed ? kExitFailed : 0;
}

int run(const std::vector<std::string>& arguments) {
  const auto options = parse_options(arguments);
  if (!options) return complain(base::describe(options.error()), kExitUsage);
  if (options->wants_help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  if (!options->echo_server.empty()) return run_echo_server(options->echo_server);
  if (!options->echo_client.empty()) return run_echo_client(options->echo_client);
  if (!options->subscriber.empty()) return run_subscriber(options->subscriber);
  if (!options->feed_subscriber.empty()) return run_feed_subscriber(options->feed_subscriber);
  if (!options->flood.empty()) return run_flood(options->flood);
  return measure(*options);
}

}  // namespace
}  // namespace benchmarks

int main(int argc, char** argv) {
  try {
    return benchmarks::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    return benchmarks::complain(error.what(), benchmarks::kExitFailed);
  }
}
