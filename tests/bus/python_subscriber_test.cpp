// The Python subscriber of README.md, run exactly as printed there, against real sockets.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Duration;

constexpr const char* kPython = "/usr/bin/python3";
constexpr const char* kLevels[] = {"all/", "agent/a/", "session/a/3/"};
// More messages than the two queues of one connection and the kernel hold, even if all are small.
constexpr int kOverflow = 8'000;

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

// A child process that runs the program; the destructor kills it.
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
      ::fcntl(STDOUT_FILENO, F_SETFL, 0);  // a full pipe makes Python's print fail instead of wait
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
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void stand_still() {
    REQUIRE(::kill(pid, SIGSTOP) == 0);
    REQUIRE(::waitpid(pid, nullptr, WUNTRACED) == pid);
  }
  void go_on() { REQUIRE(::kill(pid, SIGCONT) == 0); }
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

bool has_python() {
  if (Child({kPython, "-c", "import zmq, msgpack"}).wait() == 0) return true;
  WARN("skipped: python3-zmq or python3-msgpack is not installed");
  return false;
}

// A server that can be restarted, and a follower in Python for each kind of level.
struct PythonWorld {
  explicit PythonWorld(base::Position after = {}) : start(after) {
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    log.identity.log = base::LogId::make(clock.wall(), random);
    log.identity.epoch.counter = 1;
    begin_life();
    append(100);
    for (const char* level : kLevels) {
      followers.push_back(std::make_unique<Child>(
          std::vector<std::string>{kPython, "-c", program_of_readme(), endpoint("command"),
                                   endpoint("feed"), level, std::to_string(start.value)}));
      seen.emplace_back();
    }
  }
  ~PythonWorld() {
    followers.clear();
    server.reset();
    for (const char* name : {"/command.lock", "/feed.lock"}) ::unlink((folder + name).c_str());
    ::rmdir(folder.c_str());
  }

  std::string endpoint(const char* name) const { return "ipc://" + folder + "/" + name; }

  void begin_life() {
    server.reset();
    auto command = bus::bind_server(context, endpoint("command"));
    auto feed = bus::bind_publisher(context, endpoint("feed"));
    REQUIRE((command && feed));
    server = std::make_unique<feed_world::Server>(log, std::move(*command), std::move(*feed),
                                                  base::ServerId::make(clock.wall(), random), 8);
  }

  // Appends events, each in a message of its own.
  void append(int count) {
    for (; count > 0; --count) {
      server->publish(log.append({"all/", "agent/a/", "session/a/3/"}));
      server->publisher.flush(clock.boot());
      server->publish(log.append({"all/", "session/b/1/"}));
      server->publisher.flush(clock.boot());
    }
  }

  // Runs one round. Reads the followers' output, unless they shall wait.
  void serve(bool is_read = true) {
    server->do_work(clock.boot(), 500);
    std::vector<bus::PollItem> items{bus::PollItem::of(server->command())};
    for (const auto& follower : followers) {
      if (is_read) items.push_back(bus::PollItem::of(follower->out));
    }
    REQUIRE(bus::poll(items, Duration{1'000}));
    if (is_read) take_what_is_printed();
  }

  void take_what_is_printed() {
    for (std::size_t i = 0; i < followers.size(); ++i) followers[i]->read_into(seen[i]);
  }

  void serve_until_beacons_end(bool is_read = true) {
    const Duration end = clock.boot() + Duration{5'000'000};
    while (clock.boot() < end) serve(is_read);
  }

  std::string expected(const char* level) const {
    std::string text;
    for (const auto& event : log.at_level(level, start)) {
      text += std::to_string(event.position.value) + " " + base::to_hex(event.facts.bytes) + "\n";
    }
    return text;
  }

  // Runs until every follower has printed every event of the log.
  void require_all_seen() {
    const Duration end = clock.boot() + Duration{60'000'000};
    for (std::size_t i = 0; i < followers.size(); ++i) {
      CAPTURE(kLevels[i]);
      const std::string all = expected(kLevels[i]);
      while (seen[i].size() < all.size() && clock.boot() < end) serve();
      REQUIRE(seen[i].size() == all.size());
      REQUIRE((seen[i] == all));
    }
  }

  const base::Position start;
  std::string folder = "/tmp/steno-bus-XXXXXX";
  bus::Context context;
  base::SystemClock clock;
  base::SystemRandom random;
  feed_world::Log log;
  std::unique_ptr<feed_world::Server> server;
  std::vector<std::unique_ptr<Child>> followers;
  std::vector<std::string> seen;
};

TEST_CASE("the subscriber in Python that the documentation shows misses nothing", "[bus]") {
  if (!has_python()) return;
  PythonWorld world({40});
  // The log grows while the followers join, then goes on live.
  while (world.log.entries.size() < 1'000) {
    if (!world.seen.back().empty()) world.append(1);
    world.serve();
  }
  world.require_all_seen();
}

TEST_CASE("the subscriber in Python misses nothing when it stood still until its queue was full",
          "[bus]") {
  if (!has_python()) return;
  PythonWorld world;
  world.require_all_seen();
  for (auto& follower : world.followers) follower->stand_still();
  world.append(kOverflow);
  world.serve_until_beacons_end();
  for (auto& follower : world.followers) follower->go_on();
  world.require_all_seen();
}

TEST_CASE("the subscriber in Python misses nothing when nobody took what it printed", "[bus]") {
  if (!has_python()) return;
  PythonWorld world;
  world.require_all_seen();
  world.append(kOverflow);
  world.serve_until_beacons_end(false);
  world.require_all_seen();
}

TEST_CASE("the subscriber in Python misses nothing when the server is restarted", "[bus]") {
  if (!has_python()) return;
  PythonWorld world;
  world.require_all_seen();
  world.begin_life();
  world.append(10);
  world.require_all_seen();
  // Requests sent during this life of the server are never answered.
  for (auto& follower : world.followers) follower->stand_still();
  world.append(kOverflow);
  for (auto& follower : world.followers) follower->go_on();
  const Duration end = world.clock.boot() + Duration{30'000'000};
  while (!world.server->command_socket().receive()) {
    world.server->publisher.do_work(world.clock.boot());
    world.take_what_is_printed();
    REQUIRE(world.clock.boot() < end);
  }
  world.begin_life();
  world.require_all_seen();
  // The followers return when the new life has published everything and is silent.
  for (auto& follower : world.followers) follower->stand_still();
  world.begin_life();
  world.append(10);
  world.serve_until_beacons_end();
  for (auto& follower : world.followers) follower->go_on();
  world.require_all_seen();
}

}  // namespace
