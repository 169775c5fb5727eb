// An engine that no product file knows: its agent speaks JSON with headers and asks its host. It is
// driven by the worker's real loop, under a real keeper, from a catalogue that the test makes.
#include <poll.h>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/session_samples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workers/runner/agent_runner.hpp"
#include "workers/runner/kept_agent_launcher.hpp"

namespace workers {
namespace {

using Json = nlohmann::json;

constexpr base::Duration kPatience = std::chrono::seconds(20);

// Reads a prompt, asks its host to read a file and whether it may write one, and answers with both
// answers.
constexpr const char* kAgent = R"(
import json, os, sys
def take():
    size = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line == b"\r\n":
            return json.loads(sys.stdin.buffer.read(size))
        size = int(line.split(b":")[1])
def give(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
while True:
    prompt = take()["prompt"]
    give({"id": "1", "method": "fs/read", "params": {"path": "/a\nb"}})
    read = take()
    give({"id": "2", "permission": "write", "params": {}})
    heard = [prompt, read["error"], take()["error"], os.environ["HUE"]]
    give({"answer": "; ".join(heard)})
)";

class HostEngine final : public engines::Engine {
 public:
  explicit HostEngine(engines::EngineSettings settings) : settings_(std::move(settings)) {}

  engines::LaunchPlan plan() const override {
    std::vector<std::string> environment = settings_.environment;
    environment.emplace_back("PATH=/usr/bin:/bin");
    return {settings_.program, environment, processes::Framing::headers};
  }

  engines::Output handle(const engines::Input& input) override {
    engines::Output out;
    if (const auto* begun = std::get_if<engines::BeginTurn>(&input.step)) {
      turn_ = begun->turn;
      out.writes = framed({{"prompt", begun->prompt}});
    } else if (const auto* answer = std::get_if<engines::Answer>(&input.step)) {
      out.writes = framed({{"id", answer->ask.id}, {"error", answer->text}});
    } else if (const auto* came = std::get_if<engines::FrameCame>(&input.step)) {
      take(Json::parse(came->frame), out);
    }
    out.state.wants_exit = is_answered_;
    return out;
  }

 private:
  static base::Bytes framed(const Json& message) {
    const std::string body = message.dump();
    return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  void take(const Json& message, engines::Output& out) {
    if (message.contains("method")) {
      out.asks = {{message["id"], engines::AskKind::request, message["method"], "",
                   message["params"].dump()}};
    } else if (message.contains("permission")) {
      out.asks = {{message["id"], engines::AskKind::permission, message["permission"], "", "{}"}};
    } else {
      domain::ReportTurnResult result;
      result.turn = turn_;
      result.text = message["answer"];
      out.reports.emplace_back(std::move(result));
      is_answered_ = true;
    }
  }

  const engines::EngineSettings settings_;
  base::TurnId turn_;
  bool is_answered_ = false;
};

const engines::EngineKind kHostKind{
    .name = "host",
    .description = "an agent that asks its host",
    .speaker = "The agent",
    .title = "Session",
    .program = "python3",
    .make = [](engines::EngineSettings settings,
               engines::SessionLaunch) -> std::unique_ptr<engines::Engine> {
      return std::make_unique<HostEngine>(std::move(settings));
    }};

struct HostWorld {
  HostWorld() : launcher(options()), runner(launcher, {}) {
    REQUIRE(processes::become_subreaper());
  }

  KeptAgentOptions options() const {
    engines::EngineSettings settings;
    settings.program = {"python3", "-c", kAgent};
    settings.environment = {"HUE=blue"};
    KeptAgentOptions out;
    out.keeper_program = STENO_KEEPER;
    out.lock_folder = folder.path();
    out.session_folder = folder.path();
    out.engines = engines::EngineCatalog({{"my-host", &kHostKind, "mine", settings}});
    return out;
  }

  DirectiveBody directive(const std::string& engine) const {
    DirectiveBody body;
    body.session = support::kSession;
    body.agent = "main";
    body.token = {1};
    body.number = 1;
    body.spec.engine = engine;
    body.spec.approvals = domain::Approvals::deny;
    body.spec.workdir = folder.path();
    body.turn = DirectedTurn{support::turn(1), "what do you see?", false};
    return body;
  }

  // Runs until the agent has ended; returns all that was reported.
  std::vector<domain::Report> reports_of(const DirectiveBody& body) {
    std::vector<domain::Report> all;
    runner.on_directive(body, clock.boot());
    const base::Duration deadline = clock.boot() + kPatience;
    while (!runner.is_idle() && clock.boot() < deadline) {
      std::vector<pollfd> fds;
      for (const processes::PollWish& wish : runner.poll_wishes()) {
        const int events = (wish.wants_read ? POLLIN : 0) | (wish.wants_write ? POLLOUT : 0);
        fds.push_back({wish.fd, static_cast<short>(events), 0});
      }
      ::poll(fds.data(), fds.size(), 20);
      runner.do_work(clock.boot());
      while (const auto sent = runner.take_reports()) {
        for (const auto& each : sent->reports) all.push_back(*decode_report(each));
        runner.on_ack({sent->session, sent->token, sent->reports.back().sequence});
      }
    }
    CHECK(runner.is_idle());
    return all;
  }

  support::TemporaryFolder folder;
  base::SystemClock clock;
  KeptAgentLauncher launcher;
  AgentRunner runner;
};

TEST_CASE("an engine with headers and asks needs no file of the product", "[workers]") {
  HostWorld world;
  const auto reports = world.reports_of(world.directive("my-host"));
  REQUIRE(reports.size() == 3);
  CHECK(std::holds_alternative<domain::ReportAgentStarted>(reports[0]));
  const auto& result = std::get<domain::ReportTurnResult>(reports[1]);
  CHECK(result.turn == support::turn(1));
  CHECK(
      result.text.starts_with("what do you see?; this host does not answer requests of that "
                              "kind; Denied: this tool call needs an approval"));
  CHECK(result.text.ends_with("; blue"));
  CHECK(std::get<domain::ReportAgentExited>(reports[2]).exit_code == 0);
}

TEST_CASE("an engine that the catalogue lacks is not started, and the others are named",
          "[workers]") {
  HostWorld world;
  const auto reports = world.reports_of(world.directive("claude"));
  REQUIRE(reports.size() == 1);
  CHECK(std::get<domain::ReportStartFailed>(reports[0])
            .text.find("no engine 'claude'; known are my-host") != std::string::npos);
}

}  // namespace
}  // namespace workers
