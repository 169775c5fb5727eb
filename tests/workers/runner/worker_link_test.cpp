// The worker's connection: a worker that was stopped, or lost its server, never obeys a directive
// of a lease that can have ended meanwhile.
#include "workers/runner/worker_link.hpp"

#include "bus/memory_bus.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/given_when_then.hpp"
#include "tests/support/manual_clock.hpp"

namespace workers {
namespace {

using base::Duration;
using support::numbered;

class SilentEngine final : public engines::Engine {
 public:
  engines::LaunchPlan plan() const override { return {}; }
  engines::Output handle(const engines::Input&) override { return {}; }
};

// A process that exits as soon as it can.
class BriefProcess final : public processes::AgentProcess {
 public:
  explicit BriefProcess(const bool& may_exit) : may_exit_(may_exit) {}
  base::Result<void> write(base::ByteView) override { return {}; }
  void close_stdin() override {}
  void terminate(std::chrono::milliseconds) override {}
  void kill() override {}
  void set_reading(bool) override {}
  std::vector<processes::PollWish> poll_wishes() const override { return {}; }
  void pump(Duration) override {}
  std::vector<processes::ProcessEvent> take_events() override {
    if (!may_exit_ || std::exchange(has_exited_, true)) return {};
    return {processes::ProcessExited{0, 0, 0, ""}};
  }

 private:
  const bool& may_exit_;
  bool has_exited_ = false;
};

class CountingLauncher final : public AgentLauncher {
 public:
  base::Result<LaunchedAgent> launch(const DirectiveBody&) override {
    ++launched;
    return LaunchedAgent{std::make_unique<SilentEngine>(),
                         std::make_unique<BriefProcess>(may_exit)};
  }
  void clean_up(base::SessionId) override {}
  int launched = 0;
  bool may_exit = true;
};

DirectiveBody directive(int session, std::int64_t token, std::int64_t number) {
  DirectiveBody body;
  body.session = numbered<base::SessionId>(session);
  body.agent = "main";
  body.token = {token};
  body.number = number;
  return body;
}

// Pumps the agent to its end and acknowledges all of its reports.
void settle(AgentRunner& worker, Duration now) {
  worker.do_work(now);
  while (const auto reports = worker.take_reports()) {
    worker.on_ack({reports->session, reports->token, reports->reports.back().sequence});
  }
  worker.do_work(now);
}

TEST_CASE("a directive that was long under way does not begin an ended lease again", "[workers]") {
  CountingLauncher launcher;
  AgentRunner worker(launcher, {});
  worker.on_directive(directive(1, 2, 10), Duration{1});
  settle(worker, Duration{2});
  CHECK(worker.held().empty());
  worker.on_directive(directive(1, 2, 10), Duration{3});
  worker.on_directive(directive(1, 2, 11), Duration{4});
  worker.on_directive(directive(1, 1, 12), Duration{5});
  settle(worker, Duration{6});
  CHECK(launcher.launched == 1);
  worker.on_directive(directive(1, 3, 13), Duration{7});
  worker.on_directive(directive(2, 1, 14), Duration{8});
  settle(worker, Duration{9});
  CHECK(launcher.launched == 3);
}

// A socket that can stop its reader for a time behind the next frame.
class StoppingSocket final : public bus::ClientSocket {
 public:
  StoppingSocket(bus::ClientSocket& socket, support::ManualClock& clock)
      : socket_(socket), clock_(clock) {}
  bus::ZmqSocket* poll_handle() const override { return socket_.poll_handle(); }
  bool send(base::Bytes frame) override { return socket_.send(std::move(frame)); }
  std::optional<base::Bytes> receive() override {
    auto frame = socket_.receive();
    if (frame) clock_.now += std::exchange(stop_for, Duration{0});
    return frame;
  }
  void reconnect() override { socket_.reconnect(); }

  Duration stop_for{0};

 private:
  bus::ClientSocket& socket_;
  support::ManualClock& clock_;
};

// A worker's connection, and a server that welcomes it and sends directives when the test says so.
struct LinkedWorker {
  void work() {
    clock.now += Duration{1'000};
    link.do_work();
    bus.advance(clock.now);
    while (auto frame = server->receive()) {
      if (std::holds_alternative<bus::Hello>(*bus::decode_frame(frame->frame))) {
        peer = frame->peer;
        bus::Welcome welcome;
        welcome.protocol = bus::kProtocolHighest;
        welcome.silence_max = server_limit;
        server->send(peer, bus::encode_frame(welcome));
      }
    }
    bus.advance(clock.now);
  }
  void work_for(Duration time) {
    for (const Duration end = clock.now + time; clock.now < end;) work();
  }
  void direct(const DirectiveBody& body) {
    REQUIRE(server->send(
        peer, bus::encode_frame(bus::Notice{std::string(kVerbDirective), bus::to_body(body)})));
    bus.advance(clock.now);
  }
  void become_registered() {
    for (int i = 0; i < 1'000 && !link.is_registered(); ++i) work();
    REQUIRE(link.is_registered());
  }

  support::ManualClock clock;
  base::SeededRandom random{1};
  bus::MemoryBus bus{random};
  std::unique_ptr<bus::ServerSocket> server = bus.bind_server("worker");
  std::unique_ptr<bus::ClientSocket> connection = bus.connect_client("worker", "worker-1");
  StoppingSocket socket{*connection, clock};
  CountingLauncher launcher;
  AgentRunner worker{launcher, {}};
  const WorkerLinkOptions options{};
  WorkerLink link{worker, {clock, socket}, numbered<base::WorkerId>(1), 1, options};
  bus::PeerId peer;
  Duration server_limit{0};  // the limit that the server sends
};

TEST_CASE("a worker that was stopped for long obeys nothing that waited meanwhile", "[workers]") {
  LinkedWorker w;
  w.become_registered();
  w.direct(directive(1, 1, 1));
  w.work();
  CHECK(w.launcher.launched == 1);
  w.direct(directive(2, 1, 2));
  w.clock.now += w.options.silence_max + Duration{1};
  w.work();
  CHECK(w.launcher.launched == 1);
  w.become_registered();
  w.direct(directive(3, 1, 3));
  w.work();
  CHECK(w.launcher.launched == 2);
}

TEST_CASE("a worker gives its server up before the server gives it up", "[workers]") {
  const WorkerLinkOptions usual;
  const std::chrono::seconds server_limit(GENERATE(1, 2, 10, 3600));
  CAPTURE(server_limit);
  WorkerLinkOptions options;
  options.give_up_before(server_limit);
  CHECK(options.silence_max * 3 <= server_limit);
  CHECK(options.heartbeat_interval * 3 <= options.silence_max);
  CHECK(options.silence_max <= usual.silence_max);
  if (server_limit >= std::chrono::seconds(10))
    CHECK(options.heartbeat_interval == usual.heartbeat_interval);
}

TEST_CASE("a worker's limit is that of the server it is with", "[workers]") {
  LinkedWorker w;
  w.server_limit = std::chrono::seconds(1);
  w.become_registered();
  w.direct(directive(1, 1, 1));
  w.clock.now += w.server_limit / 2;
  w.server_limit = std::chrono::seconds(10);  // the next server's limit
  w.work();
  CHECK(w.launcher.launched == 0);
  w.become_registered();
  w.direct(directive(1, 1, 2));
  w.clock.now += std::chrono::seconds(2);
  w.work();
  CHECK(w.launcher.launched == 1);
}

TEST_CASE("a worker that was stopped while it read obeys nothing of what it had read",
          "[workers]") {
  LinkedWorker w;
  w.become_registered();
  w.direct(directive(1, 1, 1));
  w.socket.stop_for = w.options.silence_max + Duration{1};
  w.work();
  CHECK(w.launcher.launched == 0);
  w.become_registered();
  w.direct(directive(1, 1, 2));
  w.socket.stop_for = w.options.silence_max / 2;  // short enough for the lease to survive
  w.work();
  CHECK(w.launcher.launched == 1);
}

TEST_CASE("what waited for an older lease's agent is not begun once the server is lost",
          "[workers]") {
  LinkedWorker w;
  w.launcher.may_exit = false;
  w.become_registered();
  w.direct(directive(1, 1, 1));
  w.work();
  w.direct(directive(1, 2, 2));
  w.work();
  REQUIRE(w.launcher.launched == 1);
  w.bus.partition("worker-1", bus::PartitionDirection::both);
  w.work_for(w.options.silence_max + std::chrono::seconds(1));
  w.launcher.may_exit = true;
  w.work_for(std::chrono::seconds(1));
  CHECK(w.launcher.launched == 1);
  w.bus.partition("worker-1", bus::PartitionDirection::none);
  w.become_registered();
  CHECK(w.worker.held().empty());
  w.direct(directive(1, 2, 3));
  w.work();
  CHECK(w.launcher.launched == 2);
}

}  // namespace
}  // namespace workers
