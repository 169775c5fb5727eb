// Resuming and forking: the new session takes over agent session, lineage and cost. At most one
// session at a time goes on with an agent's session.
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::Fact;
using support::given;
using support::kOwnTurn;
using support::kSession;
using support::kSource;
using support::kToken;
using support::turn;

// The session to be resumed: it ran under agent session "old", cost 700, and is over.
std::vector<Fact> source_running() {
  const TurnCost cost{{}, {700}, {700}, 1, {}};
  SessionOpened opened{kSource, "main",  "first", "alias000", {}, support::sample_spec(true),
                       {},      kSource, {}};
  std::vector<Fact> past;
  for (const Fact& f :
       {Fact(opened), Fact(TurnQueued{turn(1)}), Fact(LeaseGranted{support::kWorker, kToken, {}}),
        Fact(TurnStarted{turn(1), kToken}), Fact(AgentInitialized{"old", "m", "2"}),
        Fact(TurnFinished{turn(1), cost})}) {
    past.push_back(f.on(support::kSourceStream));
  }
  return past;
}
std::vector<Fact> source_closing() {
  auto past = source_running();
  past.push_back(
      fact(SessionClosed{SessionStatus::killed, EndReason::user}).on(support::kSourceStream));
  return past;
}
std::vector<Fact> source_ended() {
  auto past = source_closing();
  past.push_back(fact(LeaseReleased{kToken}).on(support::kSourceStream));
  return past;
}

// From then on the source and the session that resumes it share a budget.
const Fact kSpentBefore =
    fact(LineageSpent{kSource, {700}, "old", {}}).on(lineage_stream("main", kSource));
const Fact kAtWork = fact(LineageReserved{kSource, {}, {}}).on(lineage_stream("main", kSource));

// The alias of the first session that is admitted.
const std::string kResumedAlias = alias_of(kSession, 0);

Spawn resume(bool is_fork = false) {
  Spawn c;
  c.name = "second";
  c.spec = support::sample_spec(true);
  c.prompt = "Go on";
  c.resume = kSource;
  c.is_fork = is_fork;
  return c;
}

SessionOpened opened_by(const Spawn& c) {
  SessionOpened opened{kSession, "main",  "second", kResumedAlias, {},
                       c.spec,   kSource, kSource,  {700}};
  opened.spec.edit().resume_agent_session = "old";
  opened.spec.edit().is_fork = c.is_fork;
  return opened;
}

// Two values of a setting that a spec can have: number 0 and 1.
void set_sample(const SpecSetting& setting, int number, SessionSpec& spec) {
  const auto text = [&](const std::string& word) { return word + std::to_string(number); };
  std::visit(
      [&]<class Member>(Member member) {
        if constexpr (std::same_as<Member, std::int64_t UseLimits::*>) {
          spec.use_limits.edit().*member = 5 + number;
        } else if constexpr (std::same_as<Member, NanoUsd SessionSpec::*>) {
          spec.*member = NanoUsd{5'000 + number};
        } else if constexpr (std::same_as<Member, std::string SessionSpec::*> ||
                             std::same_as<Member, base::Sparse<std::string> SessionSpec::*>) {
          spec.*member = setting.text == SpecText::path || setting.text == SpecText::file
                             ? text("/w")
                         : setting.text == SpecText::engine  ? (number == 0 ? "scripted" : "claude")
                         : setting.text == SpecText::sources ? (number == 0 ? "user" : "project")
                                                             : text("m" + std::string(setting.key));
        } else if constexpr (std::is_enum_v<std::remove_reference_t<decltype(spec.*member)>>) {
          using Enum = std::remove_reference_t<decltype(spec.*member)>;
          spec.*member = static_cast<Enum>(1 + number);
        } else if constexpr (std::same_as<Member, bool SessionSpec::*>) {
          spec.*member = number == 1;
        } else {
          spec.*member = std::remove_reference_t<decltype(spec.*member)>{60 + number};
        }
      },
      setting.member);
}

TEST_CASE("a session that is resumed takes over each setting that is not said", "[session][R037]") {
  std::vector<Fact> past = source_ended();
  SessionSpec& before = past.front().event.get<SessionOpened>().spec.edit();
  Spawn c = resume();
  c.takes_over = true;
  for (const SpecSetting& setting : spec_settings()) {
    set_sample(setting, 0, before);
    set_sample(setting, 1, c.spec);
  }
  const auto opened_with = [&](std::vector<std::string> said) {
    c.said = std::move(said);
    const auto decided = given(past).when(c).outcome();
    REQUIRE(decided);
    for (const Emitted& one : *decided) {
      if (const auto* opened = one.event.as<SessionOpened>()) return *opened->spec;
    }
    FAIL("nothing was opened");
    return SessionSpec{};
  };
  for (const SpecSetting& said : spec_settings()) {
    CAPTURE(said.key);
    const SessionSpec spec = opened_with({std::string(said.key)});
    for (const SpecSetting& setting : spec_settings()) {
      CAPTURE(setting.key);
      SessionSpec wanted = spec;
      copy_setting(setting, setting.key == said.key ? c.spec : before, wanted);
      CHECK(spec == wanted);
    }
  }
  CHECK(opened_with({}).is_multi_turn);
}

TEST_CASE("what is no setting cannot be said for a session that is resumed", "[session]") {
  Spawn c = resume();
  c.takes_over = true;
  c.said = {"colour"};
  given(source_ended()).when(c).then_rejected(RejectionCode::invalid);
}

TEST_CASE("a session that asks for no permission hands that on only if it is said", "[session]") {
  std::vector<Fact> past = source_ended();
  past.front().event.get<SessionOpened>().spec.edit().permission_mode =
      PermissionMode::bypass_permissions;
  Spawn c = resume();
  c.takes_over = true;
  c.spec.permission_mode = PermissionMode::accept_edits;
  const auto decided = given(past).when(c).outcome();
  REQUIRE(decided);
  CHECK(decided->size() > 1);
  for (const Emitted& one : *decided) {
    const auto* opened = one.event.as<SessionOpened>();
    if (opened != nullptr) CHECK(opened->spec->permission_mode == PermissionMode::accept_edits);
  }
}

TEST_CASE("a resumed session goes on with the agent's session, its lineage and its cost",
          "[session][R037]") {
  const auto after =
      given(source_ended())
          .when(resume())
          .then(fact(SessionResumed{kSession, false, true, true}).on(support::kSourceStream),
                kSpentBefore, opened_by(resume()), fact(TurnQueued{kOwnTurn}).with("Go on"),
                fact(NameClaimed{kSession, "second", "old"}).on(support::kRegistry),
                fact(SessionAdmitted{kSession, "main", kResumedAlias, "second"})
                    .on(support::kAdmission));
  CHECK(after.session().agent_total.value == 700);
  CHECK(after.registry().agent_sessions.at("old") == kSession);
}

TEST_CASE("a resumed session is held to what its source was, unless it is told otherwise",
          "[session]") {
  auto past = source_ended();
  auto& opened = past.front().event.get<SessionOpened>();
  opened.spec.edit().allowed_tools.edit() = {"Bash", "Read"};
  opened.spec.edit().max_turns = 7;
  opened.spec.edit().fallback_model = "sonnet";
  opened.spec.edit().restart_policy = RestartPolicy::retry;
  Spawn bare = resume();
  bare.spec.allowed_tools.reset();
  bare.spec.max_turns = 0;
  const auto as_it_was = given(past).when(bare).outcome();
  REQUIRE(as_it_was);
  Spawn told = bare;
  told.spec.allowed_tools.edit() = {"Edit"};
  told.spec.max_turns = 3;
  told.spec.model = "sonnet";
  told.spec.restart_policy = RestartPolicy::notify;
  const auto as_told = given(past).when(told).outcome();
  REQUIRE(as_told);
  const auto spec_of = [](const auto& decided) {
    for (const Emitted& one : *decided) {
      if (const auto* e = one.event.as<SessionOpened>()) return *e->spec;
    }
    return SessionSpec{};
  };
  CHECK(spec_of(as_it_was).allowed_tools == std::vector<std::string>{"Bash", "Read"});
  CHECK(spec_of(as_it_was).max_turns == 7);
  CHECK(spec_of(as_told).allowed_tools == std::vector<std::string>{"Edit"});
  CHECK(spec_of(as_told).max_turns == 3);
  CHECK(spec_of(as_it_was).fallback_model == "sonnet");
  CHECK(spec_of(as_told).fallback_model->empty());
  CHECK(spec_of(as_it_was).restart_policy == RestartPolicy::retry);
  CHECK(spec_of(as_told).restart_policy == RestartPolicy::notify);
}

TEST_CASE("a fork leaves the agent's session free, also while the source runs", "[session][R036]") {
  const auto source = GENERATE(0, 1, 2);
  const auto past = source == 0   ? source_ended()
                    : source == 1 ? source_closing()
                                  : source_running();
  std::vector<Fact> facts = {
      fact(SessionResumed{kSession, true, true}).on(support::kSourceStream),
      kSpentBefore,
      opened_by(resume(true)),
      fact(TurnQueued{kOwnTurn}).with("Go on"),
      fact(NameClaimed{kSession, "second", {}}).on(support::kRegistry),
      fact(SessionAdmitted{kSession, "main", kResumedAlias, "second"}).on(support::kAdmission)};
  if (source > 0) facts.insert(facts.begin() + 2, kAtWork);
  const auto after = given(past).when(resume(true)).then_all(facts);
  CHECK(after.registry().agent_sessions.empty());
}

TEST_CASE("a session that was never there cannot be resumed or forked", "[session]") {
  const bool is_fork = GENERATE(false, true);
  Spawn c = resume(is_fork);
  c.takes_over = GENERATE(false, true);
  given().when(c).then_rejected(RejectionCode::not_found);
  support::Given empty;
  empty.streams.at(support::kSourceStream);
  empty.when(c).then_rejected(RejectionCode::not_found);
}

TEST_CASE("a session whose agent never began cannot be resumed or forked", "[session]") {
  const bool is_fork = GENERATE(false, true);
  const SessionOpened opened{kSource, "main",  "first", "alias000", {}, support::sample_spec(true),
                             {},      kSource, {}};
  given(fact(opened).on(support::kSourceStream),
        fact(SessionClosed{SessionStatus::failed, EndReason::start_failed})
            .on(support::kSourceStream))
      .when(resume(is_fork))
      .then_rejected(RejectionCode::not_resumable);
}

TEST_CASE("a session is not resumed while it is live or its agent process is", "[session]") {
  given(source_running()).when(resume()).then_rejected(RejectionCode::source_live);
  given(source_closing()).when(resume()).then_rejected(RejectionCode::lease_held);
}

TEST_CASE("an agent's session is gone on with by one session at a time", "[session][C20]") {
  const auto other = support::numbered<SessionId>(7);
  const auto claim = fact(NameClaimed{other, "other", "old"}).on(support::kRegistry);
  const auto admit = fact(SessionAdmitted{other, "main", "alias777"}).on(support::kAdmission);
  given(source_ended(), claim, admit).when(resume()).then_rejected(RejectionCode::source_live);
  CHECK(given(source_ended(), claim, admit).when(resume(true)).outcome());
  const auto release = fact(AgentSessionReleased{other, "old"}).on(support::kRegistry);
  CHECK(given(source_ended(), claim, admit, release).when(resume()).outcome());
}

// A resumed session that goes on with agent session "old", while its first turn runs.
support::Given resumed_and_running(bool is_fork = false) {
  return given(
      source_ended(), opened_by(resume(is_fork)), TurnQueued{kOwnTurn},
      fact(NameClaimed{kSession, "second", is_fork ? "" : "old"}).on(support::kRegistry),
      fact(SessionAdmitted{kSession, "main", kResumedAlias, "second"}).on(support::kAdmission),
      LeaseGranted{support::kWorker, kToken, "old"}, TurnStarted{kOwnTurn, kToken});
}

TEST_CASE("an agent's session is free when the process that went on with it has ended",
          "[session]") {
  const auto name = fact(NameReleased{kSession, "second"}).on(support::kRegistry);
  const auto place = fact(SessionReleased{kSession, true}).on(support::kAdmission);
  const auto settled = fact(SessionSettled{kSession}).on(support::kAdmission);
  const auto free = fact(AgentSessionReleased{kSession, "old"}).on(support::kRegistry);
  const auto killed = resumed_and_running()
                          .when(KillSession{})
                          .then(TurnInterrupted{kOwnTurn, EndReason::user, booked({})},
                                SessionClosed{SessionStatus::killed, EndReason::user}, name, place);
  CHECK(killed.registry().agent_sessions.contains("old"));
  const auto doubt = fact(LineageSpent{kSession, {}, {}, {}, CostBasis::at_least})
                         .on(lineage_stream("main", kSource));
  const auto ended = support::Given(killed)
                         .when(ExpireLease{kToken})
                         .then(LeaseExpired{kToken}, settled, free, doubt);
  CHECK(ended.registry().agent_sessions.empty());

  const auto forked = resumed_and_running(true)
                          .when(KillSession{})
                          .then(TurnInterrupted{kOwnTurn, EndReason::user, booked({})},
                                SessionClosed{SessionStatus::killed, EndReason::user}, name, place);
  support::Given(forked).when(ExpireLease{kToken}).then(LeaseExpired{kToken}, settled, doubt);

  const auto other = support::numbered<SessionId>(7);
  given(source_ended(), fact(NameClaimed{other, "other", "old"}).on(support::kRegistry),
        fact(SessionAdmitted{other, "main", "alias777"}).on(support::kAdmission),
        fact(NameReleased{other, "other"}).on(support::kRegistry),
        fact(SessionReleased{other, true}).on(support::kAdmission))
      .when(resume())
      .then_rejected(RejectionCode::lease_held);
}

TEST_CASE("a resumed session is refused like a new one when the limit is reached", "[session]") {
  Limits limits;
  limits.max_sessions = 0;
  given(source_ended())
      .with_limits(limits)
      .when(resume())
      .then_rejected(RejectionCode::session_limit);
}

TEST_CASE("a source that was resumed remembers by whom it was asked", "[session]") {
  auto world = given(source_ended());
  auto outcome = world.when(resume()).outcome();
  REQUIRE(outcome);
  CHECK(outcome->front().stream == support::kSourceStream);
  CHECK(outcome->front().event == Event(SessionResumed{kSession, false, true, true}));
}

}  // namespace
}  // namespace domain
