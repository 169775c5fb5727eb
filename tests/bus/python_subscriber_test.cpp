// The subscriber that README.md shows, run as it stands there, against real sockets.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Duration;

constexpr const char* kPython = "/usr/bin/python3";

std::string program_of_readme() {
  std::ifstream file(STENO_SOURCE "/bus/README.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::string fence = "```python\n";
  const std::size_t start = all.find(fence);
  REQUIRE(start != std::string::npos);
  return all.substr(start + fence.size(), all.find("```\n", start + 3) - start - fence.size());
}

// A child that runs the program; killed when this goes.
struct Child {
  explicit Child(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    std::vector<char*> argv;
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.data()));
    argv.push_back(nullptr);
    pid = ::fork();
    if (pid == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execv(kPython, argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    out = ends[0];
  }
  ~Child() {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    ::close(out);
  }
  int wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void read_into(std::string& text) {
    std::array<char, 4096> chunk{};
    ssize_t size = 0;
    while ((size = ::read(out, chunk.data(), chunk.size())) > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(size));
    }
  }
  pid_t pid = -1;
  int out = -1;
};

TEST_CASE("the subscriber in Python that the documentation shows misses nothing", "[bus]") {
  if (Child({kPython, "-c", "import zmq, msgpack"}).wait() != 0) {
    WARN("skipped: python3-zmq or python3-msgpack is not installed");
    return;
  }
  std::string folder = "/tmp/steno-bus-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  {
    bus::Context context;
    base::SystemClock clock;
    feed_world::Log log;
    base::SystemRandom random;
    log.identity.log = base::LogId::make(clock.wall(), random);
    log.identity.epoch.counter = 1;
    auto command = bus::bind_server(context, "ipc://" + folder + "/command");
    auto feed = bus::bind_publisher(context, "ipc://" + folder + "/feed");
    REQUIRE((command && feed));
    feed_world::Server server(log, std::move(*command), std::move(*feed),
                              base::ServerId::make(clock.wall(), random), 2);
    const auto append = [&] {
      const std::string session = std::to_string(log.entries.size() % 5);
      server.publish(log.append({"all/", "session/a/" + session + "/"}));
    };
    for (int i = 0; i < 100; ++i) append();

    const std::string level = "session/a/3/";
    Child child({kPython, "-c", program_of_readme(), "ipc://" + folder + "/command",
                 "ipc://" + folder + "/feed", level, "40"});
    std::string expected;
    std::string seen;
    const Duration end = clock.boot() + Duration{60'000'000};
    // Grows while the child joins, then goes on live; what it prints is to be all there is.
    while (clock.boot() < end) {
      if (!seen.empty() && log.entries.size() < 500) append();
      server.do_work(clock.boot(), 7);
      std::array items{bus::PollItem::of(server.command()), bus::PollItem::of(child.out)};
      REQUIRE(bus::poll(items, Duration{1'000}));
      child.read_into(seen);
      if (log.entries.size() < 500) continue;
      expected.clear();
      for (const auto& event : log.at_level(level, {40})) {
        expected +=
            std::to_string(event.position.value) + " " + base::to_hex(event.facts.bytes) + "\n";
      }
      if (seen.size() >= expected.size()) break;
    }
    CHECK(seen == expected);
  }
  for (const char* name : {"/command.lock", "/feed.lock"}) ::unlink((folder + name).c_str());
  ::rmdir(folder.c_str());
}

}  // namespace
