// Signals stay with the thread that blocks them to read them.
#include "bus/context.hpp"

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "tests/support/catch.hpp"

namespace {

std::set<std::string> threads() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.insert(task.path().filename());
  }
  return ids;
}

// Returns the signals that the thread blocks, one bit each; none: there is no such thread.
std::optional<std::uint64_t> blocked_by(const std::string& thread) {
  std::ifstream status("/proc/self/task/" + thread + "/status");
  std::uint64_t blocked = 0;
  for (std::string word; status >> word;) {
    if (word == "SigBlk:" && status >> std::hex >> blocked) return blocked;
  }
  return std::nullopt;
}

TEST_CASE("the threads of a context take no signal from their first moment on", "[bus]") {
  const std::set<std::string> before = threads();
  const bus::Context context;
  int count = 0;
  for (const std::string& thread : threads()) {
    if (before.contains(thread)) continue;
    const auto blocked = blocked_by(thread);
    REQUIRE(blocked);
    CHECK((*blocked >> (SIGINT - 1) & 1) == 1);
    ++count;
  }
  CHECK(count >= 2);
  // This thread takes them as before.
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  CHECK(sigismember(&own, SIGINT) == 0);
}

}  // namespace
