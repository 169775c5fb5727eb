// Shrinks the schedule, plays the shortest one again with its trace, and adds the commit.
#include "tests/simulation/failure.hpp"

#include <cstdio>
#include <cstdlib>

#include "tests/simulation/shrink.hpp"
#include "tests/simulation/world.hpp"

namespace simulation {
namespace {

// Returns the commit of this program's sources, as far as git knows.
std::string commit() {
  std::string text;
  FILE* git =
      popen("git -C " STENO_SOURCE_DIR " describe --always --dirty --abbrev=12 2>/dev/null", "r");
  if (git == nullptr) return "unknown";
  char line[64];
  if (std::fgets(line, sizeof line, git) != nullptr) text = line;
  pclose(git);
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "unknown" : text;
}

}  // namespace

std::string explain(const Schedule& failing, const std::string& played, std::size_t trace_lines) {
  const Schedule shortest =
      shrink(failing, [](const Schedule& candidate) { return !run(candidate).violation.empty(); });
  const Outcome outcome = run(shortest, Tracing::on);
  std::string text = "violation: " + run(failing).violation + "\n";
  text += "commit:    " + commit() + "\n";
  text += "repeat:    ";
  if (const char* mutant = std::getenv("STENO_MUTANT")) {
    text += "STENO_MUTANT=" + std::string(mutant) + " ";
  }
  text += "steno-simulate " + played + "\n";
  text += "the shortest schedule found that fails (" + outcome.violation +
          "); kept in a file it is run again by steno-simulate --schedule FILE:\n\n";
  text += to_text(shortest) + "\nwhat happened in it:\n\n";
  const std::size_t lines = outcome.trace.size();
  if (lines > trace_lines) {
    text += "  (" + std::to_string(lines - trace_lines) + " earlier lines left out)\n";
  }
  for (std::size_t i = lines > trace_lines ? lines - trace_lines : 0; i < lines; ++i) {
    text += outcome.trace[i] + "\n";
  }
  return text;
}

}  // namespace simulation
