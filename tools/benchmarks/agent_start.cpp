// steno-bench-agent: writes the time of its first instruction to the FIFO `started` in its working
// folder, then becomes the scripted agent that lies beside it. It is linked statically, as that is.
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <ctime>

#include "tools/benchmarks/agent_start.hpp"

int main(int, char** argv) {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  const benchmarks::AgentStart start{at.tv_sec * 1'000'000'000 + at.tv_nsec, getpid()};
  const int fifo = open(benchmarks::kAgentStartFifo, O_WRONLY | O_CLOEXEC);
  if (fifo < 0 || write(fifo, &start, sizeof start) != sizeof start) return 1;
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length < 0) return 1;
  path[length] = 0;
  constexpr char kAgent[] = "steno-scripted-agent";
  char* const name = std::strrchr(path, '/') + 1;
  if (name + sizeof kAgent > path + sizeof path) return 1;
  std::memcpy(name, kAgent, sizeof kAgent);
  execv(path, argv);
  return 1;
}
