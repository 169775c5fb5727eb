// The supervisor never signals a process that only has the pid of an old worker.
#include "tools/steno/serve/process_supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/steno/serve/log_rotation.hpp"
#include "workers/processes/pidfd.hpp"

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

TEST_CASE("a log is rotated before each start of who writes it", "[tools]") {
  const support::TemporaryFolder folder;
  const std::string log = folder.file("gateway.log");
  std::ofstream(log) << "short\n";
  const auto start = [&] {
    ProcessSupervisor supervisor("gateway", {"/bin/echo", "started"}, folder.file("lock"), log);
    supervisor.do_work(std::chrono::seconds(10));
    supervisor.wait_for_end(std::chrono::seconds(30));
  };
  start();
  CHECK(std::filesystem::file_size(log) > 6);
  CHECK_FALSE(std::filesystem::exists(log + ".1"));
  std::filesystem::resize_file(log, LogRotation::kBytesMax);
  start();
  CHECK(std::filesystem::file_size(log) < 100);
  CHECK(std::filesystem::file_size(log + ".1") == LogRotation::kBytesMax);
}

TEST_CASE("a log is bounded while its process runs", "[tools]") {
  const support::TemporaryFolder folder;
  const std::string log = folder.file("gateway.log");
  ProcessSupervisor supervisor("gateway", {"/bin/sleep", "600"}, folder.file("lock"), log);
  supervisor.do_work(std::chrono::seconds(10));
  REQUIRE(supervisor.is_alive());
  std::filesystem::resize_file(log, 2 * LogRotation::kBytesMax);
  supervisor.do_work(std::chrono::seconds(30));
  CHECK(std::filesystem::file_size(log) == 0);
  CHECK(std::filesystem::file_size(log + ".1") == 2 * LogRotation::kBytesMax);
  supervisor.stop(SIGKILL);
  supervisor.wait_for_end(std::chrono::seconds(30));
}

TEST_CASE("a process whose log's folder is gone is not said to be missing", "[tools]") {
  const support::TemporaryFolder folder;
  std::ostringstream said;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
  ProcessSupervisor supervisor("worker", {"/bin/true"}, folder.file("lock"),
                               folder.file("none/worker.log"));
  supervisor.do_work(std::chrono::seconds(10));
  spdlog::set_default_logger(before);
  CHECK_FALSE(supervisor.is_alive());
  CHECK(said.str().find("log=" + folder.file("none/worker.log")) != std::string::npos);
  CHECK(said.str().find("/bin/true") == std::string::npos);
}

}  // namespace
}  // namespace steno
