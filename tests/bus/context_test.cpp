// Signals stay with the thread that blocks them to read them.
#include "bus/context.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"

namespace {

// Returns the number of other threads of this process, and checks that each blocks the signal.
int count_threads_that_block(int signal) {
  int others = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(::getpid())) continue;
    ++others;
    std::ifstream status(task.path() / "status");
    std::uint64_t blocked = 0;
    for (std::string word; status >> word;) {
      if (word == "SigBlk:") status >> std::hex >> blocked;
    }
    CHECK((blocked >> (signal - 1) & 1) == 1);
  }
  return others;
}

TEST_CASE("the threads of a context take no signal from their first moment on", "[bus]") {
  const bus::Context context;
  CHECK(count_threads_that_block(SIGINT) >= 2);
  // This thread takes them as before.
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGINT) == 0);
}

}  // namespace
