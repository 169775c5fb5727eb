// An ended session can be found by id, alias, name and its agent's session, for a resume.
#include "projections/views/resume_index.hpp"

#include "projections/fold/projector.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/history.hpp"

namespace {

using base::ErrorCode;
using base::NanoUsd;
using base::Position;
using base::SessionId;
using domain::SessionStatus;
using projections::ResumeRecord;
using support::LogBuilder;

constexpr std::string_view kAgentSession = "3f0c1a52-7d2e-4a57-9e39-0b8f4f6c2d11";

struct ResumeIndexFixture {
  projections::ResumeIndex projection;
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  LogBuilder log;

  void catch_up() {
    log.seal();
    auto projector = projections::Projector::open(projection, *rows);
    REQUIRE(projector->catch_up(log.store(), log.head(), support::kAllEvents));
  }
  base::Result<ResumeRecord> find(std::string_view reference, std::string_view agent = "main") {
    catch_up();
    return projections::find_resumable(*rows, agent, reference);
  }
  SessionId open(std::string name, std::string alias) {
    domain::SessionOpened opened;
    opened.session = SessionId::make(log.now(), log.random());
    opened.agent = "main";
    opened.name = std::move(name);
    opened.alias = std::move(alias);
    opened.spec.edit().workdir = "/tmp/here";
    opened.spec.edit().model = "opus";
    opened.lineage = opened.session;
    log.add(stream(opened.session), opened);
    return opened.session;
  }
  static std::string stream(SessionId id) { return domain::session_stream("main", id); }
};

TEST_CASE("a record says what is needed to go on with its session", "[projections][R051]") {
  ResumeIndexFixture f;
  domain::SessionOpened opened;
  opened.session = SessionId{{1}};
  opened.agent = "main";
  opened.name = "fix";
  opened.alias = "a1b2c3d4";
  opened.spec.edit().engine = "scripted";
  opened.spec.edit().workdir = "/tmp/here";
  opened.spec.edit().model = "opus";
  opened.lineage = SessionId{{3}};
  ResumeRecord expected;
  expected.session = opened.session;
  expected.agent = "main";
  expected.name = "fix";
  expected.alias = "a1b2c3d4";
  expected.engine = "scripted";
  expected.workdir = "/tmp/here";
  expected.model = "opus";
  expected.lineage = opened.lineage;
  expected.status = SessionStatus::starting;
  const auto add = [&](domain::Event event, std::string content = {}) {
    return f.log.add(f.stream(opened.session), std::move(event), std::move(content));
  };
  const auto check = [&](std::string_view when) {
    INFO(when);
    const auto record = f.find(opened.session.text());
    REQUIRE(record);
    CHECK(*record == expected);
  };
  add(opened);
  check("opened");
  opened.name = "other";
  add(opened);  // impossible: it is open
  check("opened again");
  expected.prompt = add(domain::TurnQueued{}, "Fix it.");
  expected.prompt_bytes = 7;
  check("queued");
  add(domain::TurnQueued{}, "And more of it.");
  check("queued more");
  add(domain::AgentInitialized{"agent-session", "m", "v"});
  expected.status = SessionStatus::running;
  expected.agent_session = "agent-session";
  check("running");
  const auto cost = [](std::int64_t value) {
    return domain::TurnCost{{}, NanoUsd{value}, {}, 0, {}};
  };
  add(domain::TurnFinished{{}, cost(1)});
  add(domain::TurnFailed{{}, {}, {}, 0, cost(10)});
  add(domain::TurnInterrupted{{}, domain::EndReason::user, cost(100)});
  add(domain::SpendingRecorded{{}, {{"m", {}, NanoUsd{1000}}}, domain::CostBasis::reported});
  expected.cost = NanoUsd{1111};
  check("spent");
  add(domain::SessionClosed{SessionStatus::running, {}});  // impossible: that is no end
  check("not ended");
  add(domain::SessionClosed{SessionStatus::killed, {}});
  expected.status = SessionStatus::killed;
  expected.completed_at = f.log.now();
  check("ended");
  add(domain::SessionClosed{SessionStatus::failed, {}});
  add(domain::AgentInitialized{"late", "m", "v"});
  expected.agent_session = "late";
  check("ended again");
}

TEST_CASE("a session that never was opened leaves no record", "[projections]") {
  ResumeIndexFixture f;
  const SessionId id{{5}};
  f.log.add(f.stream(id), domain::SessionClosed{SessionStatus::killed, {}});
  f.log.add(f.stream(id), domain::TurnFinished{});
  f.log.add(f.stream(id), domain::CloseRequested{});
  f.catch_up();
  CHECK(f.rows->scan("resume_index/", {}, 10)->empty());
  CHECK(f.find(id.text()).error().code == ErrorCode::not_found);
}

TEST_CASE("an ended session resolves by id, alias, name and the agent's id", "[projections]") {
  ResumeIndexFixture f;
  const SessionId id = f.open("fix", "a1b2c3d4");
  const Position prompt = f.log.add(f.stream(id), domain::TurnQueued{}, "Fix it.");
  f.log.add(f.stream(id), domain::TurnQueued{}, "More.");
  f.log.add(f.stream(id), domain::AgentInitialized{std::string(kAgentSession), "m", "v"});
  f.log.add(f.stream(id), domain::TurnFinished{{}, {{}, NanoUsd{42}, {}, 0, {}}});
  f.log.add(f.stream(id), domain::SessionClosed{SessionStatus::completed, {}});
  const base::Time completed_at = f.log.now();

  const auto record = f.find("fix");
  REQUIRE(record);
  CHECK(record->session == id);
  CHECK(record->agent_session == kAgentSession);
  CHECK(record->name == "fix");
  CHECK(record->alias == "a1b2c3d4");
  CHECK(record->prompt == prompt);
  CHECK(record->prompt_bytes == 7);
  CHECK(record->workdir == "/tmp/here");
  CHECK(record->model == "opus");
  CHECK(record->status == SessionStatus::completed);
  CHECK(record->cost == NanoUsd{42});
  CHECK(record->completed_at == completed_at);
  for (const std::string& reference :
       {id.text(), std::string("a1b2c3d4"), std::string(kAgentSession)}) {
    REQUIRE(f.find(reference));
    CHECK(*f.find(reference) == *record);
  }
  CHECK_FALSE(f.find("fix", "ops"));
  CHECK_FALSE(f.find(id.text(), "ops"));
  CHECK(f.find("fixx").error().code == ErrorCode::not_found);
}

TEST_CASE("a name used again means the newer session, the old one keeps its other keys",
          "[projections][C04][D07]") {
  ResumeIndexFixture f;
  const SessionId first = f.open("fix", "first001");
  f.log.add(f.stream(first), domain::AgentInitialized{std::string(kAgentSession), {}, {}});
  f.log.add(f.stream(first), domain::SessionClosed{SessionStatus::killed, {}});
  const SessionId second = f.open("fix", "second02");
  CHECK(f.find("fix")->session == second);
  CHECK(f.find("first001")->session == first);
  CHECK(f.find(kAgentSession)->session == first);
  // The second session goes on with the agent's session, whose id means the second from now on.
  f.log.add(f.stream(second), domain::AgentInitialized{std::string(kAgentSession), {}, {}});
  CHECK(f.find(kAgentSession)->session == second);
  CHECK(f.find(first.text())->agent_session == kAgentSession);
}

TEST_CASE("the agent's session is that of the session found, else a UUID itself",
          "[projections][R038]") {
  ResumeIndexFixture f;
  const SessionId id = f.open("fix", "a1b2c3d4");
  const SessionId silent = f.open("silent", "e5f6a7b8");
  f.log.add(f.stream(id), domain::AgentInitialized{std::string(kAgentSession), {}, {}});
  f.catch_up();
  const auto resolve = [&](std::string_view reference) {
    return projections::resolve_agent_session(*f.rows, "main", reference);
  };
  CHECK(resolve("fix") == std::string(kAgentSession));
  CHECK(resolve("a1b2c3d4") == std::string(kAgentSession));
  CHECK(resolve(id.text()) == std::string(kAgentSession));
  CHECK(resolve(kAgentSession) == std::string(kAgentSession));
  const std::string foreign = "00000000-7d2e-4a57-9e39-0b8f4f6c2d11";
  CHECK(resolve(foreign) == foreign);
  for (const char* unknown : {"nothing", "000000007d2e4a579e390b8f4f6c2d11", ""}) {
    REQUIRE_FALSE(resolve(unknown));
    CHECK(resolve(unknown).error().code == ErrorCode::not_found);
  }
  REQUIRE_FALSE(resolve("silent"));
  CHECK_THAT(resolve("silent").error().text, Catch::Contains("never began"));
  // The id of one of our sessions does not pass for an agent's session.
  CHECK_FALSE(resolve(silent.text()));
}

TEST_CASE("every session of a history can be found by all its keys", "[projections][C29]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    support::History history(seed, {});
    projections::ResumeIndex projection;
    const auto rows = eventlog::make_memory_key_value_store();
    auto projector = projections::Projector::open(projection, *rows);
    REQUIRE(projector->catch_up(history.log().store(), history.log().head(), support::kAllEvents));
    for (const auto& [stream, state] : history.states()) {
      const auto by_id = projections::find_resumable(*rows, state.agent, state.session.text());
      REQUIRE(by_id);
      CHECK(by_id->status == state.status);
      CHECK(by_id->cost == state.cost);
      CHECK(by_id->agent_session == state.agent_session);
      CHECK(*projections::find_resumable(*rows, state.agent, state.alias) == *by_id);
      const auto by_name = projections::find_resumable(*rows, state.agent, domain::label(state));
      REQUIRE(by_name);
      CHECK(by_name->name == state.name);
      if (domain::is_live(state.status)) CHECK(*by_name == *by_id);
      if (!state.agent_session.empty()) {
        const auto by_agent_session =
            projections::find_resumable(*rows, state.agent, state.agent_session);
        REQUIRE(by_agent_session);
        CHECK(by_agent_session->agent_session == state.agent_session);
      }
    }
  }
}

TEST_CASE("a record is found by the name that its session was given last", "[projections]") {
  ResumeIndexFixture f;
  const SessionId id = f.open("fix", "a1b2c3d4");
  f.log.add(f.stream(id), domain::SessionRenamed{"login"});
  CHECK(f.find("login")->name == "login");
  CHECK_FALSE(f.find("fix"));
  CHECK(f.find("a1b2c3d4")->session == id);
}

}  // namespace
