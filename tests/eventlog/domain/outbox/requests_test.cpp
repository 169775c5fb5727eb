// A session's own decision requests its notifications.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kSession;
using support::kToken;
using support::turn;

const std::string kOutbox(kOutboxStream);
constexpr std::size_t kChannel = 0;
constexpr std::size_t kSystem = 1;

Limits sinks(std::initializer_list<std::size_t> targets) {
  Limits limits =
      support::context_of(support::session_ref("main", kSession), support::kCommand).limits;
  for (const std::size_t target : targets) limits.sinks[target] = true;
  return limits;
}

std::vector<Fact> with_channel(std::vector<Fact> past, std::string channel) {
  past.front().event.get<SessionOpened>().spec.edit().channel = std::move(channel);
  return past;
}

// Returns the requests that the command's decision makes, as "kind target".
std::vector<std::string> told(support::Given world, const Command& command) {
  const Decided decided = world.streams.decide(command, world.context);
  REQUIRE(decided);
  std::vector<std::string> requests;
  std::int64_t own = 0;
  for (const Emitted& emitted : *decided) {
    if (emitted.stream.empty()) ++own;
  }
  for (const Emitted& emitted : *decided) {
    const auto* request = emitted.event.as<NotificationRequested>();
    if (request == nullptr) continue;
    CHECK(emitted.stream == kOutbox);
    CHECK(request->session == kSession);
    CHECK(request->agent == "main");
    CHECK(request->alias == "alias000");
    CHECK(request->through == world.context.version.plus(own));
    requests.push_back(std::string(base::enum_name(request->kind)) + " " +
                       std::string(base::enum_name(request->target)));
  }
  return requests;
}

std::vector<std::string> told(const std::vector<Fact>& past, const Command& command,
                              const Limits& limits = sinks({kSystem})) {
  return told(given(past).with_limits(limits), command);
}

using Told = std::vector<std::string>;

Command result(bool is_error = false) {
  ReportTurnResult r;
  r.turn = turn(1);
  r.is_error = is_error;
  return support::as_command(support::report(3, r));
}

TEST_CASE("each kind of need and end is told", "[session][R039][R040][R066][R079][D10]") {
  CHECK(told(support::running(), result()) == Told{"waiting system"});
  CHECK(told(support::running(false), result()) == Told{"completed system"});
  CHECK(told(support::running(false), result(true)) == Told{"failed system"});
  CHECK(told(support::running(), support::as_command(KillSession{})) == Told{"killed system"});
  CHECK(told(support::running() + TurnQueued{turn(2)}, result(true)) == Told{"paused system"});
  ReportToolCallStarted call;
  call.turn = turn(1);
  call.call = "call";
  call.tool = "Bash";
  call.repeats = 12;
  auto limited = support::running();
  limited.front().event.get<SessionOpened>().spec.edit().repeated_calls_max = 12;
  CHECK(told(limited, support::as_command(support::report(3, call))) == Told{"stuck system"});
  CHECK(told(support::running(), support::as_command(support::report(
                                     3, AgentSilenceReported{turn(1)}))) == Told{"stuck system"});
}

TEST_CASE("an answer that was given elsewhere is told to the session's channel",
          "[session][R079]") {
  const auto past = with_channel(support::idle(), "telegram|1");
  SendPrompt said{"yes"};
  CHECK(told(past, support::as_command(said), sinks({kChannel, kSystem})) == Told{});
  said.is_echoed = true;
  CHECK(told(past, support::as_command(said), sinks({kChannel, kSystem})) ==
        Told{"responded channel"});
  said.channel = "telegram|1";
  CHECK(told(past, support::as_command(said), sinks({kChannel, kSystem})) == Told{});
}

TEST_CASE("nobody is told of a quiet kill", "[session][R041]") {
  CHECK(told(support::running(), support::as_command(KillSession{true})) == Told{});
}

TEST_CASE("a hook is woken where no channel is told, in place of the system command",
          "[session][R074]") {
  constexpr auto kWake = static_cast<std::size_t>(NotificationTarget::wake);
  CHECK(told(support::running(), result(), sinks({kSystem, kWake})) == Told{"waiting wake"});
  CHECK(told(with_channel(support::running(), "telegram|1"), result(),
             sinks({kChannel, kSystem, kWake})) == Told{"waiting channel", "waiting system"});
}

TEST_CASE("nobody is reminded of a session that a channel has in the foreground",
          "[session][R081]") {
  auto past = with_channel(support::running(), "telegram|1");
  past.front().event.get<SessionOpened>().spec.edit().remind_after = std::chrono::minutes(10);
  support::Given world = given();
  const auto fold = [&](const Fact& each) {
    Envelope envelope;
    envelope.log_time = Time{1'000'000};
    envelope.token = each.token;
    envelope.report_sequence = each.sequence;
    world.fold(each, envelope);
  };
  for (const Fact& each : past) fold(each);
  fold(fact(ForegroundChanged{"slack|2", true, {}}));
  world.context.now = Time{1'000'000} + std::chrono::minutes(10);
  CHECK(told(world.with_limits(sinks({kChannel})),
             support::as_command(PassDeadline{DeadlineKind::long_run})) == Told{});
}

TEST_CASE("an idle kill is told, and an agent that cannot start", "[session][D03][D04]") {
  auto idle = support::idle();
  idle.front().event.get<SessionOpened>().spec.edit().idle_timeout = std::chrono::minutes(30);
  support::Given world = given();
  for (const Fact& each : idle) {
    Envelope envelope;
    envelope.log_time = Time{1'000'000};
    envelope.token = each.token;
    envelope.report_sequence = each.sequence;
    world.fold(each, envelope);
  }
  world.context.now = Time{1'000'000} + std::chrono::minutes(30);
  CHECK(told(world.with_limits(sinks({kSystem})),
             support::as_command(PassDeadline{DeadlineKind::idle})) == Told{"killed system"});
  const auto tried = [](bool is_multi_turn) {
    return support::starting(is_multi_turn) + LeaseGranted{support::kWorker, kToken, {}} +
           TurnStarted{turn(1), kToken} + LeaseReleased{kToken} +
           TurnReturned{turn(1), 0, kStartsMax - 1} + LeaseGranted{support::kWorker, {2}, {}} +
           TurnStarted{turn(1), {2}};
  };
  const Command failed =
      support::as_command(support::report(1, ReportStartFailed{"no such program"}, 2));
  CHECK(told(tried(false), failed) == Told{"failed system"});
  CHECK(told(tried(true), failed) == Told{"paused system"});
}

TEST_CASE("nobody is told of what is no end and no need", "[session]") {
  CHECK(told(support::leased(),
             support::as_command(support::report(1, ReportAgentStarted{4711, 99}))) == Told{});
  CHECK(told(support::running() + TurnQueued{turn(2)}, result()) == Told{});
  CHECK(told(support::running() + AgentSilenceReported{turn(1)},
             support::as_command(support::report(3, AgentSilenceReported{turn(1), true}))) ==
        Told{});
}

TEST_CASE("a session that is over its budget is told so instead", "[session][R079][R031]") {
  auto past = support::running();
  past.front().event.get<SessionOpened>().spec.edit().budget = {1'000};
  ReportTurnResult r;
  r.turn = turn(1);
  r.spent = {{"model", {}, {1'000}}};
  r.basis = CostBasis::reported;
  CHECK(told(past, support::as_command(support::report(3, r))) == Told{"budget system"});
}

TEST_CASE("the kill of an ended session tells nobody again", "[session][C12][D11]") {
  CHECK(told(support::killed(), support::as_command(KillSession{})) == Told{});
}

TEST_CASE("without a sink nobody is told", "[session]") {
  CHECK(told(support::running(), result(), sinks({})) == Told{});
}

TEST_CASE("a channel needs two parts at least, and none of them empty",
          "[session][R072][R073][R074]") {
  const auto to = [](std::string channel) {
    return told(with_channel(support::running(), std::move(channel)), result(),
                sinks({kChannel, kSystem}));
  };
  CHECK(to("telegram|1234") == Told{"waiting channel", "waiting system"});
  CHECK(to("telegram|account|12|34") == Told{"waiting channel", "waiting system"});
  for (const char* none :
       {"", "unknown", "telegram", "telegram|", "|1234", "telegram||1234", "telegram|account|"}) {
    CHECK(to(none) == Told{"waiting system"});
  }
}

TEST_CASE("channels in the foreground are told, too, each once", "[session][R079][C12]") {
  auto past = with_channel(support::running(), "telegram|1234");
  past.push_back(ForegroundChanged{"slack|42", true, {}});
  past.push_back(ForegroundChanged{"slack|43", false, {}});
  past.push_back(ForegroundChanged{"terminal", true, {}});
  CHECK(told(past, result(), sinks({kChannel})) == Told{"waiting channel", "waiting channel"});
  past.push_back(ForegroundChanged{"telegram|1234", true, {}});
  CHECK(told(past, result(), sinks({kChannel})) == Told{"waiting channel", "waiting channel"});
}

TEST_CASE("an orchestrator is not reminded", "[session][R081]") {
  auto past = with_channel(support::running(), "telegram|1234");
  past.front().event.get<SessionOpened>().spec.edit().remind_after = std::chrono::minutes(10);
  support::Given world = given();
  for (const Fact& each : past) {
    Envelope envelope;
    envelope.log_time = Time{1'000'000};
    envelope.token = each.token;
    envelope.report_sequence = each.sequence;
    world.fold(each, envelope);
  }
  world.context.now = Time{1'000'000} + std::chrono::minutes(10);
  const auto command = support::as_command(PassDeadline{DeadlineKind::long_run});
  CHECK(told(world.with_limits(sinks({kChannel, kSystem})), command) == Told{"long_run channel"});
  world.fold(LongRunReached{});
  CHECK(told(world.with_limits(sinks({kChannel, kSystem})), command) == Told{});
}

constexpr Time kTold{1'000'000};

NotificationRequested waits(Time not_before = {}) {
  NotificationRequested request;
  request.session = kSession;
  request.target = NotificationTarget::system;
  request.not_before = not_before;
  return request;
}

// Decides at kTold + `time`; the outbox has had these requests at kTold.
Decision decided_after(base::Duration time, const std::vector<NotificationRequested>& requests,
                       const Command& command) {
  support::Given world = given(support::running());
  for (const NotificationRequested& request : requests) {
    Envelope envelope;
    envelope.log_time = kTold;
    world.fold(fact(request).on(kOutbox), envelope);
  }
  support::Given later = world.with_limits(sinks({kSystem}));
  later.context.now = kTold + time;
  const Decided decided = later.streams.decide(command, later.context);
  REQUIRE(decided);
  return *decided;
}

template <class E>
std::vector<E> all(const Decision& decision) {
  std::vector<E> found;
  for (const Emitted& emitted : decision) {
    if (const auto* one = emitted.event.as<E>()) found.push_back(*one);
  }
  return found;
}

TEST_CASE("a session that waits again at once is told of once five seconds have passed",
          "[session][R069][C13]") {
  const Time next = kTold + std::chrono::seconds(5);
  const auto soon = decided_after(std::chrono::milliseconds(4'999), {waits()}, result());
  REQUIRE(all<NotificationRequested>(soon).size() == 1);
  CHECK(all<NotificationRequested>(soon).front().not_before == next);
  const auto late = decided_after(std::chrono::seconds(5), {waits()}, result());
  REQUIRE(all<NotificationRequested>(late).size() == 1);
  CHECK(all<NotificationRequested>(late).front().not_before == Time{});
}

TEST_CASE("what is not due yet gives way to what comes later", "[session][R069][C13]") {
  const Time next = kTold + std::chrono::seconds(5);
  const auto again = decided_after(std::chrono::seconds(2), {waits(), waits(next)}, result());
  CHECK(all<NotificationDropped>(again).size() == 1);
  CHECK(all<NotificationDropped>(again).front().reason == DropReason::superseded);
  REQUIRE(all<NotificationRequested>(again).size() == 1);
  CHECK(all<NotificationRequested>(again).front().not_before == next);
  const auto killed = decided_after(std::chrono::seconds(2), {waits(), waits(next)},
                                    support::as_command(KillSession{}));
  CHECK(all<NotificationDropped>(killed).size() == 1);
  REQUIRE(all<NotificationRequested>(killed).size() == 1);
  CHECK(all<NotificationRequested>(killed).front().kind == NotificationKind::killed);
  CHECK(all<NotificationRequested>(killed).front().not_before == Time{});
}

TEST_CASE("a reminder takes nobody's place", "[session][R081]") {
  const Time next = kTold + std::chrono::seconds(5);
  support::Given world = given();
  auto past = support::running();
  past.front().event.get<SessionOpened>().spec.edit().remind_after = std::chrono::seconds(2);
  for (const Fact& each : past) {
    Envelope envelope;
    envelope.log_time = kTold;
    envelope.token = each.token;
    envelope.report_sequence = each.sequence;
    world.fold(each, envelope);
  }
  Envelope envelope;
  envelope.log_time = kTold;
  world.fold(fact(waits(next)).on(kOutbox), envelope);
  world.context.now = kTold + std::chrono::seconds(3);
  support::Given limited = world.with_limits(sinks({kSystem}));
  const Decided decided = limited.streams.decide(
      support::as_command(PassDeadline{DeadlineKind::long_run}), limited.context);
  REQUIRE(decided);
  CHECK(decided->size() == 1);
}

TEST_CASE("news that its place cannot hear yet gives way to later news, if it is of waiting",
          "[session][C11]") {
  support::Given world = given(support::running());
  NotificationRequested other;
  other.session = support::kSource;
  other.target = NotificationTarget::system;
  NotificationRequested own = other;
  own.session = kSession;
  Envelope envelope;
  envelope.log_time = kTold;
  for (const NotificationKind kind : {NotificationKind::waiting, NotificationKind::stuck}) {
    own.kind = kind;
    world.fold(fact(own).on(kOutbox), envelope);
  }
  world.fold(fact(other).on(kOutbox), envelope);
  const auto& outbox = world.streams.get<OutboxStream>(kOutbox);
  const Position waiting = outbox.open.begin()->first;
  const Position heard = outbox.open.rbegin()->first;
  world.context.now = kTold + std::chrono::seconds(1);
  Limits limits = sinks({kSystem});
  limits.told_per_minute = 1;
  const auto decide = [&] {
    support::Given limited = world.with_limits(limits);
    const Decided decided =
        limited.streams.decide(support::as_command(KillSession{}), limited.context);
    REQUIRE(decided);
    return *decided;
  };
  CHECK(all<NotificationDropped>(decide()).empty());
  world.fold(fact(NotificationDelivered{heard, true}).on(kOutbox), envelope);
  const auto dropped = all<NotificationDropped>(decide());
  REQUIRE(dropped.size() == 1);
  CHECK((dropped.front() == NotificationDropped{waiting, DropReason::superseded}));
}

ReportAskRaised asks(std::int64_t request, AskKind kind = AskKind::approval) {
  return {request, kind, turn(1), "Bash", "call", "{}"};
}

Limits with_request_hooks() {
  Limits limits = sinks({kSystem});
  limits.has_request_hooks = true;
  return limits;
}

TEST_CASE("people are told a moment later of an approval that hooks are asked about, too",
          "[session][R182]") {
  const auto not_before = [](AskKind kind, const Limits& limits) {
    support::Given world = given(support::running()).with_limits(limits);
    world.context.now = kTold;
    const Decided decided =
        world.streams.decide(support::as_command(support::report(3, asks(1, kind))), world.context);
    REQUIRE(decided);
    const auto requests = all<NotificationRequested>(*decided);
    REQUIRE(requests.size() == 1);
    return requests.front().not_before;
  };
  const Time later = kTold + std::chrono::seconds(2);
  CHECK(not_before(AskKind::approval, with_request_hooks()) == later);
  CHECK(not_before(AskKind::approval, sinks({kSystem})) == Time{});
  CHECK(not_before(AskKind::question, with_request_hooks()) == Time{});
}

TEST_CASE("people are not told of a request that is over before they are", "[session][R182]") {
  support::Given world =
      given(support::running() +
            fact(AskRaised{1, 1, AskKind::approval, turn(1), "Bash", "call"}).by_report(1, 3));
  NotificationRequested request;
  request.kind = NotificationKind::asks;
  request.session = kSession;
  request.target = NotificationTarget::system;
  request.through = world.session().asks->front().version;
  request.not_before = kTold + std::chrono::seconds(2);
  Envelope envelope;
  envelope.log_time = kTold;
  world.fold(fact(request).on(kOutbox), envelope);
  const auto dropped = [&](const Command& command, base::Duration time = std::chrono::seconds(1)) {
    support::Given limited = world.with_limits(with_request_hooks());
    limited.context.now = kTold + time;
    const Decided decided = limited.streams.decide(command, limited.context);
    REQUIRE(decided);
    return all<NotificationDropped>(*decided).size();
  };
  const Command granted = support::as_command(ConcludeHooks{1, AskVerdict::granted, {}, {}});
  CHECK(dropped(granted) == 1);
  CHECK(dropped(support::as_command(AnswerAsk{1, AskVerdict::denied, "no"})) == 1);
  CHECK(dropped(support::as_command(support::report(4, ReportAskClosed{1, true}))) == 1);
  CHECK(dropped(support::as_command(KillSession{})) == 1);
  KillSession quiet;
  quiet.is_quiet = true;
  CHECK(dropped(support::as_command(quiet)) == 1);
  // It is still to be answered.
  const HookRun passed{"a", HookOutcome::passed, {}, {}};
  CHECK(dropped(support::as_command(ConcludeHooks{1, AskVerdict::none, {}, {passed}})) == 0);
  CHECK(dropped(support::as_command(support::report(4, asks(2)))) == 0);
  // By then it is under way.
  CHECK(dropped(granted, std::chrono::seconds(2)) == 0);
}

TEST_CASE("beyond its bound the outbox drops one of the place that has the most",
          "[session][C11]") {
  support::Given world = given(support::running());
  NotificationRequested rare;
  rare.session = support::kSource;
  rare.channel = "telegram|1";
  world.fold(fact(rare).on(kOutbox));
  NotificationRequested request;
  request.session = support::kSource;
  request.target = NotificationTarget::system;
  request.kind = NotificationKind::completed;
  for (std::size_t i = 1; i < kNotificationsMax; ++i) world.fold(fact(request).on(kOutbox));
  const auto& outbox = world.streams.get<OutboxStream>(kOutbox);
  Position one = std::next(outbox.open.begin(), 2)->first;  // the first may be under way
  SECTION("the oldest but for the first") {}
  SECTION("one that was given up") {
    one = outbox.open.rbegin()->first;
    world.fold(fact(NotificationFailed{one, 8, "no answer", {}}).on(kOutbox));
  }
  const Decided decided =
      world.with_limits(sinks({kSystem}))
          .streams.decide(result(), world.with_limits(sinks({kSystem})).context);
  REQUIRE(decided);
  const auto dropped = std::find_if(decided->begin(), decided->end(), [](const Emitted& e) {
    return e.event.is<NotificationDropped>();
  });
  REQUIRE(dropped != decided->end());
  CHECK((dropped->event.get<NotificationDropped>() ==
         NotificationDropped{one, DropReason::overflow}));
}

std::vector<Fact> for_kind(std::vector<Fact> past, DescriptorKind kind) {
  Descriptor& descriptor = past.front().event.get<SessionOpened>().descriptor.edit();
  descriptor.kind = kind;
  descriptor.task = "nightly";
  return past;
}

TEST_CASE("a stop of Steno is told to the same people as its crash", "[session][R309][R310]") {
  ReportAgentExited stopped;
  stopped.is_stopped = stopped.has_run = true;
  stopped.given = turn(1);
  const Command stop = support::as_command(support::report(3, stopped));
  const Command crash = support::as_command(ExpireLease{kToken, turn(1)});
  const auto both = [&](const std::vector<Fact>& past) {
    const Told told_of_stop = told(past, stop);
    CHECK(told_of_stop == told(past, crash));
    return told_of_stop;
  };
  CHECK(both(support::running()) == Told{"cut_off system"});
  CHECK(both(support::running(false)) == Told{"failed system"});
  for (const DescriptorKind kind : {DescriptorKind::cron, DescriptorKind::heartbeat}) {
    CHECK(both(for_kind(support::running(), kind)).empty());
    CHECK(both(for_kind(support::running(false), kind)).empty());
  }
}

TEST_CASE("the loss of tasks in the background is told, unless there is worse", "[session]") {
  ReportAgentExited exited{1, 0, {}};
  exited.has_run = true;
  const Command exit = support::as_command(support::report(5, exited));
  const auto tasks = fact(TasksChanged{1, false, 0}).by_report(1, 4);
  CHECK(told(support::idle() + tasks, exit) == Told{"tasks_lost system"});
  exited.given = turn(1);
  CHECK(told(support::running() + fact(TasksChanged{1, false, 0}).by_report(1, 3),
             support::as_command(support::report(4, exited))) == Told{"turn_failed system"});
}

TEST_CASE("the first attempts to start an agent are told to nobody", "[session]") {
  const Command failed =
      support::as_command(support::report(1, ReportStartFailed{"no such program"}));
  CHECK(told(support::leased(), failed).empty());
}

}  // namespace
}  // namespace domain
