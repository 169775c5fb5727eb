// Which processes survive which: agents end with their worker and outlive the server. The record
// says in both cases what happened.
#include <signal.h>

#include <algorithm>

#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/log/log_reader.hpp"
#include "tests/crash/agent_owners.hpp"
#include "tests/crash/healing.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/watched_process.hpp"

namespace {

using base::Duration;
using base::Result;
using base::SessionId;
using crash::Load;
using crash::LogWatch;
using crash::require;
using crash::StenoServer;
using domain::SessionStatus;

// A server with sessions, and the log's account of them.
struct SurvivorsStage {
  base::SeededRandom random{1};
  base::SystemClock clock;
  StenoServer server;
  Load load{server.command_endpoint(), server.home(), random};
  LogWatch log;

  SurvivorsStage() {
    require(server.start());
    require(crash::wait_for_worker(server, load));
  }

  SessionId spawn(const std::string& prompt, bool is_multi_turn) {
    domain::Spawn spawn;
    spawn.spec.engine = "scripted";
    spawn.spec.workdir = server.home();
    spawn.spec.is_multi_turn = is_multi_turn;
    spawn.prompt = prompt;
    const auto id = load.fresh_id();
    tell(id, SessionId{id.bytes}, spawn);
    return SessionId{id.bytes};
  }

  base::TurnId tell(SessionId session, const domain::Command& command) {
    return tell(load.fresh_id(), session, command);
  }
  base::TurnId tell(base::CommandId id, SessionId session, const domain::Command& command) {
    const auto sent = require(load.ask(id, session, command, crash::kStepMax));
    REQUIRE(sent.outcome == crash::Outcome::accepted);
    return {id.bytes};
  }

  void wait_until(const std::string& what, const std::function<bool()>& is_reached) {
    require(load.wait_until(what, crash::kStepMax, [&]() -> Result<bool> {
      if (auto ok = log.catch_up(load); !ok) return tl::unexpected(ok.error());
      return is_reached();
    }));
  }

  std::vector<crash::MarkedProcess> agents() const {
    return crash::marked_processes(server.lock_folder());
  }

  // Requires that each of these processes ends within the limit.
  void require_ends(const std::vector<crash::MarkedProcess>& processes, Duration limit) {
    const Duration deadline = clock.boot() + limit;
    for (const crash::MarkedProcess& process : processes) {
      INFO("pid " << process.row.pid << " (" << process.row.name << ") of session "
                  << process.session << ", " << processes.size() << " processes in all");
      const support::WatchedProcess watched(process.row.pid);
      if (!watched.is_running()) continue;
      const auto row = processes::read_process(process.row.pid);
      if (!row || !row->is_same(process.row)) continue;
      REQUIRE(watched.ends_within(std::chrono::duration_cast<std::chrono::milliseconds>(
          std::max(Duration{0}, deadline - clock.boot()))));
    }
  }

  const domain::SessionState& state(SessionId session) { return log.sessions().at(session); }

  void finish() {
    require(log.catch_up(load));
    for (const auto& [id, s] : log.sessions()) {
      if (domain::is_live(s.status)) tell(id, domain::KillSession{});
    }
    require(crash::wait_for_quiet(load, log, crash::kStepMax));
    CHECK(require(server.stop()) == 0);
    CHECK(server.processes().empty());
    server.forget_home();
  }
};

// Returns everything that the agent of each session said in finished blocks.
std::map<SessionId, std::vector<std::string>> finished_blocks(const StenoServer& server) {
  base::SystemRandom random;
  const auto log =
      require(eventlog::open_log(server.data_folder(), eventlog::LogMode::read_only, random));
  std::map<SessionId, std::vector<std::string>> blocks;
  for (base::Position from{1}; from <= log.store->tail();) {
    const auto events =
        require(eventlog::read_events(*log.store, from, log.store->tail(), {1 << 20, true}));
    for (const domain::RecordedEvent& event : events) {
      from = event.envelope.position.next();
      if (!event.event.is<domain::OutputRecorded>()) continue;
      REQUIRE(event.content);
      blocks[domain::parse_stream(event.envelope.stream)->id].push_back(event.content->text);
    }
  }
  return blocks;
}

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "word" : " word") + std::to_string(i);
  return text;
}

TEST_CASE("agents end with their worker although no server sees it", "[.crash][tools][C22]") {
  SurvivorsStage stage;
  INFO("home " << stage.server.home());
  std::vector<SessionId> single;
  std::vector<SessionId> multi;
  for (int i = 0; i < 2; ++i) single.push_back(stage.spawn("[hang] [child]", false));
  for (int i = 0; i < 2; ++i) multi.push_back(stage.spawn("[hang] [child]", true));
  multi.push_back(stage.spawn("[deaf] [hang] [child]", true));
  stage.wait_until("five agents with their children", [&] {
    return stage.log.count("AgentStarted") == 5 && stage.log.count("OutputRecorded") == 5;
  });
  const auto agents = stage.agents();
  REQUIRE(agents.size() == 15);  // each with a child from its start and one from its turn

  require(stage.server.kill({*stage.server.server(), *stage.server.worker()}));
  stage.require_ends(agents, crash::kOwnerlessMax);
  CHECK(stage.agents().empty());

  require(stage.server.start());
  require(crash::wait_for_worker(stage.server, stage.load));
  stage.wait_until("the end of the five leases",
                   [&] { return stage.log.count("LeaseExpired") == 5; });
  CHECK(stage.log.count("TurnInterrupted") == 5);
  for (const SessionId& session : single) {
    CHECK(stage.state(session).status == SessionStatus::failed);
    CHECK(stage.state(session).end_reason == domain::EndReason::worker_lost);
    CHECK_FALSE(stage.state(session).lease);
  }
  for (const SessionId& session : multi) {
    CHECK(domain::is_live(stage.state(session).status));
    CHECK_FALSE(stage.state(session).turn);
    CHECK_FALSE(stage.state(session).lease);
  }
  // Living sessions go on under a new lease.
  for (const SessionId& session : multi) stage.tell(session, domain::SendPrompt{"[say on]", false});
  stage.wait_until("the next turns' end", [&] { return stage.log.count("TurnFinished") == 3; });
  for (const SessionId& session : multi) CHECK(stage.state(session).last_token.value == 2);
  CHECK(stage.agents().size() == 6);
  stage.finish();
}

TEST_CASE("children that lost keeper and worker are ended when the server is back",
          "[.crash][tools]") {
  SurvivorsStage stage;
  INFO("home " << stage.server.home());
  for (int i = 0; i < 5; ++i) stage.spawn("[hang] [child]", i % 2 == 0);
  stage.wait_until("five agents with their children",
                   [&] { return stage.log.count("OutputRecorded") == 5; });
  const auto agents = stage.agents();
  REQUIRE(agents.size() == 15);
  // Victims that could report the others' death come first.
  crash::ProcessTable victims{*stage.server.server(), *stage.server.worker()};
  for (const auto& keeper : stage.server.keepers()) victims.push_back(keeper);
  REQUIRE(victims.size() == 7);
  require(stage.server.kill(victims));
  // The agents themselves go with their keepers; their children have no owner until the start.
  require(stage.server.start());
  stage.require_ends(agents, crash::kOwnerlessMax);
  require(crash::wait_for_worker(stage.server, stage.load));
  stage.wait_until("the end of the five leases",
                   [&] { return stage.log.count("LeaseExpired") == 5; });
  CHECK(stage.log.count("TurnInterrupted") == 5);
  CHECK(stage.agents().empty());
  stage.finish();
}

TEST_CASE("agents go on without the server, and nothing that they say is lost",
          "[.crash][tools][C27]") {
  // The server comes back while the agents speak, or after they have ended.
  for (const bool is_late : {false, true}) {
    SurvivorsStage stage;
    INFO("home " << stage.server.home() << (is_late ? ", late" : ""));
    std::vector<SessionId> sessions;
    for (int i = 0; i < 5; ++i) sessions.push_back(stage.spawn("[words 40] [delay 30]", false));
    stage.wait_until("five agents", [&] { return stage.log.count("AgentInitialized") == 5; });
    const auto worker = stage.server.worker();
    const auto agents = stage.agents();
    REQUIRE(worker);
    REQUIRE(agents.size() == 10);

    require(stage.server.kill({*stage.server.server()}));
    for (const auto& agent : agents) {
      const auto row = processes::read_process(agent.row.pid);
      CHECK((row && row->is_same(agent.row) && !row->has_ended()));
    }
    if (is_late) stage.require_ends(agents, crash::kStepMax);
    require(stage.server.start());
    require(crash::wait_for_worker(stage.server, stage.load));
    CHECK(stage.server.worker()->is_same(*worker));
    stage.wait_until("the end of five turns", [&] { return stage.log.count("TurnFinished") == 5; });
    stage.wait_until("the end of five agents",
                     [&] { return stage.log.count("LeaseReleased") == 5; });
    CHECK(stage.log.count("LeaseGranted") == 5);
    CHECK(stage.log.count("LeaseExpired") == 0);
    const auto blocks = finished_blocks(stage.server);
    for (const SessionId& session : sessions) {
      CHECK(stage.state(session).status == SessionStatus::completed);
      CHECK(blocks.at(session) == std::vector<std::string>{words(40)});
    }
    stage.finish();
  }
}

TEST_CASE("a stopped server keeps its log to itself, and goes on when it is resumed",
          "[.crash][tools]") {
  SurvivorsStage stage;
  INFO("home " << stage.server.home());
  const auto session = stage.spawn("[say one]", true);
  stage.wait_until("the first turn's end", [&] { return stage.log.count("TurnFinished") == 1; });
  const auto server = *stage.server.server();
  REQUIRE(stage.server.send(server, SIGSTOP));
  const auto second = require(stage.server.run({"serve"}));
  CHECK(second.exit_code > 0);
  CHECK_THAT(second.output, Catch::Contains("process " + std::to_string(server.pid) +
                                            " has this data folder open"));
  REQUIRE(stage.server.send(server, SIGCONT));
  stage.tell(session, domain::SendPrompt{"[say two]", false});
  stage.wait_until("the second turn's end", [&] { return stage.log.count("TurnFinished") == 2; });
  CHECK(stage.log.count("ServerStarted") == 1);
  CHECK(stage.log.count("LeaseGranted") == 1);
  stage.finish();
}

TEST_CASE("a worker that is stopped for longer than it may be silent keeps its sessions",
          "[.crash][tools]") {
  SurvivorsStage stage;
  INFO("home " << stage.server.home());
  for (int i = 0; i < 3; ++i) stage.spawn("[hang] [child]", true);
  stage.wait_until("three agents", [&] { return stage.log.count("AgentInitialized") == 3; });
  const auto agents = stage.agents();
  const auto worker = *stage.server.worker();
  const auto workers = [&] {
    const auto status = require(stage.load.query<workers::StatusAnswer>(
        workers::kVerbStatus, workers::QueryBody{}, crash::kStepMax));
    return status.workers;
  };
  REQUIRE(stage.server.send(worker, SIGSTOP));
  stage.wait_until("the worker to count as gone", [&] { return workers() == 0; });
  // A session that is spawned now waits for a worker.
  stage.spawn("[say late]", false);
  REQUIRE(stage.server.send(worker, SIGCONT));
  stage.wait_until("the late turn's end", [&] { return stage.log.count("TurnFinished") == 1; });
  CHECK(stage.log.count("LeaseExpired") == 0);
  CHECK(stage.log.count("TurnInterrupted") == 0);
  CHECK(stage.log.count("LeaseGranted") == 4);
  CHECK(stage.server.worker()->is_same(worker));
  for (const auto& agent : agents) {
    const auto row = processes::read_process(agent.row.pid);
    CHECK((row && row->is_same(agent.row) && !row->has_ended()));
  }
  CHECK(require(stage.server.watch().report()).is_clean());
  stage.finish();
}

}  // namespace
