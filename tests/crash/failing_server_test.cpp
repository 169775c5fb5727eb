// A whole `steno serve` under load, whose disk fails or runs full. It stops with the reason,
// everything it acknowledged is there, and it restarts without repair once the disk works.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/crash/healing.hpp"
#include "tests/crash/require.hpp"
#include "tests/crash/whole_log.hpp"

namespace {

using base::Duration;
using crash::Load;
using crash::LogWatch;
using crash::Outcome;
using crash::require;
using crash::SentCommand;
using crash::StenoServer;

struct Fault {
  const char* order;   // an order for tests/crash/disk_shim.cpp
  const char* reason;  // the one that the server gives
};

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct FailingStage {
  base::SeededRandom random{1};
  base::SystemClock clock;
  StenoServer server;
  Load load{server.command_endpoint(), server.home(), random};
  LogWatch log;
  const std::string order = server.home() + "/order";

  FailingStage() {
    ::setenv("STENO_SHIM_FOLDER", server.data_folder().c_str(), 1);
    ::setenv("STENO_SHIM_ORDER", order.c_str(), 1);
    start();
  }

  base::Result<void> try_to_start() {
    ::setenv("LD_PRELOAD", STENO_DISK_SHIM, 1);
    auto started = server.start();
    ::unsetenv("LD_PRELOAD");
    return started;
  }
  void start() {
    require(try_to_start());
    require(crash::wait_for_worker(server, load));
  }

  // Waits until the server, under load, has ended by itself; returns its exit code.
  int wait_for_end() {
    const Duration deadline = clock.boot() + crash::kStepMax;
    while (server.server() && clock.boot() < deadline) {
      load.drive_for(std::chrono::milliseconds(50));
    }
    REQUIRE_FALSE(server.server());
    return require(server.exit_code());
  }

  void check_acknowledged() {
    require(load.settle(crash::kStepMax));
    require(log.catch_up(load));
    int checked = 0;
    for (const SentCommand& sent : load.sent()) {
      if (sent.outcome != Outcome::accepted) continue;
      INFO("command " << sent.id.text());
      REQUIRE(sent.reply.position <= log.position());
      const auto* events = log.find(sent.id);
      const bool makes_events = (domain::command_if<domain::Spawn>(sent.command) != nullptr) ||
                                (domain::command_if<domain::SendPrompt>(sent.command) != nullptr);
      if (makes_events) REQUIRE(events != nullptr);
      if (events == nullptr) continue;
      REQUIRE(events->last_of.at(sent.session) == sent.reply.position);
      ++checked;
    }
    CHECK(checked > 20);
  }

  void finish() {
    require(log.catch_up(load));
    for (const auto& [id, state] : log.sessions()) {
      if (!domain::is_live(state.status)) continue;
      require(load.ask(load.fresh_id(), id, domain::KillSession{}, crash::kStepMax));
    }
    require(crash::wait_for_quiet(load, log, crash::kStepMax));
    CHECK(require(server.stop()) == 0);
    require(crash::check_whole_log(server, load.sent()));
    server.forget_home();
  }
};

void fail_and_recover(const Fault& fault, bool tries_while_failing) {
  FailingStage stage;
  INFO(fault.order << "; home " << stage.server.home());
  require(stage.load.drive(100, crash::kStepMax));
  std::ofstream(stage.order) << fault.order << "\n";
  // The server exits by itself, not by a signal, and says the reason.
  const int code = stage.wait_for_end();
  const std::string said = contents(stage.server.home() + "/serve.log");
  INFO(said);
  REQUIRE(code > 0);
  REQUIRE_THAT(said, Catch::Contains(fault.reason));
  if (tries_while_failing) {
    REQUIRE_FALSE(stage.try_to_start());
    REQUIRE(require(stage.server.exit_code()) > 0);
  }
  std::filesystem::remove(stage.order);
  stage.start();
  stage.check_acknowledged();
  stage.finish();
}

TEST_CASE("a server whose log cannot be written or synced stops, and loses nothing",
          "[.crash][tools]") {
  fail_and_recover({"sync .log eio", "Input/output error"}, false);
  fail_and_recover({"write .log eio", "Input/output error"}, false);
  fail_and_recover({"write .log short", "Input/output error"}, false);
}

TEST_CASE("a server whose head file cannot be written or synced stops, and loses nothing",
          "[.crash][tools]") {
  fail_and_recover({"write /head eio", "Input/output error"}, false);
  fail_and_recover({"sync /head eio", "Input/output error"}, false);
}

TEST_CASE("a server on a full disk stops, and starts again once there is space",
          "[.crash][tools]") {
  fail_and_recover({"write / enospc", "No space left on device; make room on that disk"}, true);
}

}  // namespace
