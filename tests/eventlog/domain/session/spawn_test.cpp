// A spawn opens, names and admits a session at once, or refuses it. Names and aliases stay unique
// among live sessions, and no fact holds words of the prompt.
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kCommand;
using support::kOwnTurn;
using support::kSession;
using support::numbered;

// The alias of the first session that is admitted.
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
  SessionOpened opened{kSession, "main", std::move(name), kAlias, c.origin_channel,
                       c.spec,   {},     kSession,        {}};
  opened.spec.edit().channel = c.origin_channel;
  return opened;
}

TEST_CASE("a spawned session is opened, queued, named and admitted at once",
          "[session][R013][R028][R076]") {
  Spawn c = spawn();
  c.system_prompt = "Be brief.";
  const auto after = given().when(c).then(
      fact(opened_by(c, "fix-bug")).with("Be brief."),
      fact(TurnQueued{kOwnTurn}).with("Fix the bug"),
      fact(NameClaimed{kSession, "fix-bug", {}}).on(support::kRegistry),
      fact(SessionAdmitted{kSession, "main", kAlias, "fix-bug"}).on(support::kAdmission));
  CHECK(after.session().status == SessionStatus::starting);
  CHECK(after.session().lineage == kSession);
  CHECK(after.session().queue.size() == 1);
  CHECK(after.registry().names.at("fix-bug") == kSession);
  CHECK(after.admission().live.contains(kSession));
}

TEST_CASE("a session's channel is a place, or names none", "[session]") {
  for (const char* channel : {"telegram|", "telegram||1", "|1"}) {
    Spawn c = spawn();
    c.origin_channel = channel;
    const auto outcome = given().when(c).outcome();
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == RejectionCode::invalid);
    CHECK(outcome.error().text.find("telegram|1234") != std::string::npos);
  }
}

// Returns the name made for a session without a given one, beside these live sessions.
std::string made_beside(const std::vector<support::Fact>& past, const std::string& prompt) {
  Spawn c = spawn();
  c.name.clear();
  c.prompt = prompt;
  const auto outcome = given(past).when(c).outcome();
  REQUIRE(outcome);
  REQUIRE(outcome->size() == 4);
  CHECK((*outcome)[0].event.get<SessionOpened>().name.empty());
  const std::string name = (*outcome)[1].content.text;
  CHECK((*outcome)[1].event.get<SessionNamed>().mark == name_mark(name));
  const auto& admitted = (*outcome)[3].event.get<SessionAdmitted>();
  CHECK(admitted.name.empty());
  CHECK(admitted.name_mark == name_mark(name));
  return name;
}

// The admission of another live session, of another agent.
support::Fact admitted(int number, std::string name, std::int64_t mark = 0) {
  const auto id = numbered<SessionId>(number);
  return fact(SessionAdmitted{id, "other", "alias00" + std::to_string(number), std::move(name),
                              mark})
      .on(support::kAdmission);
}
support::Fact released(int number) {
  return fact(SessionReleased{numbered<SessionId>(number)}).on(support::kAdmission);
}

TEST_CASE("a session that nobody named is named after its prompt", "[session]") {
  CHECK(made_beside({}, "Please refactor the parser module of this project") ==
        "refactor-parser-module");
}

TEST_CASE("no fact holds a word of the prompt", "[session]") {
  Spawn c = spawn();
  c.name.clear();
  c.prompt = "Rename swordfish to marlin";
  const auto outcome = given().when(c).outcome();
  REQUIRE(outcome);
  for (const Emitted& emitted : *outcome) {
    CHECK(support::text_of(emitted.event).find("swordfish") == std::string::npos);
  }
}

TEST_CASE("a given name that a live session of any agent has is refused", "[session][R027]") {
  const auto refused = given(admitted(7, "fix-bug")).when(spawn()).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::already_exists);
  CHECK(refused.error().text.find("alias007") != std::string::npos);
  // The same holds if that session was named after its prompt, or admitted by an older release.
  given(admitted(7, "", name_mark("fix-bug")))
      .when(spawn())
      .then_rejected(RejectionCode::already_exists);
  given(fact(NameClaimed{numbered<SessionId>(7), "fix-bug", {}}).on(support::kRegistry),
        fact(SessionAdmitted{numbered<SessionId>(7), "main", "alias007"}).on(support::kAdmission))
      .when(spawn())
      .then_rejected(RejectionCode::already_exists);
  CHECK(given(admitted(7, "fix-bug"), released(7)).when(spawn()).outcome());
}

TEST_CASE("a made name that a live session has gets a number", "[session][R027]") {
  const std::string prompt = "Fix the bug";
  CHECK(made_beside({admitted(7, "fix-bug")}, prompt) == "fix-bug-2");
  CHECK(made_beside({admitted(7, "", name_mark("fix-bug"))}, prompt) == "fix-bug-2");
  CHECK(made_beside({admitted(7, "", name_mark("fix-bug")), admitted(8, "fix-bug-2")}, prompt) ==
        "fix-bug-3");
  CHECK(made_beside({admitted(7, "", name_mark("fix-bug")), admitted(8, "fix-bug-2"), released(7)},
                    prompt) == "fix-bug");
  CHECK(
      made_beside({fact(NameClaimed{numbered<SessionId>(7), "fix-bug", {}}).on(support::kRegistry)},
                  prompt) == "fix-bug-2");
}

TEST_CASE("two sessions of one name in an older log both stay", "[session]") {
  const auto older = [](int number, const std::string& agent) {
    return fact(SessionAdmitted{numbered<SessionId>(number), agent,
                                "alias00" + std::to_string(number)})
        .on(support::kAdmission);
  };
  Spawn c = spawn();
  c.name = "another";
  const auto after = given(older(7, "main"), older(8, "other")).when(c).outcome();
  CHECK(after);
}

TEST_CASE("what is known of names is of live sessions alone", "[session]") {
  support::Given world;
  for (int number = 1; number <= 9; ++number) {
    world.fold({admitted(number, number % 2 == 0 ? "name" + std::to_string(number) : "",
                         number % 2 == 0 ? 0 : number),
                released(number)});
  }
  CHECK(world.is_consistent());
  CHECK(world.admission().names.empty());
  CHECK(world.admission().name_marks.empty());
}

std::string alias_given(const std::vector<support::Fact>& past) {
  const auto outcome = given(past).when(spawn()).outcome();
  REQUIRE(outcome);
  return (*outcome)[0].event.get<SessionOpened>().alias;
}

TEST_CASE("an alias is never given twice, not even after its session has ended",
          "[session][R013]") {
  const auto other = numbered<SessionId>(7);
  const auto release = fact(SessionReleased{other}).on(support::kAdmission);
  const auto admit = [&](const std::string& alias) {
    return fact(SessionAdmitted{other, "main", alias}).on(support::kAdmission);
  };
  CHECK(alias_given({}) == alias_of(kSession, 0));
  CHECK(alias_given({admit(alias_of(other, 0)), release}) == alias_of(other, 1));
  CHECK(alias_given({admit(alias_of(other, 0)), release, admit(alias_of(other, 1)), release}) ==
        alias_of(other, 2));
  // Aliases that another release drew at random are passed over.
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
  SECTION("a blank name") {
    c.name = "  ";
  }
  SECTION("a name with the form of an alias") {
    c.name = kAlias;
  }
  SECTION("a negative budget") {
    c.spec.budget.value = -1;
  }
  SECTION("a negative cap on turns") {
    c.spec.max_turns = -1;
  }
  given().when(c).then_rejected(RejectionCode::invalid);
}

TEST_CASE("a text of the allowed tools names one tool", "[session]") {
  const char* one =
      GENERATE("Bash", "Bash(git log:*)", "mcp__server__tool", "Bash(npm run test -- --x,y)",
               "Bash(f(x):*)", "Bash(echo \\(:*)", "Read(//tmp/**)", "WebFetch(domain:a.org)");
  Spawn c = spawn();
  c.spec.allowed_tools.edit() = {one};
  CHECK(given().when(c).outcome());
  const char* more =
      GENERATE("", "Read Bash", "Read,Bash", "Read(x),Bash", "Read(x) Bash", "(x)",
               "Bash(x:*),Write", "Bash(x", "Bash)", "Bash(x)y", "Bash(x)(y)", "Read(x(y) Bash z)",
               "Read(x(y),Bash,z)", "Read(x\\) Bash)", "Read\tBash", "Read(x\nBash)");
  c.spec.allowed_tools.edit() = {"Edit", more};
  given().when(c).then_rejected(RejectionCode::invalid);
}

TEST_CASE("each text of a spawn that becomes a fact has a bound, which it may reach", "[session]") {
  Spawn c = spawn();
  std::string& text = GENERATE(true, false) ? c.origin_channel : c.spec.model;
  text = std::string(kFactBytesMax, 'x');
  CHECK(given().when(c).outcome());
  text += 'x';
  given().when(c).then_rejected(RejectionCode::invalid);

  Spawn engine = spawn();
  engine.spec.engine = std::string(kFactBytesMax + 1, 'x');
  const auto refused = given().when(engine).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text == "engine has 257 bytes, of 256 at most");

  Spawn folder = spawn();
  folder.spec.workdir = "/" + std::string(kPathBytesMax - 1, 'x');
  CHECK(given().when(folder).outcome());
  folder.spec.workdir += 'x';
  given().when(folder).then_rejected(RejectionCode::invalid);

  Spawn tools = spawn();
  tools.spec.allowed_tools.edit().assign(2, std::string(kToolsBytesMax / 2 - 1, 'x'));
  CHECK(given().when(tools).outcome());
  tools.spec.allowed_tools.edit().back() += 'x';
  given().when(tools).then_rejected(RejectionCode::invalid);

  Spawn system = spawn();
  system.system_prompt = std::string(kSystemPromptBytesMax, 'x');
  CHECK(given().when(system).outcome());
  system.system_prompt += 'x';
  given().when(system).then_rejected(RejectionCode::limit_reached);
}

TEST_CASE("a session falls back to another model than its own", "[session][R313]") {
  Spawn c = spawn();
  c.spec.fallback_model = "sonnet";
  CHECK(given().when(c).outcome());
  c.spec.model = "opus";
  CHECK(given().when(c).outcome());
  c.spec.model = "sonnet";
  given().when(c).then_rejected(RejectionCode::invalid);
}

TEST_CASE("an unknown engine is refused with those that are known", "[session]") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> known{
      {{"one"}, "one"},
      {{"one", "two"}, "one and two"},
      {{"one", "two", "three"}, "one, two and three"}};
  for (const auto& [engines, text] : known) {
    support::Given world;
    world.context.engines = engines;
    Spawn c = spawn();
    c.spec.engine = "abacus";
    const auto refused = world.when(c).outcome();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text == "unknown engine 'abacus'; known are " + text);
    c.spec.engine = engines.back();
    CHECK(world.when(c).outcome());
  }
}

TEST_CASE("a session whose engine cannot be asked for a hook is refused", "[session]") {
  const std::vector<std::string> engines{"abacus", "slate"};
  const std::vector<domain::HookGap> gaps{{"checks", "", "abacus", "Stop"},
                                          {"others", "other", "slate", "Stop"}};
  support::Given world;
  world.context.engines = engines;
  world.context.hook_gaps = gaps;
  Spawn c = spawn();
  c.spec.engine = "abacus";
  const auto refused = world.when(c).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::refused);
  CHECK(refused.error().text ==
        "the hook checks is asked at Stop, where agents of the engine abacus cannot be asked; "
        "choose another engine, or set optional = true for the hook");
  c.spec.engine = "slate";
  CHECK(world.when(c).outcome());
}

TEST_CASE("a name of 64 bytes is accepted", "[session]") {
  Spawn c = spawn();
  c.name = std::string(64, 'n');
  CHECK(given().when(c).outcome());
}

TEST_CASE("a spawn without session id or with a bad agent name is refused", "[session]") {
  support::Given world;
  SECTION("no session id") {
    world.context.target.id = {};
  }
  SECTION("no agent") {
    world.context.target.agent.clear();
  }
  SECTION("an agent with a slash") {
    world.context.target.agent = "a/b";
  }
  SECTION("an agent in upper case") {
    world.context.target.agent = "Main";
  }
  SECTION("an agent of 65 characters") {
    world.context.target.agent = std::string(65, 'a');
  }
  world.when(spawn()).then_rejected(RejectionCode::invalid);
}

TEST_CASE("no more sessions are live than the limit allows", "[session][R026]") {
  const auto admitted =
      fact(SessionAdmitted{numbered<SessionId>(7), "other", "x"}).on(support::kAdmission);
  Limits limits;
  limits.max_sessions = 1;
  given(admitted).with_limits(limits).when(spawn()).then_rejected(RejectionCode::session_limit);
  limits.max_sessions = 2;
  CHECK(given(admitted).with_limits(limits).when(spawn()).outcome());
  limits.max_sessions = 1;
  const auto released = fact(SessionReleased{numbered<SessionId>(7)}).on(support::kAdmission);
  CHECK(given(admitted, released).with_limits(limits).when(spawn()).outcome());
}

// The streams of two sessions with one id, and of what a spawn reads, as the command loop has them.
Decided spawn_beside(const SessionState& twin, const AdmissionState& admission) {
  const StreamState target{SessionState{}};
  const std::string twin_stream = session_stream("other", kSession);
  const std::string admission_stream(kAdmissionStream);
  const StreamState twin_state{twin};
  const StreamState admission_state{admission};
  const StreamState registry{RegistryState{}};
  States states(target);
  states.add(support::kRegistry, registry);
  states.add(admission_stream, admission_state);
  states.add(twin_stream, twin_state);
  const auto context = support::context_of(support::session_ref("main", kSession), kCommand);
  return decide_on(support::as_command(spawn()), states, context);
}

TEST_CASE("an id that a session of another agent has, or had, is refused", "[session][R013]") {
  const auto is_refused = [](const Decided& decided) {
    REQUIRE_FALSE(decided);
    CHECK(decided.error().code == RejectionCode::already_exists);
    // Whose it is may not be known to the asker.
    CHECK(decided.error().text.find("other") == std::string::npos);
  };
  SessionState twin;
  AdmissionState admission;
  CHECK(spawn_beside(twin, admission));
  twin.status = SessionStatus::killed;
  is_refused(spawn_beside(twin, admission));
  admission.live[kSession] = "other";
  is_refused(spawn_beside({}, admission));
  admission.unsettled[kSession] = "other";
  admission.live.clear();
  is_refused(spawn_beside({}, admission));
}

TEST_CASE("a session whose id is another agent's begins no agent, and leaves the other admitted",
          "[session]") {
  auto past = support::starting();
  past.back() = fact(SessionAdmitted{kSession, "other", "alias000"}).on(support::kAdmission);
  const auto after = given(past).when(GrantLease{support::kWorker}).outcome();
  REQUIRE(after);
  CHECK(after->front().event.is<AgentStartFailed>());
  CHECK(std::none_of(after->begin(), after->end(),
                     [](const Emitted& one) { return one.stream == support::kAdmission; }));
}

TEST_CASE("a salvage makes a record with one id under two agents consistent again", "[session]") {
  auto past = support::starting();
  past.push_back(fact(SessionAdmitted{kSession, "other", "alias001"}).on(support::kAdmission));
  const auto twice = given().even_inconsistent();
  support::Given world = twice;
  for (const auto& one : past) world.fold(one);
  CHECK(world.admission().inconsistent.value != 0);
  world.fold(fact(AdmissionMended{{kSession}}).on(support::kAdmission));
  CHECK(world.admission().inconsistent.value == 0);
  CHECK(world.admission().live.empty());
  CHECK(world.admission().names.empty());
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
  const auto& opened = (*outcome)[0].event.get<SessionOpened>();
  CHECK(opened.spec->resume_agent_session->empty());
  CHECK_FALSE(opened.spec->is_fork);
}

}  // namespace
}  // namespace domain
