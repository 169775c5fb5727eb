// The supervisor never signals a process that only has the pid of an old worker.
#include "tools/steno/serve/process_supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workers/engines/process/pidfd.hpp"

namespace steno {
namespace {

// A process that does nothing until it is killed.
struct Sleeper {
  Sleeper() {
    char program[] = "/bin/sleep";
    char seconds[] = "600";
    char* argv[] = {program, seconds, nullptr};
    REQUIRE(::posix_spawn(&pid, program, nullptr, nullptr, argv, environ) == 0);
  }
  ~Sleeper() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  bool ends_within(int wait_ms) const {
    const base::UniqueFd handle(::pidfd_open(pid, 0));
    pollfd end{handle.get(), POLLIN, 0};
    return ::poll(&end, 1, wait_ms) != 0;
  }
  pid_t pid = 0;
};

TEST_CASE("a process whose pid an old worker had is not signalled", "[tools]") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("worker.lock");
  const auto lock = base::FileLock::take(path);
  REQUIRE(lock);
  const Sleeper somebody;
  // A worker has just taken the lock and has not written its own pid yet.
  std::ofstream(path, std::ios::trunc) << somebody.pid << '\n';
  ProcessSupervisor supervisor("worker", {"/bin/false"}, path, folder.file("worker.log"));
  REQUIRE(supervisor.is_alive());
  supervisor.stop(SIGTERM);
  supervisor.do_work(std::chrono::seconds(1));
  CHECK_FALSE(somebody.ends_within(200));
}

}  // namespace
}  // namespace steno
