// A descriptor is kept as it was said, checked, and inherited. Notifications follow it.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::given;
using support::kSession;
using support::kToken;
using support::numbered;
using support::turn;

constexpr auto kParent = numbered<SessionId>(50);
const std::string kParentStream = session_stream("main", kParent);

Descriptor user() {
  return {DescriptorKind::user, "telegram", "alice", "42", {}, {}};
}
Descriptor subagent() {
  return {DescriptorKind::subagent, {}, {}, {}, {}, kParent};
}
Descriptor scheduled(DescriptorKind kind) {
  return {kind, {}, {}, {}, "nightly", {}};
}

Spawn spawn_for(const Descriptor& descriptor) {
  Spawn spawn;
  spawn.spec = support::sample_spec(true);
  spawn.prompt = "work on it";
  spawn.descriptor = descriptor;
  return spawn;
}

std::vector<Fact> parent_of(const Descriptor& descriptor) {
  SessionOpened opened = support::opened();
  opened.session = kParent;
  opened.descriptor = descriptor;
  return {Fact(opened).on(kParentStream)};
}

Decided decide_spawn(const std::vector<Fact>& past, const Descriptor& descriptor) {
  support::Given world = given(past);
  return world.streams.decide(support::as_command(spawn_for(descriptor)), world.context);
}

TEST_CASE("a descriptor is written in the session's first event", "[session][R295][R296][R297]") {
  for (const Descriptor& descriptor : {user(), scheduled(DescriptorKind::cron),
                                       scheduled(DescriptorKind::heartbeat), Descriptor{}}) {
    const Decided decided = decide_spawn({}, descriptor);
    REQUIRE(decided);
    const auto& opened = decided->front().event.get<SessionOpened>();
    CHECK(opened.descriptor == descriptor);
    SessionState state;
    evolve(state, Envelope{}, opened);
    CHECK(state.descriptor == descriptor);
  }
}

TEST_CASE("a session of nobody is not taken for anybody's", "[session][R299]") {
  const Decided decided = decide_spawn({}, {});
  REQUIRE(decided);
  CHECK(decided->front().event.get<SessionOpened>().descriptor->kind == DescriptorKind::none);
}

TEST_CASE("a subagent has a live parent that is none itself", "[session][R302][R306]") {
  for (const Descriptor& of : {user(), scheduled(DescriptorKind::cron),
                               scheduled(DescriptorKind::heartbeat), Descriptor{}}) {
    CHECK(decide_spawn(parent_of(of), subagent()));
  }
  const auto refusal = [](const std::vector<Fact>& past, const Descriptor& descriptor) {
    const Decided decided = decide_spawn(past, descriptor);
    REQUIRE_FALSE(decided);
    return decided.error().code;
  };
  CHECK(refusal({}, subagent()) == RejectionCode::not_found);
  Descriptor nested = subagent();
  nested.parent = numbered<SessionId>(51);
  CHECK(refusal(parent_of(nested), subagent()) == RejectionCode::invalid);
  auto ended = parent_of(user());
  ended.push_back(Fact(SessionClosed{SessionStatus::killed, EndReason::user}).on(kParentStream));
  CHECK(refusal(ended, subagent()) == RejectionCode::session_ended);
}

TEST_CASE("a descriptor has the fields of its kind and no others", "[session][R295]") {
  const auto refused = [](Descriptor descriptor, auto change) {
    change(descriptor);
    const Decided decided = decide_spawn(parent_of(user()), descriptor);
    return !decided && decided.error().code == RejectionCode::invalid;
  };
  CHECK(refused(user(), [](Descriptor& d) { d.user.clear(); }));
  CHECK(refused(user(), [](Descriptor& d) { d.connector.clear(); }));
  CHECK(refused(user(), [](Descriptor& d) { d.channel.clear(); }));
  CHECK(refused(user(), [](Descriptor& d) { d.task = "nightly"; }));
  CHECK(refused(user(), [](Descriptor& d) { d.parent = kParent; }));
  CHECK(refused(subagent(), [](Descriptor& d) { d.parent = {}; }));
  CHECK(refused(subagent(), [](Descriptor& d) { d.channel = "42"; }));
  CHECK(refused(scheduled(DescriptorKind::cron), [](Descriptor& d) { d.task.clear(); }));
  CHECK(refused({}, [](Descriptor& d) { d.parent = kParent; }));
  CHECK(refused(user(), [](Descriptor& d) { d.connector = "a/b"; }));
  CHECK(refused(user(), [](Descriptor& d) { d.connector = "a|b"; }));
  CHECK(refused(user(), [](Descriptor& d) { d.user = "a/b"; }));
  CHECK_FALSE(decide_spawn({}, [] {
    Descriptor d = user();
    d.user = std::string(257, 'x');
    return d;
  }()));
}

TEST_CASE("notifications of a user's session go to where the user talks", "[session][R309]") {
  const Decided decided = decide_spawn({}, user());
  REQUIRE(decided);
  CHECK(decided->front().event.get<SessionOpened>().spec->channel == "telegram|42");
  Spawn elsewhere = spawn_for(user());
  elsewhere.origin_channel = "slack|7";
  support::Given world = given(std::vector<Fact>{});
  const Decided other = world.streams.decide(support::as_command(elsewhere), world.context);
  REQUIRE(other);
  CHECK(other->front().event.get<SessionOpened>().spec->channel == "slack|7");
}

TEST_CASE("a session that is resumed is for what the other one was", "[session][R298]") {
  auto past = parent_of(user());
  past.push_back(Fact(AgentInitialized{"agent-session", "model", "1"}).on(kParentStream));
  past.push_back(Fact(SessionClosed{SessionStatus::killed, EndReason::user}).on(kParentStream));
  Spawn resume = spawn_for({});
  resume.resume = kParent;
  support::Given world = given(past);
  const Decided decided = world.streams.decide(support::as_command(resume), world.context);
  REQUIRE(decided);
  const auto opened = std::find_if(decided->begin(), decided->end(), [](const Emitted& emitted) {
    return emitted.event.is<SessionOpened>();
  });
  REQUIRE(opened != decided->end());
  CHECK(opened->event.get<SessionOpened>().descriptor == user());
}

TEST_CASE("a session that goes on with a scheduled one is nobody's schedule", "[session][R303]") {
  for (const DescriptorKind kind : {DescriptorKind::cron, DescriptorKind::heartbeat}) {
    auto past = parent_of(scheduled(kind));
    past.front().event.get<SessionOpened>().spec.edit().idle_timeout = base::Duration{-1};
    past.push_back(Fact(AgentInitialized{"agent-session", "model", "1"}).on(kParentStream));
    past.push_back(Fact(SessionClosed{SessionStatus::killed, EndReason::user}).on(kParentStream));
    Spawn resume = spawn_for({});
    resume.resume = kParent;
    support::Given world = given(past);
    world.context.limits.idle_timeout = std::chrono::minutes(30);
    const Decided decided = world.streams.decide(support::as_command(resume), world.context);
    REQUIRE(decided);
    for (const Emitted& emitted : *decided) {
      const auto* opened = emitted.event.as<SessionOpened>();
      if (opened == nullptr) continue;
      CHECK(opened->descriptor == Descriptor{});
      CHECK(opened->spec->idle_timeout == std::chrono::minutes(30));
    }
  }
}

// ---- who is told ----

std::vector<Fact> running_for(const Descriptor& descriptor, bool is_multi_turn = true) {
  auto past = support::running(is_multi_turn);
  past.front().event.get<SessionOpened>().descriptor = descriptor;
  return past;
}

// Returns the requests that the command's decision makes, as "kind target".
std::vector<std::string> requests(const std::vector<Fact>& past, const Command& command,
                                  std::initializer_list<NotificationTarget> sinks) {
  support::Given world = given(past);
  world.context.limits.sinks.fill(false);
  for (const NotificationTarget sink : sinks) {
    world.context.limits.sinks[static_cast<std::size_t>(sink)] = true;
  }
  const Decided decided = world.streams.decide(command, world.context);
  REQUIRE(decided);
  std::vector<std::string> made;
  for (const Emitted& emitted : *decided) {
    const auto* request = emitted.event.as<NotificationRequested>();
    if (request == nullptr) continue;
    const bool is_parent = request->target == NotificationTarget::parent;
    CHECK(request->parent == (is_parent ? kParent : SessionId{}));
    made.push_back(std::string(base::enum_name(request->kind)) + " " +
                   std::string(base::enum_name(request->target)));
  }
  return made;
}

using Made = std::vector<std::string>;
const Command kWorkerLost = support::as_command(ExpireLease{kToken, turn(1)});
constexpr auto kSystem = NotificationTarget::system;
constexpr auto kToParent = NotificationTarget::parent;

TEST_CASE("whoever has a session hears that its turn was lost", "[session][R309][R317]") {
  CHECK(requests(running_for(user()), kWorkerLost, {kSystem}) == Made{"cut_off system"});
  CHECK(requests(running_for({}), kWorkerLost, {kSystem}) == Made{"cut_off system"});
  CHECK(requests(running_for(user(), false), kWorkerLost, {kSystem}) == Made{"failed system"});
}

TEST_CASE("nobody hears of a scheduled run that was lost", "[session][R310][R311]") {
  for (const DescriptorKind kind : {DescriptorKind::cron, DescriptorKind::heartbeat}) {
    for (const bool is_multi_turn : {false, true}) {
      CHECK(requests(running_for(scheduled(kind), is_multi_turn), kWorkerLost, {kSystem}).empty());
    }
    CHECK(requests(running_for(scheduled(kind)), support::as_command(KillSession{}), {kSystem}) ==
          Made{"killed system"});
  }
}

TEST_CASE("a parent hears what becomes of its subagent", "[session][R312][R316]") {
  CHECK(requests(running_for(subagent()), kWorkerLost, {kToParent}) == Made{"cut_off parent"});
  CHECK(requests(running_for(subagent(), false), kWorkerLost, {kToParent}) ==
        Made{"failed parent"});
  CHECK(requests(running_for(subagent()), support::as_command(KillSession{}), {kToParent}) ==
        Made{"killed parent"});
  ReportTurnResult result;
  result.turn = turn(1);
  CHECK(requests(running_for(subagent()), support::as_command(support::report(3, result)),
                 {kToParent}) == Made{"waiting parent"});
  CHECK(requests(running_for(user()), kWorkerLost, {kToParent}).empty());
}

TEST_CASE("nobody hears that heartbeats wait for the next one", "[session][R303]") {
  ReportTurnResult result;
  result.turn = turn(1);
  const Command done = support::as_command(support::report(3, result));
  const auto heartbeat = scheduled(DescriptorKind::heartbeat);
  CHECK(requests(running_for(heartbeat), done, {kSystem}).empty());
  CHECK(requests(running_for(scheduled(DescriptorKind::cron)), done, {kSystem}) ==
        Made{"waiting system"});
  SessionState state;
  Envelope envelope;
  for (const Fact& past : running_for(heartbeat)) {
    envelope.position = envelope.position.next();
    envelope.version = envelope.version.next();
    evolve(state, envelope, past.event);
  }
  evolve(state, envelope, TurnFinished{turn(1), {}});
  CHECK(is_waiting_for_input(state));
  CHECK(attention_of(state) == Attention::none);
}

TEST_CASE("a parent is not told what it can do nothing about", "[session]") {
  CHECK(requests(running_for(subagent()),
                 support::as_command(support::report(3, AgentSilenceReported{turn(1), false})),
                 {kSystem, kToParent}) == Made{"stuck system"});
}

}  // namespace
}  // namespace domain
