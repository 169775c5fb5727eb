// Children take seeds in small portions from a counter in shared memory and report their counts
// through pipes, so that a child that dies is noticed with its seed.
#include "tests/simulation/processes_at_once.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <sstream>
#include <vector>

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace simulation {
namespace {

constexpr std::uint64_t kTakenAtOnce = 16;
constexpr int kTellEveryMs = 1000;

using SteadyTime = std::chrono::steady_clock::time_point;

// Shared by the processes, in memory that fork does not copy.
struct Shared {
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> worlds{0};
  std::atomic<std::uint64_t> violations{0};
  std::array<std::atomic<std::uint64_t>, kProcessesMax> playing{};  // the seed of each process
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct Child {
  pid_t pid = -1;
  int counts = -1;  // the pipe that delivers its counts
  std::string text;
};

Counts play_share(const Seeds& seeds, Shared& shared, unsigned process, const PlaySeed& play) {
  const SteadyTime began = std::chrono::steady_clock::now();
  const bool is_timed = seeds.time.count() > 0;
  Counts counts;
  while (shared.violations == 0 &&
         !(is_timed && std::chrono::steady_clock::now() - began >= seeds.time)) {
    const std::uint64_t from = shared.taken.fetch_add(kTakenAtOnce);
    for (std::uint64_t i = from; i < from + kTakenAtOnce && (is_timed || i < seeds.count); ++i) {
      shared.playing[process] = seeds.first + i;
      const bool holds = play(seeds.first + i, counts);
      ++shared.worlds;
      if (holds) continue;
      ++shared.violations;
      return counts;
    }
    if (!is_timed && from + kTakenAtOnce >= seeds.count) break;
  }
  return counts;
}

void write_counts(int pipe, const Counts& counts) {
  std::FILE* out = fdopen(pipe, "w");
  for (const auto& [name, count] : counts.all()) {
    std::fprintf(out, "%lld %s\n", static_cast<long long>(count), name.c_str());
  }
  std::fclose(out);
}

Counts read_counts(const std::string& text) {
  Counts counts;
  std::istringstream lines(text);
  std::string name;
  for (std::int64_t count = 0; lines >> count && std::getline(lines >> std::ws, name);) {
    counts[name] += count;
  }
  return counts;
}

// Reads the children's counts for at most a second. False once every pipe is closed.
bool read_some(std::vector<Child>& children) {
  std::vector<pollfd> pipes;
  for (const Child& child : children) pipes.push_back({child.counts, POLLIN, 0});
  poll(pipes.data(), pipes.size(), kTellEveryMs);
  bool is_one_open = false;
  for (std::size_t i = 0; i < children.size(); ++i) {
    Child& child = children[i];
    char bytes[4096];
    if (child.counts >= 0 && pipes[i].revents != 0) {
      const ssize_t size = read(child.counts, bytes, sizeof bytes);
      if (size > 0) {
        child.text.append(bytes, static_cast<std::size_t>(size));
      } else {
        close(child.counts);
        child.counts = -1;
      }
    }
    is_one_open = is_one_open || child.counts >= 0;
  }
  return is_one_open;
}

std::string describe_death(int status, std::uint64_t seed) {
  const std::string how = WIFSIGNALED(status)
                              ? "was killed by signal " + std::to_string(WTERMSIG(status))
                              : "ended with " + std::to_string(WEXITSTATUS(status));
  return "a process " + how + "; what it played last: steno-simulate --seed " +
         std::to_string(seed);
}

}  // namespace

Played play_in_processes(const Seeds& seeds, unsigned processes, const PlaySeed& play,
                         const TellProgress& tell) {
  Played played;
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    played.has_failed = true;
    return played;
  }
  Shared& shared = *new (memory) Shared;
  processes = std::min(processes, kProcessesMax);
  std::fflush(nullptr);  // or every child would print the buffer again
  std::vector<Child> children;
  for (unsigned i = 0; i < processes; ++i) {
    int ends[2];
    if (pipe(ends) != 0) break;
    const pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      write_counts(ends[1], play_share(seeds, shared, i, play));
      std::fflush(nullptr);
      _exit(0);
    }
    close(ends[1]);
    if (pid < 0) {
      close(ends[0]);
      break;
    }
    children.push_back({pid, ends[0], {}});
  }
  while (read_some(children)) tell(shared.worlds);
  played.has_failed = children.size() < processes;
  for (std::size_t i = 0; i < children.size(); ++i) {
    int status = 0;
    waitpid(children[i].pid, &status, 0);
    if (status != 0) played.deaths.push_back(describe_death(status, shared.playing[i]));
    played.counts.add(read_counts(children[i].text));
  }
  played.worlds = shared.worlds;
  played.violations = shared.violations + played.deaths.size();
  munmap(memory, sizeof(Shared));
  return played;
}

}  // namespace simulation
