#include "workers/worker_link.hpp"

#include "bus/memory_bus.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/given_when_then.hpp"

namespace workers {
namespace {

using base::Duration;
using support::numbered;

class SilentEngine final : public engines::Engine {
 public:
  engines::Launch launch() const override { return {}; }
  base::Bytes start() override { return {}; }
  base::Bytes begin_turn(base::TurnId, base::ByteView) override { return {}; }
  base::Bytes interrupt() override { return {}; }
  std::vector<session::Report> on_line(base::ByteView, base::Time) override { return {}; }
  std::vector<session::Report> on_time(base::Time) override { return {}; }
  std::optional<base::Time> deadline() const override { return std::nullopt; }
  std::vector<session::Report> on_end() override { return {}; }
  base::Bytes take_writes() override { return {}; }
  bool wants_exit() const override { return false; }
};

// Exits at once.
class BriefProcess final : public engines::AgentProcess {
 public:
  base::Result<bool> write(base::ByteView) override { return true; }
  void close_stdin() override {}
  void terminate(std::chrono::milliseconds) override {}
  void kill() override {}
  void set_reading(bool) override {}
  std::vector<engines::PollWish> poll_wishes() const override { return {}; }
  void pump(Duration) override {}
  std::vector<engines::ProcessEvent> take_events() override {
    if (std::exchange(has_exited_, true)) return {};
    return {engines::ProcessExited{0, 0, 0, ""}};
  }
  std::int64_t discarded_bytes() const override { return 0; }

 private:
  bool has_exited_ = false;
};

class CountingLauncher final : public AgentLauncher {
 public:
  base::Result<LaunchedAgent> launch(const DirectiveBody&) override {
    ++launched;
    return LaunchedAgent{std::make_unique<SilentEngine>(), std::make_unique<BriefProcess>()};
  }
  int launched = 0;
};

DirectiveBody directive(int session, std::int64_t token, std::int64_t number) {
  DirectiveBody body;
  body.session = numbered<base::SessionId>(session);
  body.agent = "main";
  body.token = {token};
  body.number = number;
  return body;
}

// Pumps the agent to its end and acknowledges all that it reported.
void settle(EngineWorker& worker, Duration now) {
  worker.do_work(now);
  while (const auto reports = worker.take_reports()) {
    worker.on_ack({reports->session, reports->token, reports->reports.back().sequence});
  }
  worker.do_work(now);
}

TEST_CASE("a directive that was long under way does not begin an ended lease again", "[workers]") {
  CountingLauncher launcher;
  EngineWorker worker(launcher, {});
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

TEST_CASE("a worker that was stopped for long obeys nothing that waited meanwhile", "[workers]") {
  base::SeededRandom random(1);
  bus::MemoryBus bus(random);
  const auto server = bus.bind_server("worker");
  const auto socket = bus.connect_client("worker", "worker-1");
  CountingLauncher launcher;
  EngineWorker worker(launcher, {});
  const WorkerLinkOptions options;
  WorkerLink link(worker, *socket, numbered<base::WorkerId>(1), 1, options);
  Duration now{1'000'000};
  bus::PeerId peer;
  const auto work = [&] {
    now += Duration{1'000};
    link.do_work(now);
    bus.advance(now);
    while (auto frame = server->receive()) {
      if (std::holds_alternative<bus::Hello>(*bus::decode_frame(frame->frame))) {
        peer = frame->peer;
        bus::Welcome welcome;
        welcome.protocol = bus::kProtocolHighest;
        server->send(peer, bus::encode_frame(welcome));
      }
    }
    bus.advance(now);
  };
  const auto direct = [&](std::int64_t number) {
    const auto body = bus::to_body(directive(static_cast<int>(number), 1, number));
    REQUIRE(server->send(peer, bus::encode_frame(bus::Notice{std::string(kVerbDirective), body})));
    bus.advance(now);
  };
  const auto register_anew = [&] {
    for (int i = 0; i < 1'000 && !link.is_registered(); ++i) work();
    REQUIRE(link.is_registered());
  };
  register_anew();
  direct(1);
  work();
  CHECK(launcher.launched == 1);
  direct(2);
  now += options.silence_max + Duration{1};
  work();
  CHECK(launcher.launched == 1);
  register_anew();
  direct(3);
  work();
  CHECK(launcher.launched == 2);
}

}  // namespace
}  // namespace workers
