// A sink's program is run to its end, or killed with all that it started.
#include "workers/processes/run_program.hpp"

#include <sys/eventfd.h>

#include "eventlog/base/unique_fd.hpp"
#include "tests/support/catch.hpp"

namespace processes {
namespace {

constexpr base::Duration kLong = std::chrono::minutes(1);

ProgramOutcome outcome_of(const std::vector<std::string>& argv, base::Duration limit = kLong) {
  const base::UniqueFd never(::eventfd(0, EFD_CLOEXEC));
  return run_program(argv, {limit, never.get()});
}
std::string run(const std::vector<std::string>& argv, base::Duration limit = kLong) {
  return outcome_of(argv, limit).problem;
}

TEST_CASE("a program that ends well says nothing", "[workers]") {
  CHECK(run({"true"}).empty());
  CHECK(run({"sh", "-c", "echo loud; echo louder >&2"}).empty());
}

TEST_CASE("a program reads what it is given, and nothing else", "[workers]") {
  const base::UniqueFd never(::eventfd(0, EFD_CLOEXEC));
  const auto read = [&](std::string_view input) {
    return run_program({"wc", "-c"}, {kLong, never.get()}, input).output;
  };
  CHECK(read({}) == "0");
  CHECK(read("five\n") == "5");
  CHECK(read(std::string(300'000, 'x')) == "300000");
}

TEST_CASE("a program has this environment, but for what is changed in it", "[workers]") {
  ProgramRun how{kLong, -1};
  how.environment = {"GIVEN=a=b", "HOME=/there", "PATHS"};
  const auto shown = [&](const std::string& name) {
    return run_program({"printenv", name}, how).output;
  };
  CHECK(shown("GIVEN") == "a=b");
  CHECK(shown("HOME") == "/there");
  CHECK_FALSE(shown("PATH").empty());
  how.environment = {"HOME"};
  CHECK(shown("HOME").empty());
}

TEST_CASE("a program that fails is quoted", "[workers]") {
  const ProgramOutcome outcome = outcome_of({"sh", "-c", "echo 'no route'; exit 3"});
  CHECK(outcome.problem == "the program ended with code 3");
  CHECK(outcome.output == "no route");
  CHECK(run({"sh", "-c", "kill -TERM $$"}) == "the program was ended by signal 15");
  CHECK(run({"no-such-program-anywhere"}).find("cannot be started") != std::string::npos);
}

TEST_CASE("a program that hangs is killed with what it started", "[workers]") {
  // The second sleep has the pipe, too: that it lives on does not matter to whoever waits.
  CHECK(run({"sh", "-c", "sleep 1000 & sleep 1000"}, std::chrono::milliseconds(100))
            .find("did not end") != std::string::npos);
}

TEST_CASE("a program that never stops to write is killed at its limit", "[workers]") {
  for (const char* script : {"yes", "yes & yes"}) {
    CHECK(run({"sh", "-c", script}, std::chrono::milliseconds(100)).find("did not end") !=
          std::string::npos);
  }
}

TEST_CASE("a stop ends the program that runs", "[workers]") {
  const base::UniqueFd stop(::eventfd(1, EFD_CLOEXEC));
  CHECK(run_program({"sleep", "1000"}, {kLong, stop.get()}).problem == "the server stopped");
}

TEST_CASE("a program runs where it is told to, with what it is told", "[workers]") {
  ProgramRun how{kLong};
  how.folder = "/usr";
  how.environment = {"WORD=said"};
  how.output_max = 64;
  how.has_errors_apart = true;
  const ProgramOutcome outcome =
      run_program({"sh", "-c", "pwd; echo $WORD; echo wrong >&2; exit 2"}, how);
  CHECK(outcome.output == "/usr\nsaid");
  CHECK(outcome.errors == "wrong");
  CHECK(outcome.exit_code == 2);
  how.folder = "/no/such/folder";
  CHECK(run_program({"true"}, how).problem.find("cannot be started") != std::string::npos);
}

}  // namespace
}  // namespace processes
