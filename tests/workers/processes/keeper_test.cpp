// A keeper by itself, told what to do as a worker would. A worker ends a tree whose keeper is late,
// so that only here a keeper that takes its time is seen.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"
#include "workers/processes/keeper_protocol.hpp"

namespace processes {
namespace {

// Far above anything that happens on a loaded machine.
constexpr int kDeadlineMs = 30'000;
constexpr std::int64_t kSlowMs = 600'000;
constexpr std::int64_t kUrgentMs = 50;

// A keeper whose agent does not heed SIGTERM and waits for a line that never comes.
class KeptDeafAgent {
 public:
  KeptDeafAgent() {
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk_) == 0);
    REQUIRE(::pipe2(in_, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(out_, O_CLOEXEC) == 0);
    const std::string lock = folder_.file("lock");
    std::vector<std::string> words{
        STENO_KEEPER, lock, "/", "--", "sh", "-c", "trap '' TERM; echo deaf; read line"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in_[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out_[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, talk_[1], 3);
    const int failure = ::posix_spawn(&keeper_, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    for (int* fd : {&in_[0], &out_[1], &talk_[1]}) close_fd(*fd);
    REQUIRE(failure == 0);
    const auto started = hear();
    REQUIRE(started);
    REQUIRE(std::holds_alternative<KeptStarted>(*started));
    char line[8];
    REQUIRE(is_readable(out_[0]));
    REQUIRE(::read(out_[0], line, sizeof line) > 0);
  }
  ~KeptDeafAgent() {
    if (keeper_ > 0) {
      ::kill(keeper_, SIGKILL);  // its agent dies with it
      ::waitpid(keeper_, nullptr, 0);
    }
    for (int* fd : {&talk_[0], &in_[1], &out_[0]}) close_fd(*fd);
  }
  KeptDeafAgent(const KeptDeafAgent&) = delete;
  KeptDeafAgent& operator=(const KeptDeafAgent&) = delete;

  // Returns false if the keeper has gone.
  bool tell(const KeeperCommand& command) {
    const std::string bytes = encode(command);
    return ::send(talk_[0], bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0;
  }
  // The next report; none: none comes in time.
  std::optional<KeeperReport> hear() {
    char bytes[kKeeperMessageBytesMax];
    if (!is_readable(talk_[0])) return std::nullopt;
    ssize_t count = ::recv(talk_[0], bytes, sizeof bytes, 0);
    // A keeper that ended with commands unread resets the connection; its reports are still there.
    if (count < 0 && errno == ECONNRESET) count = ::recv(talk_[0], bytes, sizeof bytes, 0);
    if (count <= 0) return std::nullopt;
    const auto report = decode_report({bytes, static_cast<std::size_t>(count)});
    return report ? std::optional(*report) : std::nullopt;
  }

 private:
  static bool is_readable(int fd) {
    pollfd wanted{fd, POLLIN, 0};
    return ::poll(&wanted, 1, kDeadlineMs) == 1;
  }
  static void close_fd(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }

  support::TempFolder folder_;
  pid_t keeper_ = -1;
  int talk_[2] = {-1, -1};
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
};

TEST_CASE("a keeper that is told to end its agent twice obeys the more urgent of both",
          "[workers]") {
  const KeeperCommand slow = TerminateAgent{kSlowMs};
  const KeeperCommand urgent =
      GENERATE(values<KeeperCommand>({TerminateAgent{kUrgentMs}, KillTree{}}));
  const bool is_urgent_first = GENERATE(true, false);
  KeptDeafAgent kept;
  REQUIRE(kept.tell(is_urgent_first ? urgent : slow));
  // The keeper can have obeyed the urgent one by now.
  REQUIRE((kept.tell(is_urgent_first ? slow : urgent) || is_urgent_first));
  const auto exited = kept.hear();
  REQUIRE(exited);
  CHECK((*exited == KeeperReport(KeptExited{-1, SIGKILL, 0})));
}

}  // namespace
}  // namespace processes
