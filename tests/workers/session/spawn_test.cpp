#include "eventlog/session/alias.hpp"
#include "tests/support/session_samples.hpp"

namespace session {
namespace {

using support::fact;
using support::given;
using support::kCommand;
using support::kOwnTurn;
using support::kSession;
using support::numbered;

// Of the first session that is admitted.
const std::string kAlias = alias_of(kSession, 0);

Spawn spawn() {
  Spawn c;
  c.name = "fix-bug";
  c.origin_channel = "cli";
  c.spec = support::sample_spec(true);
  c.prompt = "Fix the bug";
  return c;
}

SessionOpened opened_by(const Spawn& c, std::string name) {
  return {kSession, "main", std::move(name), kAlias, c.origin_channel, c.spec, {}, kSession, {}};
}

TEST_CASE("a spawned session is opened, queued, named and admitted at once", "[session]") {
  Spawn c = spawn();
  c.system_prompt = "Be brief.";
  const auto after = given().when(c).then(
      fact(opened_by(c, "fix-bug")).with("Be brief."),
      fact(TurnQueued{kOwnTurn}).with("Fix the bug"),
      fact(NameClaimed{kSession, "fix-bug", {}}).on(StreamRole::registry),
      fact(SessionAdmitted{kSession, "main", kAlias}).on(StreamRole::admission));
  CHECK(after.session.status == SessionStatus::starting);
  CHECK(after.session.lineage == kSession);
  CHECK(after.session.queue.size() == 1);
  CHECK(after.registry.names.at("fix-bug") == kSession);
  CHECK(after.admission.live.contains(kSession));
}

TEST_CASE("a session that nobody named is named after its prompt", "[session]") {
  Spawn c = spawn();
  c.name.clear();
  c.prompt = "Please refactor the parser module of this project";
  const auto after = given().when(c).outcome();
  REQUIRE(after);
  CHECK(std::get<SessionOpened>((*after)[0].event).name == "refactor-parser-module");
}

TEST_CASE("a name that a live session holds gets a number", "[session]") {
  const auto other = numbered<SessionId>(7);
  const auto third = numbered<SessionId>(8);
  given(fact(NameClaimed{other, "fix-bug", {}}).on(StreamRole::registry))
      .when(spawn())
      .then(opened_by(spawn(), "fix-bug-2"), fact(TurnQueued{kOwnTurn}).with("Fix the bug"),
            fact(NameClaimed{kSession, "fix-bug-2", {}}).on(StreamRole::registry),
            fact(SessionAdmitted{kSession, "main", kAlias}).on(StreamRole::admission));
  const auto outcome = given(fact(NameClaimed{other, "fix-bug", {}}).on(StreamRole::registry),
                             fact(NameClaimed{third, "fix-bug-2", {}}).on(StreamRole::registry))
                           .when(spawn())
                           .outcome();
  REQUIRE(outcome);
  CHECK(std::get<SessionOpened>((*outcome)[0].event).name == "fix-bug-3");
}

std::string alias_given(const std::vector<support::Fact>& past) {
  const auto outcome = given(past).when(spawn()).outcome();
  REQUIRE(outcome);
  return std::get<SessionOpened>((*outcome)[0].event).alias;
}

TEST_CASE("an alias is never given twice, not even after its session has ended", "[session]") {
  const auto other = numbered<SessionId>(7);
  const auto release = fact(SessionReleased{other}).on(StreamRole::admission);
  const auto admit = [&](const std::string& alias) {
    return fact(SessionAdmitted{other, "main", alias}).on(StreamRole::admission);
  };
  CHECK(alias_given({}) == alias_of(kSession, 0));
  CHECK(alias_given({admit(alias_of(other, 0)), release}) == alias_of(other, 1));
  CHECK(alias_given({admit(alias_of(other, 0)), release, admit(alias_of(other, 1)), release}) ==
        alias_of(other, 2));
  // Those that another release drew by lot are passed over.
  CHECK(alias_given({admit(alias_of(other, 1)), release, admit("alias000"), release}) ==
        alias_of(other, 0));
  CHECK(alias_given({admit(alias_of(other, 1)), release, admit(alias_of(other, 0)), release}) ==
        alias_of(other, 2));
}

TEST_CASE("a spawn that makes no sense is refused as invalid", "[session]") {
  Spawn c = spawn();
  SECTION("an unknown engine") {
    c.spec.engine = "abacus";
  }
  SECTION("no engine") {
    c.spec.engine.clear();
  }
  SECTION("a relative working folder") {
    c.spec.workdir = "project";
  }
  SECTION("a working folder with a zero byte") {
    c.spec.workdir = std::string("/srv\0x", 6);
  }
  SECTION("an empty prompt") {
    c.prompt.clear();
  }
  SECTION("a name of 65 bytes") {
    c.name = std::string(65, 'n');
  }
  SECTION("a name of two lines") {
    c.name = "two\nlines";
  }
  SECTION("a negative budget") {
    c.spec.budget.value = -1;
  }
  SECTION("a negative cap on turns") {
    c.spec.max_turns = -1;
  }
  given().when(c).then_rejected(RejectionCode::invalid);
}

TEST_CASE("a name of 64 bytes is accepted", "[session]") {
  Spawn c = spawn();
  c.name = std::string(64, 'n');
  CHECK(given().when(c).outcome());
}

TEST_CASE("a spawn without session id or with a bad agent name is refused", "[session]") {
  support::Given world;
  SECTION("no session id") {
    world.context.session = {};
  }
  SECTION("no agent") {
    world.context.agent.clear();
  }
  SECTION("an agent with a slash") {
    world.context.agent = "a/b";
  }
  SECTION("an agent in upper case") {
    world.context.agent = "Main";
  }
  SECTION("an agent of 65 characters") {
    world.context.agent = std::string(65, 'a');
  }
  world.when(spawn()).then_rejected(RejectionCode::invalid);
}

TEST_CASE("no more sessions are live than the limit allows", "[session]") {
  const auto admitted =
      fact(SessionAdmitted{numbered<SessionId>(7), "other", "x"}).on(StreamRole::admission);
  Limits limits;
  limits.max_sessions = 1;
  given(admitted).with_limits(limits).when(spawn()).then_rejected(RejectionCode::session_limit);
  limits.max_sessions = 2;
  CHECK(given(admitted).with_limits(limits).when(spawn()).outcome());
  limits.max_sessions = 1;
  const auto released = fact(SessionReleased{numbered<SessionId>(7)}).on(StreamRole::admission);
  CHECK(given(admitted, released).with_limits(limits).when(spawn()).outcome());
}

TEST_CASE("a session id is spawned once", "[session]") {
  given(support::starting()).when(spawn()).then_rejected(RejectionCode::already_exists);
  given(support::killed()).when(spawn()).then_rejected(RejectionCode::already_exists);
}

TEST_CASE("what to resume is not the caller's to name in the spec", "[session]") {
  Spawn c = spawn();
  c.spec.resume_agent_session = "stolen";
  c.spec.is_fork = true;
  const auto outcome = given().when(c).outcome();
  REQUIRE(outcome);
  const auto& opened = std::get<SessionOpened>((*outcome)[0].event);
  CHECK(opened.spec.resume_agent_session.empty());
  CHECK_FALSE(opened.spec.is_fork);
}

}  // namespace
}  // namespace session
