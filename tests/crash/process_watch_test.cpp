// The watch over agents' processes finds orphans and doubles, and ends everything that a test left
// behind.
#include "tests/crash/process_watch.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/crash/require.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/watched_process.hpp"
#include "workers/processes/agent_process.hpp"

namespace {

using crash::ProcessWatch;
using crash::require;

// A sleeping process with the marker of a session of that home. The destructor kills it and waits
// for its end.
class Marked {
 public:
  explicit Marked(const std::string& home) {
    std::string session(processes::kSessionMarker);
    session += "=of-nobody";
    std::string lock = std::string(processes::kLockMarker) + "=" + home + "/data/locks/x.lock";
    char* environment[] = {session.data(), lock.data(), nullptr};
    std::string words[] = {"/bin/sleep", "60"};
    char* argv[] = {words[0].data(), words[1].data(), nullptr};
    REQUIRE(::posix_spawn(&pid_, argv[0], nullptr, nullptr, argv, environment) == 0);
  }
  ~Marked() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

TEST_CASE("a marked process that nobody owns is reported 2 s later, and not before",
          "[.crash][tools]") {
  const support::TemporaryFolder home;
  ProcessWatch watch(home.path());
  base::SystemClock clock;
  const Marked marked(home.path());
  const auto began = clock.boot();
  crash::WatchReport report;
  while (report.orphans == 0 && clock.boot() - began < std::chrono::seconds(10)) {
    report = require(watch.report());
    ::poll(nullptr, 0, 20);
  }
  CHECK(clock.boot() - began >= std::chrono::milliseconds(1900));
  CHECK(report.orphans == 1);
  CHECK(report.slowest_ms >= 2000);
  CHECK_THAT(report.text, Catch::Contains("pid " + std::to_string(marked.pid())));
}

TEST_CASE("the time in which nobody could own a process does not count", "[.crash][tools]") {
  const support::TemporaryFolder home;
  ProcessWatch watch(home.path());
  base::SystemClock clock;
  const Marked marked(home.path());
  watch.pause();
  const auto paused = clock.boot();
  while (clock.boot() - paused < std::chrono::milliseconds(2500)) {
    REQUIRE(require(watch.report()).is_clean());
    ::poll(nullptr, 0, 50);
  }
  watch.excuse();
  const auto excused = clock.boot();
  while (require(watch.report()).is_clean()) ::poll(nullptr, 0, 20);
  CHECK(clock.boot() - excused >= std::chrono::milliseconds(1900));
}

TEST_CASE("a process that is gone in time, or of another home, is not reported",
          "[.crash][tools]") {
  const support::TemporaryFolder home;
  const support::TemporaryFolder other;
  ProcessWatch watch(home.path());
  const Marked elsewhere(other.path());
  {
    const Marked marked(home.path());
    while (require(watch.report()).ownerless == 0) ::poll(nullptr, 0, 10);
  }
  base::SystemClock clock;
  const auto began = clock.boot();
  while (clock.boot() - began < std::chrono::milliseconds(2500)) {
    REQUIRE(require(watch.report()).is_clean());
    ::poll(nullptr, 0, 50);
  }
  CHECK(require(watch.report()).ownerless == 1);
}

TEST_CASE("what belongs to a home ends with the test", "[.crash][tools]") {
  const support::TemporaryFolder home;
  const Marked marked(home.path());
  const support::WatchedProcess watched(marked.pid());
  ::kill(marked.pid(), SIGSTOP);
  // The kernel closes the test's end of the pipe in the same way when the test's process is gone.
  { ProcessWatch watch(home.path()); }
  CHECK(watched.ends_within(std::chrono::seconds(5)));
}

}  // namespace
