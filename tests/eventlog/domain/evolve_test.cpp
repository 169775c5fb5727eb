// Properties of evolve over histories made by decide: T2, T3, T4, T5 and T8 of the test plan.
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/all_events.hpp"

#include "eventlog/domain/event_codec.hpp"
#include "tests/support/random_value.hpp"
#include "tests/support/session_driver.hpp"

namespace domain {
namespace {

using support::SessionDriver;

constexpr std::uint64_t kSeeds = 60;
constexpr int kSteps = 400;

Bytes encode_state(const StreamState& state) {
  return std::visit([](const auto& s) { return base::encode(s); }, state);
}

// Decodes a state of the same kind as `like` from its bytes.
StreamState decode_state(const Bytes& bytes, const StreamState& like) {
  return std::visit(
      [&](const auto& s) -> StreamState {
        const auto state = base::decode<std::remove_cvref_t<decltype(s)>>(bytes);
        REQUIRE(state);
        return *state;
      },
      like);
}

Position inconsistent(const StreamState& state) {
  return std::visit(
      [](const auto& s) -> Position {
        if constexpr (requires { s.inconsistent; }) return s.inconsistent;
        return {};
      },
      state);
}

void check_session(const SessionState& s, const RegistryState& registry,
                   const AdmissionState& admission) {
  INFO("session " << s.session.text());
  REQUIRE((!s.turn || (is_live(s.status) && s.lease)));
  REQUIRE((!is_terminal(s.status) || (!s.turn && s.queue.empty())));
  REQUIRE((!s.lease || s.lease->token == s.last_token));
  const auto is_its = [&](const auto& name) { return name.second.session == s.session; };
  const auto given = std::count_if(admission.names.begin(), admission.names.end(), is_its);
  const auto made = std::count_if(admission.name_marks.begin(), admission.name_marks.end(), is_its);
  REQUIRE(given == (is_live(s.status) && !s.name.empty() ? 1 : 0));
  REQUIRE(made == (is_live(s.status) && s.name.empty() ? 1 : 0));
  const auto held = registry.names.find(s.name);
  REQUIRE((given == 1) == (held != registry.names.end() && held->second == s.session));
  REQUIRE(is_live(s.status) == admission.live.contains(s.session));
  const bool is_parked = admission.parked.contains(s.session);
  REQUIRE((!is_parked || (is_live(s.status) && !s.lease)));
  REQUIRE((is_parked || !is_live(s.status) || s.lease || has_work(s)));
  REQUIRE((s.pause == EndReason::session_limit) ==
          (std::count(admission.awaiting.begin(), admission.awaiting.end(), s.session) == 1));
  REQUIRE((s.queue.empty() || s.turn || !s.lease ||
           s.pause != EndReason::none));  // a held lease never lets a prompt wait idly
}

void check_invariants(const SessionDriver& driver) {
  const auto& registry =
      std::get<RegistryState>(driver.streams().at(SessionDriver::registry()).state);
  const auto& admission =
      std::get<AdmissionState>(driver.streams().at(SessionDriver::admission()).state);
  for (const auto& [name, stream] : driver.streams()) {
    INFO(name);
    REQUIRE(inconsistent(stream.state).value == 0);
    const auto* s = std::get_if<SessionState>(&stream.state);
    if (s != nullptr && s->status != SessionStatus::none) check_session(*s, registry, admission);
  }
}

TEST_CASE("whatever decide emits keeps every state consistent", "[session]") {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    SessionDriver driver(seed);
    for (int step = 0; step < kSteps; ++step) {
      INFO("step " << step);
      driver.step();
      check_invariants(driver);
    }
    accepted += driver.accepted();
    rejected += driver.rejected();
  }
  // The driver must reach both: a history with only refusals would prove nothing.
  CHECK(accepted > rejected);
  CHECK(rejected > 1000);
}

TEST_CASE("the histories reach every event of sessions, registry and admission", "[session]") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SessionDriver driver(seed);
    for (int step = 0; step < kSteps; ++step) driver.step();
    for (const auto& [name, stream] : driver.streams()) {
      for (const auto& event : stream.events) seen.insert(event.envelope.type);
    }
  }
  const std::set<std::string_view> of_server{
      "EpochStarted",     "ServerStarted",   "BackupBegun",     "BackupCompleted",
      "BackupForgotten",  "AnchorRequested", "AnchorMade",      "ArchiveBegun",
      "ArchiveCompleted", "LogTrimmed",      "ArchiveForgotten"};
  const std::set<std::string_view> of_deliveries{"NotificationDelivered", "NotificationFailed",
                                                 "NotificationDropped", "NotificationRetried"};
  const std::set<std::string_view> of_schedules{
      "ScheduleAdded", "ScheduleRemoved", "ScheduleFired",    "ScheduleSkipped", "RunTaken",
      "RunRefused",    "SchedulePaused",  "ScheduleUnpaused", "ScheduleEdited"};
  const std::set<std::string_view> of_rules{"RuleAdded", "RuleRemoved"};
  // conversation_story_test.cpp tells theirs.
  const auto is_of_conversations = [](std::string_view type) {
    return type.starts_with("Conversation") || type.starts_with("Lane") ||
           type.starts_with("Message") || type.starts_with("Steer") || type.starts_with("Label") ||
           type.starts_with("Directive") || type == "SessionLeft" || type == "LeftSessionSettled" ||
           type == "EntryChanged" || type == "ResetUndone" || type == "TaskWithdrawn";
  };
  for (const std::string_view type : event_types()) {
    if (of_server.contains(type) || of_deliveries.contains(type)) continue;
    if (of_rules.contains(type) || of_schedules.contains(type)) continue;
    if (type == "AdmissionMended" || is_of_conversations(type)) continue;
    INFO(type);
    CHECK(seen.contains(std::string(type)));
  }
}

TEST_CASE("a fold over events equals the fold over their decoded bytes", "[session]") {
  for (std::uint64_t seed = 1; seed <= kSeeds / 3; ++seed) {
    INFO("seed " << seed);
    SessionDriver driver(seed);
    for (int step = 0; step < kSteps; ++step) driver.step();
    for (const auto& [name, stream] : driver.streams()) {
      StreamState state = *initial_state(name);
      for (const RecordedEvent& event : stream.events) {
        auto back = decode_facts(encode_facts(event));
        REQUIRE(back);
        back->envelope.position = event.envelope.position;
        REQUIRE(*back == event);
        evolve(state, back->envelope, back->event);
      }
      REQUIRE((state == stream.state));
    }
  }
}

TEST_CASE("what leases need of a session is the same, folded alone or taken from its whole state",
          "[session]") {
  std::set<std::string> ended_by;
  for (std::uint64_t seed = 1; seed <= kSeeds / 3; ++seed) {
    INFO("seed " << seed);
    SessionDriver driver(seed);
    for (int step = 0; step < kSteps; ++step) driver.step();
    for (const auto& [name, stream] : driver.streams()) {
      if (!std::holds_alternative<SessionState>(stream.state)) continue;
      SessionState whole;
      LeaseState alone;
      for (const RecordedEvent& event : stream.events) {
        const bool was_leased = whole.lease.has_value();
        evolve(whole, event.envelope, event.event);
        evolve(alone, event.envelope, event.event);
        INFO(name << " at " << event.envelope.type);
        REQUIRE((alone == lease_state(whole)));
        REQUIRE(is_under_way(alone) == is_under_way(whole));
        if (was_leased && !whole.lease) ended_by.insert(event.envelope.type);
      }
    }
  }
  CHECK(ended_by == std::set<std::string>{"LeaseExpired", "LeaseReleased"});
}

TEST_CASE("what leases need is the same after impossible events, too", "[session]") {
  for (std::uint64_t seed = 1; seed <= kSeeds / 10; ++seed) {
    INFO("seed " << seed);
    SessionDriver driver(seed);
    base::SeededRandom random(seed);
    for (int step = 0; step < kSteps; ++step) driver.step();
    std::vector<RecordedEvent> events;  // of all sessions, as if of one, in any order
    for (const auto& [name, stream] : driver.streams()) {
      events.insert(events.end(), stream.events.begin(), stream.events.end());
    }
    SessionState whole;
    LeaseState alone;
    for (int i = 0; i < kSteps; ++i) {
      const RecordedEvent& event = events[random.below(events.size())];
      evolve(whole, event.envelope, event.event);
      evolve(alone, event.envelope, event.event);
      INFO(i << ", " << event.envelope.type);
      REQUIRE((alone == lease_state(whole)));
    }
    CHECK(whole.inconsistent.value > 0);
  }
}

TEST_CASE("a snapshot and the events behind it fold to the same state, at every cut", "[session]") {
  for (std::uint64_t seed = 1; seed <= kSeeds / 10; ++seed) {
    INFO("seed " << seed);
    SessionDriver driver(seed);
    for (int step = 0; step < kSteps; ++step) driver.step();
    for (const auto& [name, stream] : driver.streams()) {
      StreamState state = *initial_state(name);
      for (std::size_t cut = 0; cut <= stream.events.size(); ++cut) {
        StreamState tail = decode_state(encode_state(state), state);
        REQUIRE((tail == state));
        for (std::size_t i = cut; i < stream.events.size(); ++i) {
          evolve(tail, stream.events[i].envelope, stream.events[i].event);
        }
        INFO(name << " cut at " << cut);
        REQUIRE((tail == stream.state));
        if (cut < stream.events.size()) {
          evolve(state, stream.events[cut].envelope, stream.events[cut].event);
        }
      }
    }
  }
}

TEST_CASE("the same command twice is as once", "[session]") {
  for (std::uint64_t seed = 1; seed <= kSeeds / 3; ++seed) {
    INFO("seed " << seed);
    SessionDriver driver(seed);
    for (int step = 0; step < kSteps; ++step) {
      INFO("step " << step);
      SessionDriver::Sent sent = driver.step();
      const auto& own = std::get<SessionCommand>(sent.command);
      // A repeated grant or expiry is refused if the first one changed the lease, and so is a
      // conclusion about what has one.
      const bool is_once = std::holds_alternative<GrantLease>(own) ||
                           std::holds_alternative<ExpireLease>(own) ||
                           std::holds_alternative<ConcludeHooks>(own) ||
                           std::holds_alternative<AnswerAsEarlier>(own);
      if (!sent.is_accepted || sent.events == 0) continue;
      SessionDriver::Sent again = sent;
      driver.send(again);
      REQUIRE(again.events == 0);
      const auto* report = std::get_if<LeaseReport>(&own);
      const auto& state =
          std::get<SessionState>(driver.streams().at(SessionDriver::stream_of(sent.session)).state);
      const bool has_ended_lease = report != nullptr && !state.lease;
      // One that found no place waits for it all the same.
      const bool is_repeatable = !is_once || state.pause == EndReason::session_limit;
      REQUIRE(again.is_accepted == (is_repeatable && !has_ended_lease));
    }
  }
}

TEST_CASE("after a lease no event carries an older token", "[session]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    SessionDriver driver(seed);
    for (int step = 0; step < kSteps; ++step) driver.step();
    for (const auto& [name, stream] : driver.streams()) {
      if (!std::holds_alternative<SessionState>(stream.state)) continue;
      FencingToken granted;
      for (const RecordedEvent& event : stream.events) {
        if (const auto* lease = event.event.as<LeaseGranted>()) {
          REQUIRE(lease->token > granted);
          granted = lease->token;
        }
        if (event.envelope.token.value != 0) REQUIRE(event.envelope.token == granted);
        domain::visit(
            [&](const auto& e) {
              if constexpr (requires { e.token; }) REQUIRE(e.token == granted);
            },
            event.event);
      }
    }
  }
}

TEST_CASE("an impossible event marks the state and changes nothing else", "[session]") {
  base::SeededRandom random(21);
  support::RandomValue values(random, false);
  for (int round = 0; round < 5000; ++round) {
    INFO("seed 21, round " << round);
    SessionState state;
    for (const auto& fact : support::running()) {
      if (fact.stream.empty()) evolve(state, {}, fact.event);
    }
    const auto types = event_types();
    Event event = *make_event(types[random.below(types.size())]);
    domain::visit([&](auto& e) { values.fill(e); }, event);
    Envelope envelope;
    envelope.position = {50};
    envelope.actor_kind = ActorKind::server;
    SessionState next = state;
    evolve(next, envelope, event);
    if (next.inconsistent.value == 0) continue;
    REQUIRE(next.inconsistent == Position{50});
    next.inconsistent = {};
    REQUIRE(next == state);
  }
}

TEST_CASE("the first impossible event stays the one that is named", "[session]") {
  SessionState state;
  for (std::int64_t position = 5; position < 8; ++position) {
    Envelope envelope;
    envelope.position = {position};
    evolve(state, envelope, Event(CloseRequested{}));
  }
  CHECK(state.inconsistent == Position{5});
}

TEST_CASE("random states come back from their bytes", "[session]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    base::SeededRandom random(seed);
    support::RandomValue values(random, false);
    for (StreamState state : {StreamState(SessionState{}), StreamState(RegistryState{}),
                              StreamState(AdmissionState{}), StreamState(ServerState{})}) {
      std::visit([&](auto& s) { values.fill(s); }, state);
      REQUIRE((decode_state(encode_state(state), state) == state));
    }
  }
}

TEST_CASE("a server's start is folded into epoch and term", "[session]") {
  StreamState state = *initial_state(kServerStream);
  Envelope own;
  own.actor_kind = ActorKind::server;
  evolve(state, own, Event(EpochStarted{3, "restored"}));
  evolve(state, own, Event(ServerStarted{{}, 9, "0.1.0"}));
  CHECK((state == StreamState(ServerState{3, 9, {}})));
}

TEST_CASE("the last requests of operators are remembered with where they are on the record",
          "[session]") {
  ServerState state;
  const auto last = static_cast<std::int64_t>(kRequestsMax) + 5;
  for (std::int64_t i = 1; i <= last; ++i) {
    Envelope envelope;
    envelope.position = {i};
    envelope.command = support::numbered<CommandId>(static_cast<int>(i));
    evolve(state, envelope, Event(BackupBegun{"a", "/srv/a"}));
  }
  REQUIRE(state.requests.size() == kRequestsMax);
  CHECK(state.requests.front().position == Position{6});
  CHECK(state.requests.back().command == support::numbered<CommandId>(static_cast<int>(last)));
}

TEST_CASE("the backups that erasures reach into are those that were begun and not forgotten",
          "[session]") {
  StreamState state = *initial_state(kServerStream);
  Envelope envelope;
  envelope.position = {7};
  evolve(state, envelope, Event(BackupBegun{"one", "/one"}));
  evolve(state, envelope, Event(BackupBegun{"two", "/two"}));
  evolve(state, {}, Event(BackupCompleted{"one", {6}}));
  const auto& backups = std::get<ServerState>(state).backups;
  CHECK((backups.at("one") == NamedBackup{"/one", {7}, {6}}));
  CHECK((backups.at("two") == NamedBackup{"/two", {7}, {}}));
  evolve(state, {}, Event(BackupForgotten{"two"}));
  evolve(state, {}, Event(BackupForgotten{"nobody"}));
  evolve(state, {}, Event(BackupCompleted{"nobody", {6}}));
  CHECK(backups.size() == 1);
}

TEST_CASE("the last anchor on the record is known, and where", "[session]") {
  StreamState state = *initial_state(kServerStream);
  Envelope envelope;
  envelope.position = {7};
  AnchorMade made;
  made.key[0] = 1;
  evolve(state, envelope, Event(made));
  envelope.position = {9};
  made.key[0] = 2;
  evolve(state, envelope, Event(made));
  CHECK((std::get<ServerState>(state).anchor == MadeAnchor{{9}, made}));
}

TEST_CASE("archives are known from their beginning on, and what was trimmed stays so",
          "[session]") {
  StreamState state = *initial_state(kServerStream);
  const auto& server = std::get<ServerState>(state);
  Envelope envelope;
  envelope.position = {7};
  evolve(state, envelope, Event(ArchiveBegun{"one", "/one"}));
  CHECK((server.archives.at("one") == NamedArchive{"/one", {7}, {}, {}, false}));
  evolve(state, {}, Event(ArchiveCompleted{"one", {1}, {5}}));
  CHECK((server.archives.at("one") == NamedArchive{"/one", {7}, {1}, {5}, false}));
  CHECK(server.trimmed == Position{0});
  evolve(state, {}, Event(LogTrimmed{"one", {5}}));
  CHECK((server.archives.at("one") == NamedArchive{"/one", {7}, {1}, {5}, true}));
  evolve(state, {}, Event(ArchiveForgotten{"one"}));
  evolve(state, {}, Event(ArchiveForgotten{"nobody"}));
  evolve(state, {}, Event(ArchiveCompleted{"nobody", {1}, {9}}));
  CHECK(server.archives.empty());
  CHECK(server.trimmed == Position{5});
}

}  // namespace
}  // namespace domain
