// A schedule that is due runs or is skipped, and each time has one outcome.
#include "eventlog/domain/stream_name.hpp"
#include "tests/support/fixed_time_zones.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::numbered;

const support::FixedTimeZones kTestZones({}, {});
const std::string kSchedules(kSchedulesStream);
constexpr std::int64_t kSecond = 1'000'000;
constexpr auto kRun = numbered<CommandId>(700);
const SessionId kOpened{kRun.bytes};

Time seconds(std::int64_t count) {
  return {count * kSecond};
}

ScheduleSpec every_minute() {
  ScheduleSpec spec;
  spec.name = "often";
  spec.kind = ScheduleKind::every;
  spec.when = "60s";
  spec.zone = "UTC";
  spec.agent = "main";
  spec.session = support::sample_spec(false);
  spec.prompt = "look around";
  return spec;
}

// The streams of a server with schedules.
class Schedules {
 public:
  explicit Schedules(ScheduleSpec spec) {
    fold(kSchedules, ScheduleAdded{std::move(spec), seconds(60)});
  }

  void fold(const std::string& stream, Event event) {
    Envelope envelope;
    envelope.stream = stream;
    envelope.wall_time = now;
    envelope.position = {++position_};
    evolve(streams_.at(stream), envelope, event);
  }
  // Adds the session that the schedule's last run opened.
  void open(SessionId id, bool is_multi_turn = false) {
    const std::string stream = session_stream("main", id);
    SessionOpened opened = support::opened(is_multi_turn);
    opened.session = id;
    fold(stream, opened);
    fold(stream, TurnQueued{TurnId{id.bytes}});
  }

  Decided decide(const Command& command) {
    Context context = support::context_of(*parse_stream(kSchedules), support::kCommand);
    context.wall = now;
    context.zones = &kTestZones;
    return streams_.decide(command, context);
  }
  // Decides, folds, and returns the only event.
  template <class E>
  E one(const SchedulesCommand& command) {
    const Decided decided = decide(command);
    REQUIRE(decided);
    REQUIRE(decided->size() == 1);
    fold(kSchedules, decided->front().event);
    REQUIRE(decided->front().event.is<E>());
    return decided->front().event.get<E>();
  }
  RejectionCode refusal(const SchedulesCommand& command) {
    const Decided decided = decide(command);
    REQUIRE_FALSE(decided);
    return decided.error().code;
  }
  const Schedule& schedule() {
    return streams_.get<SchedulesStream>(kSchedules).schedules.at("often");
  }
  std::size_t count() { return streams_.get<SchedulesStream>(kSchedules).schedules.size(); }
  FireSchedule fire() { return {"often", schedule().next_due, kRun}; }

  Time now;

 private:
  support::FoldedStreams streams_;
  std::int64_t position_ = 0;
};

TEST_CASE("a schedule that is due runs, and is due again", "[schedules][R304]") {
  Schedules s(every_minute());
  s.now = seconds(60);
  CHECK(s.one<ScheduleFired>(s.fire()) ==
        ScheduleFired{"often", kRun, kOpened, true, seconds(60), 1, seconds(120)});
  CHECK(begun_run(s.schedule())->run == kRun);
  CHECK(s.one<RunTaken>(RecordRun{"often", kRun, {}}) == RunTaken{"often", kRun});
  CHECK(begun_run(s.schedule()) == nullptr);
  CHECK(s.schedule().fired == 1);
}

TEST_CASE("nothing is fired before it is due, or twice for one time", "[schedules]") {
  Schedules s(every_minute());
  s.now = seconds(59);
  CHECK(s.decide(SchedulesCommand(s.fire()))->empty());
  s.now = seconds(60);
  const FireSchedule first = s.fire();
  s.one<ScheduleFired>(first);
  CHECK(s.decide(SchedulesCommand(first))->empty());
  CHECK(s.decide(SchedulesCommand(FireSchedule{"rarely", seconds(60), kRun}))->empty());
}

TEST_CASE("times that passed while no server ran run once, together", "[schedules][C30]") {
  Schedules s(every_minute());
  s.now = seconds(60 + 4 * 60 + 30);
  const auto fired = s.one<ScheduleFired>(s.fire());
  CHECK(fired.due == seconds(300));
  CHECK(fired.moments == 5);
  CHECK(fired.next_due == seconds(360));
}

TEST_CASE("times that passed while no server ran are skipped if it says so", "[schedules][C30]") {
  auto spec = every_minute();
  spec.when = "1h";
  spec.missed = MissedRuns::skip;
  Schedules s(spec);
  s.now = seconds(60 + 3600 + 61);
  CHECK(s.one<ScheduleSkipped>(s.fire()) ==
        ScheduleSkipped{"often", SkipReason::missed, seconds(3600), 2, seconds(7200)});
  // A minute late is in time.
  Schedules in_time(spec);
  in_time.now = seconds(60 + 60);
  CHECK(in_time.one<ScheduleFired>(in_time.fire()).moments == 1);
}

TEST_CASE("all steps that passed are counted, and times of a cron line up to a limit",
          "[schedules]") {
  auto spec = every_minute();
  spec.when = "1s";
  Schedules s(spec);
  s.now = seconds(1'000'000);
  const auto fired = s.one<ScheduleFired>(s.fire());
  CHECK(fired.moments == 1'000'000 - 60 + 1);
  CHECK(fired.due == seconds(1'000'000));
  CHECK(fired.next_due == seconds(1'000'001));
  spec.kind = ScheduleKind::cron;
  spec.when = "* * * * *";
  spec.zone = "UTC";
  Schedules cron(spec);
  cron.now = seconds(60 + 60 * 216);
  CHECK(cron.one<ScheduleFired>(cron.fire()).moments == 217);
  Schedules many(spec);
  many.now = seconds(60 * 10'000);
  const auto last = many.one<ScheduleFired>(many.fire());
  CHECK(last.moments == kMomentsMax + 1);
  CHECK(last.next_due == seconds(60 * 10'001));
}

TEST_CASE("of missed times that are to be skipped only the last one runs, if it is not late",
          "[schedules][C30]") {
  auto spec = every_minute();
  spec.when = "2s";
  spec.missed = MissedRuns::skip;
  Schedules s(spec);
  s.now = seconds(60 + 70);
  const Decided decided = s.decide(SchedulesCommand(s.fire()));
  REQUIRE(decided);
  REQUIRE(decided->size() == 2);
  CHECK((*decided)[0].event ==
        Event(ScheduleSkipped{"often", SkipReason::missed, seconds(128), 35, seconds(130)}));
  CHECK((*decided)[1].event ==
        Event(ScheduleFired{"often", kRun, kOpened, true, seconds(130), 1, seconds(132)}));
  for (const Emitted& emitted : *decided) s.fold(kSchedules, emitted.event);
  CHECK(s.schedule().next_due == seconds(132));
  CHECK(begun_run(s.schedule())->run == kRun);
}

TEST_CASE("a schedule that is paused is not due until it is unpaused", "[schedules]") {
  Schedules s(every_minute());
  s.one<SchedulePaused>(PauseSchedule{"often"});
  CHECK(s.schedule().is_paused);
  CHECK(s.schedule().next_due.us == 0);
  // Asked for again, it is on the record, so that a repetition has the same outcome.
  s.one<SchedulePaused>(PauseSchedule{"often"});
  s.now = seconds(150);
  CHECK(s.decide(SchedulesCommand(s.fire()))->empty());
  // Somebody can still ask for a run, which leaves it paused.
  CHECK(s.one<ScheduleFired>(RunSchedule{"often", kRun}).next_due.us == 0);
  CHECK(s.one<ScheduleUnpaused>(PauseSchedule{"often", true}).next_due == seconds(180));
  CHECK_FALSE(s.schedule().is_paused);
  s.one<ScheduleUnpaused>(PauseSchedule{"often", true});
  CHECK(s.refusal(PauseSchedule{"rarely"}) == RejectionCode::not_found);
}

TEST_CASE("a schedule is changed, and its past stays", "[schedules]") {
  Schedules s(every_minute());
  s.now = seconds(60);
  s.one<ScheduleFired>(s.fire());
  s.open(kOpened);
  s.one<RunTaken>(RecordRun{"often", kRun, {}});
  ScheduleSpec spec = s.schedule().spec;
  s.one<ScheduleEdited>(EditSchedule{spec});
  spec.prompt = "another task";
  s.now = seconds(61);
  const auto other = s.one<ScheduleEdited>(EditSchedule{spec});
  CHECK_FALSE(other.is_retimed);
  CHECK(other.next_due == seconds(120));
  spec.when = "90s";
  const auto retimed = s.one<ScheduleEdited>(EditSchedule{spec});
  CHECK(retimed.is_retimed);
  CHECK(retimed.next_due == seconds(61 + 90));
  CHECK(s.schedule().spec.prompt == "another task");
  CHECK(s.schedule().fired == 1);
  CHECK(s.schedule().session == kOpened);
  spec.when = "soon";
  CHECK(s.refusal(EditSchedule{spec}) == RejectionCode::invalid);
  spec.when = "90s";
  spec.name = "rarely";
  CHECK(s.refusal(EditSchedule{spec}) == RejectionCode::not_found);
}

TEST_CASE("a run that was is not begun again under its id", "[schedules]") {
  Schedules s(every_minute());
  s.now = seconds(60);
  s.one<ScheduleFired>(s.fire());
  s.open(kOpened);
  s.one<RunTaken>(RecordRun{"often", kRun, {}});
  CHECK(s.refusal(RunSchedule{"often", kRun}) == RejectionCode::already_exists);
}

TEST_CASE("a run is skipped while the session of the last one lives", "[schedules][C21]") {
  for (const bool overlaps : {false, true}) {
    auto spec = every_minute();
    spec.overlaps = overlaps;
    Schedules s(spec);
    s.now = seconds(60);
    s.one<ScheduleFired>(s.fire());
    s.open(kOpened);
    s.one<RunTaken>(RecordRun{"often", kRun, {}});
    s.now = seconds(120);
    FireSchedule next = s.fire();
    next.run = numbered<CommandId>(701);
    if (overlaps) {
      CHECK(s.one<ScheduleFired>(next).session == SessionId{next.run.bytes});
    } else {
      CHECK(s.one<ScheduleSkipped>(next).reason == SkipReason::overlap);
    }
  }
}

TEST_CASE("a run that has not begun holds up the next one", "[schedules]") {
  auto spec = every_minute();
  spec.overlaps = true;
  Schedules s(spec);
  s.now = seconds(60);
  s.one<ScheduleFired>(s.fire());
  for (int i = 2; i < 40; ++i) {
    s.now = seconds(60 * i);
    FireSchedule next = s.fire();
    next.run = numbered<CommandId>(701);
    CHECK(s.one<ScheduleSkipped>(next).reason == SkipReason::waiting);
  }
  // It is not forgotten behind all those that were skipped.
  REQUIRE(begun_run(s.schedule()) != nullptr);
  CHECK(begun_run(s.schedule())->run == kRun);
  CHECK(s.schedule().runs.size() == kRunsKept);
  CHECK(s.one<RunRefused>(RecordRun{"often", kRun, "session_limit: no room"}).error ==
        "session_limit: no room");
}

TEST_CASE("heartbeats go to one session, which is opened when there is none", "[schedules][R303]") {
  auto spec = every_minute();
  spec.run = RunKind::heartbeat;
  spec.session.is_multi_turn = true;
  Schedules s(spec);
  s.now = seconds(60);
  CHECK(s.one<ScheduleFired>(s.fire()).opens);
  s.open(kOpened, true);
  s.one<RunTaken>(RecordRun{"often", kRun, {}});
  s.now = seconds(120);
  FireSchedule next = s.fire();
  next.run = numbered<CommandId>(701);
  CHECK(s.one<ScheduleSkipped>(next).reason == SkipReason::overlap);  // its first prompt waits
  s.fold(session_stream("main", kOpened),
         TurnInterrupted{TurnId{kOpened.bytes}, EndReason::user, {}});
  s.now = seconds(180);
  next = s.fire();
  next.run = numbered<CommandId>(702);
  const auto prompted = s.one<ScheduleFired>(next);
  CHECK(prompted.session == kOpened);
  CHECK_FALSE(prompted.opens);
  s.one<RunTaken>(RecordRun{"often", next.run, {}});
  s.fold(session_stream("main", kOpened), SessionClosed{SessionStatus::killed, EndReason::user});
  s.now = seconds(240);
  next = s.fire();
  next.run = numbered<CommandId>(703);
  const auto reopened = s.one<ScheduleFired>(next);
  CHECK(reopened.opens);
  CHECK(reopened.session == SessionId{next.run.bytes});
}

TEST_CASE("messages go to the session that the schedule names", "[schedules]") {
  auto spec = every_minute();
  spec.run = RunKind::message;
  spec.to = support::kSession;
  Schedules s(spec);
  s.now = seconds(60);
  const auto fired = s.one<ScheduleFired>(s.fire());
  CHECK(fired.session == support::kSession);
  CHECK_FALSE(fired.opens);
}

TEST_CASE("a schedule runs now if somebody asks for it", "[schedules]") {
  Schedules s(every_minute());
  s.now = seconds(10);
  const auto fired = s.one<ScheduleFired>(RunSchedule{"often", kRun});
  CHECK(fired.due.us == 0);
  CHECK(fired.next_due == seconds(60));
  CHECK(s.refusal(RunSchedule{"often", numbered<CommandId>(701)}) == RejectionCode::in_progress);
  CHECK(s.refusal(RunSchedule{"rarely", kRun}) == RejectionCode::not_found);
  CHECK(s.refusal(RunSchedule{"often", {}}) == RejectionCode::invalid);
}

TEST_CASE("a schedule that is due once is never due again", "[schedules]") {
  auto spec = every_minute();
  spec.kind = ScheduleKind::at;
  spec.when = "1970-01-01 00:01";
  Schedules s(spec);
  s.now = seconds(60);
  CHECK(s.one<ScheduleFired>(s.fire()).next_due.us == 0);
}

TEST_CASE("what is no schedule is refused before it is stored", "[schedules]") {
  Schedules s(every_minute());
  s.now = seconds(1);
  const auto refused = [&](auto change) {
    AddSchedule add{every_minute()};
    add.spec.name = "new";
    change(add.spec);
    return s.refusal(add);
  };
  CHECK(refused([](auto& spec) { spec.name = "often"; }) == RejectionCode::already_exists);
  CHECK(refused([](auto& spec) { spec.prompt = std::string(8'193, 'x'); }) ==
        RejectionCode::limit_reached);
  const std::vector<void (*)(ScheduleSpec&)> invalid = {
      [](ScheduleSpec& spec) { spec.name = "Not A Name"; },
      [](ScheduleSpec& spec) { spec.agent = ""; },
      [](ScheduleSpec& spec) { spec.prompt = ""; },
      [](ScheduleSpec& spec) {
        spec.kind = ScheduleKind::cron, spec.when = "* * * * *", spec.zone = "Mars/Olympus";
      },
      [](ScheduleSpec& spec) { spec.session.budget.value = -1; },
      [](ScheduleSpec& spec) { spec.session.resume_agent_session = "another"; },
      [](ScheduleSpec& spec) { spec.when = "soon"; },
      [](ScheduleSpec& spec) { spec.session.engine = "nobody"; },
      [](ScheduleSpec& spec) { spec.session.workdir = "here"; },
      [](ScheduleSpec& spec) { spec.run = RunKind::message; },
      [](ScheduleSpec& spec) { spec.to = support::kSession; },
      [](ScheduleSpec& spec) { spec.kind = ScheduleKind::cron, spec.when = "0 0 31 2 *"; },
      [](ScheduleSpec& spec) { spec.kind = ScheduleKind::at, spec.when = "1970-01-01 00:00"; },
  };
  for (std::size_t i = 0; i < invalid.size(); ++i) {
    CAPTURE(i);
    CHECK(refused(invalid[i]) == RejectionCode::invalid);
  }
  AddSchedule add{every_minute()};
  add.spec.name = "new";
  CHECK(s.one<ScheduleAdded>(add).next_due == seconds(61));
}

TEST_CASE("one that is over makes room for a new one", "[schedules]") {
  auto spec = every_minute();
  spec.name = "first";
  Schedules s(spec);
  for (std::size_t i = 1; i < kSchedulesMax; ++i) {
    spec.name = "other-" + std::to_string(i);
    s.fold(kSchedules, ScheduleAdded{spec, seconds(60)});
  }
  AddSchedule add{every_minute()};
  CHECK(s.refusal(add) == RejectionCode::limit_reached);
  s.fold(kSchedules, ScheduleSkipped{"other-5", SkipReason::missed, seconds(60), 1, {}});
  const Decided decided = s.decide(SchedulesCommand(add));
  REQUIRE(decided);
  REQUIRE(decided->size() == 2);
  CHECK(decided->front().event == Event(ScheduleRemoved{"other-5"}));
}

TEST_CASE("a schedule that is removed goes once its run has an outcome", "[schedules][C30]") {
  for (const char* error : {"", "session_limit: no room"}) {
    Schedules s(every_minute());
    s.now = seconds(60);
    s.one<ScheduleFired>(s.fire());
    s.one<ScheduleRemoved>(RemoveSchedule{"often"});
    CHECK(s.schedule().is_removed);
    CHECK(s.schedule().next_due.us == 0);
    CHECK(s.refusal(RemoveSchedule{"often"}) == RejectionCode::not_found);
    CHECK(s.refusal(RunSchedule{"often", numbered<CommandId>(701)}) == RejectionCode::not_found);
    const Decided outcome = s.decide(SchedulesCommand(RecordRun{"often", kRun, error}));
    REQUIRE(outcome);
    REQUIRE(outcome->size() == 1);
    s.fold(kSchedules, outcome->front().event);
    CHECK(s.refusal(RemoveSchedule{"often"}) == RejectionCode::not_found);
    CHECK(s.count() == 0);
  }
}

TEST_CASE("a schedule whose run is over goes when it is removed", "[schedules]") {
  Schedules s(every_minute());
  s.one<ScheduleRemoved>(RemoveSchedule{"often"});
  CHECK(s.count() == 0);
}

TEST_CASE("heartbeats are not ended by their own wait, nor by a failure", "[schedules][R303]") {
  Schedules s(every_minute());
  AddSchedule add{every_minute()};
  add.spec.name = "beat";
  add.spec.run = RunKind::heartbeat;
  const auto added = s.one<ScheduleAdded>(add);
  CHECK(added.spec->session.is_multi_turn);
  CHECK(added.spec->session.continues_after_failure);
  CHECK(added.spec->session.idle_timeout < base::Duration{0});
  add.spec.name = "brief";
  add.spec.session.idle_timeout = std::chrono::minutes(5);
  CHECK(s.one<ScheduleAdded>(add).spec->session.idle_timeout == std::chrono::minutes(5));
}

TEST_CASE("heartbeats are left to a subagent only by an agent that can start one",
          "[schedules][R303]") {
  Schedules s(every_minute());
  AddSchedule add{every_minute()};
  add.spec.name = "beat";
  add.spec.run = RunKind::heartbeat;
  add.spec.uses_subagent = true;
  CHECK(s.one<ScheduleAdded>(add).spec->uses_subagent);
  add.spec.session.background = BackgroundTasks::forbid;
  CHECK(s.refusal(add) == RejectionCode::invalid);
  add.spec.name = "inlined";
  CHECK(s.refusal(add) == RejectionCode::invalid);
  add.spec.session.background = BackgroundTasks::inlined;
  CHECK(s.one<ScheduleAdded>(add).spec->uses_subagent);
  add.spec.name = "other";
  add.spec.run = RunKind::session;
  CHECK(s.refusal(add) == RejectionCode::invalid);
  add.spec.run = RunKind::message;
  add.spec.session = {};
  add.spec.to = support::kSession;
  s.open(add.spec.to, true);
  CHECK(s.refusal(add) == RejectionCode::invalid);
  add.spec.uses_subagent = false;
  CHECK(s.one<ScheduleAdded>(add).spec->to == add.spec.to);
}

TEST_CASE("a schedule's messages go to a session that takes prompts", "[schedules]") {
  Schedules s(every_minute());
  AddSchedule add{every_minute()};
  add.spec.name = "remind";
  add.spec.run = RunKind::message;
  add.spec.session = {};
  add.spec.to = support::kSession;
  CHECK(s.refusal(add) == RejectionCode::not_found);
  s.open(support::kSession, false);
  CHECK(s.refusal(add) == RejectionCode::not_accepting);
  add.spec.to = numbered<SessionId>(2);
  s.open(add.spec.to, true);
  CHECK(s.one<ScheduleAdded>(add).spec->to == add.spec.to);
  add.spec.name = "other";
  s.fold(session_stream("main", add.spec.to), CloseRequested{});
  CHECK(s.refusal(add) == RejectionCode::not_accepting);
}

TEST_CASE("a schedule that was planned by a clock that was ahead is planned anew", "[schedules]") {
  for (const ScheduleKind kind : {ScheduleKind::every, ScheduleKind::cron}) {
    auto spec = every_minute();
    spec.kind = kind;
    if (kind == ScheduleKind::cron) spec.when = "* * * * *";
    Schedules s(spec);
    s.now = seconds(1'000'000);
    s.one<ScheduleFired>(s.fire());
    s.one<RunTaken>(RecordRun{"often", kRun, {}});
    s.now = seconds(600);
    CHECK(is_planned_ahead(s.schedule(), s.now));
    s.one<ScheduleFired>(RunSchedule{"often", numbered<CommandId>(702)});
    s.one<RunTaken>(RecordRun{"often", numbered<CommandId>(702), {}});
    CHECK(is_planned_ahead(s.schedule(), s.now));
    FireSchedule anew = s.fire();
    anew.run = numbered<CommandId>(701);
    const auto planned = s.one<ScheduleSkipped>(anew);
    CHECK(planned.reason == SkipReason::clock);
    CHECK(planned.moments == 0);
    CHECK(planned.next_due == seconds(660));
    CHECK_FALSE(is_planned_ahead(s.schedule(), s.now));
    anew.due = s.schedule().next_due;
    CHECK(s.decide(SchedulesCommand(anew))->empty());  // it is not due yet
  }
}

TEST_CASE("messages are not piled up behind a failure", "[schedules][C21]") {
  auto spec = every_minute();
  spec.run = RunKind::message;
  spec.to = support::kSession;
  Schedules s(spec);
  s.open(support::kSession, true);
  s.fold(session_stream("main", support::kSession), QueuePaused{EndReason::turn_error});
  s.now = seconds(60);
  CHECK(s.one<ScheduleSkipped>(s.fire()).reason == SkipReason::overlap);
}

TEST_CASE("a run that is skipped behind a limit says which one, and until when",
          "[schedules][C21]") {
  for (const RunKind kind : {RunKind::session, RunKind::message}) {
    auto spec = every_minute();
    spec.run = kind;
    if (kind == RunKind::message) spec.to = kOpened;
    Schedules s(spec);
    s.now = seconds(60);
    if (kind == RunKind::session) {
      s.one<ScheduleFired>(s.fire());
      s.one<RunTaken>(RecordRun{"often", kRun, {}});
    }
    s.open(kOpened, kind == RunKind::message);
    s.fold(session_stream("main", kOpened), QueuePaused{EndReason::usage_limit, seconds(600)});
    s.now = seconds(120);
    FireSchedule next = s.fire();
    next.run = numbered<CommandId>(701);
    const auto skipped = s.one<ScheduleSkipped>(next);
    CHECK(skipped.reason == SkipReason::limit);
    CHECK(skipped.limit == EndReason::usage_limit);
    CHECK(skipped.until == seconds(600));
    CHECK(s.schedule().runs.back().limit == EndReason::usage_limit);
    CHECK(s.schedule().runs.back().until == seconds(600));
  }
}

TEST_CASE("a run that is skipped behind the day's budget says until when", "[schedules]") {
  Schedules s(every_minute());
  s.now = seconds(60);
  s.one<ScheduleFired>(s.fire());
  s.open(kOpened);
  s.one<RunTaken>(RecordRun{"often", kRun, {}});
  s.fold(session_stream("main", kOpened), QueuePaused{EndReason::daily_budget});
  s.now = seconds(120);
  FireSchedule next = s.fire();
  next.run = numbered<CommandId>(701);
  const auto skipped = s.one<ScheduleSkipped>(next);
  CHECK(skipped.limit == EndReason::daily_budget);
  CHECK(skipped.until == seconds(24 * 3600));
}

TEST_CASE("a schedule's channel is a place, or names none", "[schedules]") {
  auto spec = every_minute();
  spec.name = "other";
  Schedules s(every_minute());
  for (const char* channel : {"telegram|", "telegram||1", "|1"}) {
    spec.session.channel = std::string(channel);
    CHECK(s.refusal(AddSchedule{spec}) == RejectionCode::invalid);
  }
  spec.session.channel = std::string("telegram|1");
  CHECK(s.decide(SchedulesCommand(AddSchedule{spec})));
}

TEST_CASE("a time that was named is over when it has run, whatever the zone says by then",
          "[schedules]") {
  auto spec = every_minute();
  spec.kind = ScheduleKind::at;
  spec.when = "1970-01-01 02:00";  // by today's rules an hour later than it was planned
  Schedules s(spec);
  s.now = seconds(60);
  CHECK(s.one<ScheduleFired>(s.fire()).next_due.us == 0);
}

TEST_CASE("a server that does not know the zone leaves the schedule as it is", "[schedules]") {
  auto spec = every_minute();
  spec.kind = ScheduleKind::cron;
  spec.when = "* * * * *";
  spec.zone = "Mars/Olympus";
  Schedules s(spec);
  s.now = seconds(60);
  CHECK(s.refusal(s.fire()) == RejectionCode::refused);
  // Steps need no zone.
  spec = every_minute();
  spec.zone = "Mars/Olympus";
  Schedules steps(spec);
  steps.now = seconds(60);
  CHECK(steps.one<ScheduleFired>(steps.fire()).moments == 1);
}

}  // namespace
}  // namespace domain
