// The one hand-over between threads. Under the preset `tsan` the same tests show that everything a
// job and its outcome point to is handed over with them.
#include "eventlog/base/job_thread.hpp"

#include <memory>
#include <string>
#include <vector>

#include "eventlog/base/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/wake.hpp"

namespace base {
namespace {

// Neither side locks: a race on the number would be a bug of the hand-over.
using Box = std::unique_ptr<std::uint64_t>;

Box doubled(Box box) {
  *box *= 2;
  return box;
}

TEST_CASE("every job is done once, in order, and its outcome comes back", "[base]") {
  constexpr std::uint64_t kJobs = 20'000;
  SeededRandom random(1);
  JobThread<Box, Box> thread("test", doubled);
  std::uint64_t submitted = 0;
  std::uint64_t received = 0;
  while (received < kJobs) {
    for (std::uint64_t batch = random.below(20); batch > 0 && submitted < kJobs; --batch) {
      thread.submit(std::make_unique<std::uint64_t>(submitted++));
    }
    if (submitted > received) REQUIRE(support::wakes(thread.wake_fd()));
    while (const auto outcome = thread.poll()) REQUIRE(**outcome == 2 * received++);
  }
  CHECK(received == submitted);
}

TEST_CASE("a thread has the name that it is given", "[base]") {
  JobThread<int, std::string> thread("load-streams", [](int) {
    std::string name(16, '\0');
    pthread_getname_np(pthread_self(), name.data(), name.size());
    return std::string(name.c_str());
  });
  // The thread gets its name while it starts, so the first job can run before that.
  std::string name;
  for (int tries = 0; tries < 1000 && name != "load-streams"; ++tries) {
    thread.submit(0);
    REQUIRE(support::wakes(thread.wake_fd()));
    name = *thread.poll();
  }
  CHECK(name == "load-streams");
}

TEST_CASE("no wake-up is lost, however close the two threads are", "[base]") {
  constexpr int kRounds = 20'000;
  JobThread<int, int> thread("test", [](int number) { return number; });
  for (int round = 0; round < kRounds; ++round) {
    thread.submit(round);
    // The descriptor is polled before, while and after the outcome comes.
    if (round % 3 == 0) REQUIRE(support::wakes(thread.wake_fd()));
    auto outcome = thread.poll();
    if (!outcome) {
      REQUIRE(support::wakes(thread.wake_fd()));
      outcome = thread.poll();
    }
    REQUIRE(outcome == round);
  }
}

TEST_CASE("the descriptor is readable while there is an outcome, and only then", "[base]") {
  JobThread<int, int> thread("test", [](int number) { return number; });
  CHECK_FALSE(support::is_readable(thread.wake_fd()));
  for (int number : {1, 2, 3}) thread.submit(number);
  for (int number : {1, 2, 3}) {
    REQUIRE(support::wakes(thread.wake_fd()));
    REQUIRE(thread.poll() == number);
  }
  CHECK_FALSE(support::is_readable(thread.wake_fd()));
  CHECK_FALSE(thread.poll());
}

TEST_CASE("an outcome is taken only by who accepts it, and wakes until then", "[base]") {
  JobThread<int, int> thread("test", [](int number) { return number; });
  const auto is_even = [](int number) { return number % 2 == 0; };
  const auto is_odd = [](int number) { return number % 2 != 0; };
  thread.submit(1);
  thread.submit(2);
  REQUIRE(support::wakes(thread.wake_fd()));
  CHECK_FALSE(thread.poll_if(is_even));
  CHECK(support::is_readable(thread.wake_fd()));
  CHECK(thread.poll_if(is_odd) == 1);
  REQUIRE(support::wakes(thread.wake_fd()));
  CHECK(thread.poll_if(is_even) == 2);
  CHECK_FALSE(support::is_readable(thread.wake_fd()));
}

TEST_CASE("a thread that is ended while busy does what it was given", "[base]") {
  SeededRandom random(2);
  for (int life = 0; life < 300; ++life) {
    const auto jobs = random.below(50);
    std::vector<std::uint64_t> done;  // touched by the thread, and by us after its end
    {
      JobThread<std::uint64_t, Box> thread("test", [&](std::uint64_t job) {
        done.push_back(job);
        return std::make_unique<std::uint64_t>(job);
      });
      for (std::uint64_t job = 0; job < jobs; ++job) thread.submit(job);
      if (random.chance(50)) thread.poll();
    }
    REQUIRE(done.size() == jobs);
    for (std::uint64_t job = 0; job < jobs; ++job) REQUIRE(done[job] == job);
  }
}

}  // namespace
}  // namespace base
