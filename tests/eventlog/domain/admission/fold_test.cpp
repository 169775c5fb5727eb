// Each event changes these fields of the states of admission, registry and log, and no others.
#include <functional>

#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/evolve.hpp"
#include "tests/support/given_when_then.hpp"

namespace domain {
namespace {

using support::numbered;

const auto kOne = numbered<SessionId>(1);
const auto kTwo = numbered<SessionId>(2);
const auto kThree = numbered<SessionId>(3);

// A state that events are folded into, each of which changes what is said and nothing else.
template <class State>
struct Folded {
  State state;
  Envelope envelope;

  void fold(const Event& event, const std::function<void(State&)>& change) {
    envelope.position = envelope.position.next();
    State expected = state;
    change(expected);
    evolve(state, envelope, event);
    INFO("at " << envelope.position.value);
    REQUIRE(state.inconsistent == expected.inconsistent);
    REQUIRE((state == expected));
  }
  void refuses(const Event& event) const {
    Folded other = *this;
    other.fold(event, [&](State& s) { s.inconsistent = envelope.position.next(); });
  }
};

// Session one is live, of agent "main", under a given name.
Folded<AdmissionState> one_admitted() {
  Folded<AdmissionState> world;
  const std::string alias = alias_of(kOne, 0);
  world.fold(SessionAdmitted{kOne, "main", alias, "name", 0}, [&](AdmissionState& s) {
    s.first = kOne;
    s.live = {{kOne, "main"}};
    s.names = {{"name", {kOne, alias}}};
    s.next_alias = 1;
  });
  return world;
}

TEST_CASE("a live session's new name takes the place of its former one", "[session]") {
  Folded<AdmissionState> world = one_admitted();
  const std::string alias = alias_of(kOne, 0);
  world.refuses(NameChanged{kTwo, alias, "new"});
  world.refuses(NameChanged{kOne, alias, "name"});
  world.fold(NameChanged{kOne, alias, "new"}, [&](AdmissionState& s) {
    s.names = {{"new", {kOne, alias}}};
  });
}

TEST_CASE("admission knows who lives, under which name and alias", "[session]") {
  Folded<AdmissionState> world = one_admitted();
  const std::string alias = alias_of(kOne, 1);
  world.fold(SessionAdmitted{kTwo, "other", alias, {}, 7}, [&](AdmissionState& s) {
    s.live.emplace(kTwo, "other");
    s.name_marks = {{7, {kTwo, alias}}};
    s.next_alias = 2;
  });
  world.fold(SessionReleased{kOne, false}, [](AdmissionState& s) {
    s.live.erase(kOne);
    s.names.clear();
  });
  world.refuses(SessionReleased{kOne, false});
  world.refuses(SessionSettled{kOne});
  world.fold(SessionReleased{kTwo, true}, [](AdmissionState& s) {
    s.live.clear();
    s.name_marks.clear();
    s.unsettled = {{kTwo, "other"}};
  });
  world.refuses(SessionSettled{kOne});
  world.fold(SessionSettled{kTwo}, [](AdmissionState& s) { s.unsettled.clear(); });
  world.refuses(SessionSettled{kTwo});
}

TEST_CASE("a session that is parked takes no place, and gets the next one in its turn",
          "[session][R026]") {
  Folded<AdmissionState> world = one_admitted();
  world.fold(SessionAdmitted{kTwo, "main", alias_of(kOne, 1), {}, 0}, [](AdmissionState& s) {
    s.live.emplace(kTwo, "main");
    s.next_alias = 2;
  });
  world.refuses(SessionParked{kThree});
  world.refuses(SessionUnparked{kOne});
  world.refuses(PlaceAwaited{kOne});
  world.fold(SessionParked{kTwo}, [](AdmissionState& s) { s.parked = {kTwo}; });
  world.refuses(SessionParked{kTwo});
  CHECK(places_taken(world.state) == 1);
  world.fold(PlaceAwaited{kTwo}, [](AdmissionState& s) { s.awaiting = {kTwo}; });
  world.refuses(PlaceAwaited{kTwo});
  CHECK(has_place(world.state, kOne, 1));
  CHECK_FALSE(has_place(world.state, kTwo, 1));
  CHECK(has_place(world.state, kTwo, 2));
  CHECK_FALSE(has_place(world.state, kThree, 2));
  world.fold(SessionParked{kTwo}, [](AdmissionState& s) { s.awaiting.clear(); });
  world.fold(SessionUnparked{kTwo}, [](AdmissionState& s) { s.parked.clear(); });
  world.fold(SessionParked{kOne}, [](AdmissionState& s) { s.parked = {kOne}; });
  world.fold(PlaceAwaited{kOne}, [](AdmissionState& s) { s.awaiting = {kOne}; });
  world.fold(SessionReleased{kOne, false}, [](AdmissionState& s) {
    s.live.erase(kOne);
    s.names.clear();
    s.parked.clear();
    s.awaiting.clear();
  });
}

TEST_CASE("no session is admitted twice, nor under what another one has", "[session]") {
  Folded<AdmissionState> world = one_admitted();
  const std::string next = alias_of(kOne, 1);
  world.refuses(SessionAdmitted{kOne, "main", next, "fresh", 0});
  world.refuses(SessionAdmitted{kTwo, "main", next, "name", 0});
  world.refuses(SessionAdmitted{kTwo, "main", alias_of(kOne, 0), "fresh", 0});
  world.fold(SessionAdmitted{kTwo, "main", next, {}, 7}, [&](AdmissionState& s) {
    s.live.emplace(kTwo, "main");
    s.name_marks = {{7, {kTwo, next}}};
    s.next_alias = 2;
  });
  world.refuses(SessionAdmitted{kThree, "main", alias_of(kOne, 2), {}, 7});
  // Sessions without a name, as older releases admitted them, are in nobody's way.
  world.fold(SessionAdmitted{kThree, "main", alias_of(kOne, 2), {}, 0}, [](AdmissionState& s) {
    s.live.emplace(kThree, "main");
    s.next_alias = 3;
  });
}

TEST_CASE("aliases that come out of turn are remembered until their turn has come", "[session]") {
  Folded<AdmissionState> world;
  const auto admit = [&](int session, const std::string& alias) {
    return SessionAdmitted{numbered<SessionId>(session), "main", alias, {}, 0};
  };
  const auto live = [](AdmissionState& s, int session) {
    s.live.emplace(numbered<SessionId>(session), "main");
  };
  world.fold(admit(1, "drawn"), [&](AdmissionState& s) {
    live(s, 1);
    s.first = kOne;
    s.aliases = {"drawn"};
  });
  const auto alias = [](std::int64_t number) { return alias_of(kOne, number); };
  world.fold(admit(2, alias(1)), [&](AdmissionState& s) {
    live(s, 2);
    s.aliases.insert(alias(1));
  });
  world.refuses(admit(9, alias(1)));
  world.refuses(admit(9, "drawn"));
  CHECK(free_alias(world.state, kOne) == 0);
  world.fold(admit(3, alias(0)), [&](AdmissionState& s) {
    live(s, 3);
    s.next_alias = 1;
  });
  CHECK(free_alias(world.state, kOne) == 2);
  // The one that was given out of turn is covered by the count now.
  world.fold(admit(4, alias(2)), [&](AdmissionState& s) {
    live(s, 4);
    s.next_alias = 3;
    s.aliases = {"drawn"};
  });
  for (const std::int64_t taken : {0, 1, 2}) world.refuses(admit(9, alias(taken)));
}

TEST_CASE("a registry knows names and resumed agent sessions by their holders", "[session]") {
  Folded<RegistryState> world;
  world.fold(NameClaimed{kOne, "name", "agent-session"}, [](RegistryState& s) {
    s.names = {{"name", kOne}};
    s.agent_sessions = {{"agent-session", kOne}};
  });
  world.fold(NameClaimed{kTwo, {}, "other"},
             [](RegistryState& s) { s.agent_sessions.emplace("other", kTwo); });
  world.fold(NameClaimed{kThree, "third", {}},
             [](RegistryState& s) { s.names.emplace("third", kThree); });
  world.refuses(NameClaimed{kTwo, "name", {}});
  world.refuses(NameClaimed{kThree, {}, "other"});
  world.refuses(NameReleased{kTwo, "name"});
  world.refuses(NameReleased{kOne, "unknown"});
  world.refuses(AgentSessionReleased{kOne, "other"});
  world.refuses(AgentSessionReleased{kOne, "unknown"});
  world.fold(NameReleased{kOne, "name"}, [](RegistryState& s) { s.names.erase("name"); });
  world.fold(AgentSessionReleased{kTwo, "other"},
             [](RegistryState& s) { s.agent_sessions.erase("other"); });
  world.refuses(NameReleased{kOne, "name"});
  world.refuses(AgentSessionReleased{kTwo, "other"});
}

// Operators' requests and what was made of them; `requests` is tried with its bound elsewhere.
TEST_CASE("the log's own stream knows its copies, anchors and requests", "[server]") {
  Folded<ServerState> world;
  world.envelope.actor_kind = ActorKind::server;
  world.fold(EpochStarted{3, "restored"}, [](ServerState& s) { s.epoch_counter = 3; });
  world.fold(ServerStarted{{}, 9, "0.1.0"}, [](ServerState& s) { s.writer_term = 9; });
  world.envelope.actor_kind = ActorKind::client;
  world.envelope.command = support::kCommand;
  world.envelope.command_digest = {4};
  const auto request = [&](ServerState& s) {
    s.requests.push_back({support::kCommand, {4}, world.envelope.position});
  };
  world.fold(AnchorRequested{}, [&](ServerState& s) {
    s.anchor_requested = world.envelope.position;
    request(s);
  });
  world.fold(BackupBegun{"b", "/b"}, [&](ServerState& s) {
    s.backups = {{"b", {"/b", world.envelope.position, {}}}};
    request(s);
  });
  world.fold(ArchiveBegun{"a", "/a"}, [&](ServerState& s) {
    s.archives = {{"a", {"/a", world.envelope.position, {}, {}, false}}};
    request(s);
  });
  world.envelope.actor_kind = ActorKind::server;
  AnchorMade made;
  made.key[0] = 1;
  world.fold(made, [&](ServerState& s) { s.anchor = MadeAnchor{world.envelope.position, made}; });
  world.fold(BackupCompleted{"b", {7}}, [](ServerState& s) { s.backups.at("b").through = {7}; });
  world.fold(ArchiveCompleted{"a", {2}, {5}}, [](ServerState& s) {
    s.archives.at("a").first = {2};
    s.archives.at("a").through = {5};
  });
  world.fold(LogTrimmed{"a", {5}}, [](ServerState& s) {
    s.archives.at("a").is_trimmed = true;
    s.trimmed = {5};
  });
  // The log stays trimmed, wherever an older archive ends.
  world.fold(LogTrimmed{"a", {4}}, [](ServerState&) {});
  for (const Event& unknown : {Event(BackupCompleted{"x", {7}}), Event(BackupForgotten{"x"}),
                               Event(ArchiveCompleted{"x", {1}, {2}}), Event(LogTrimmed{"x", {9}}),
                               Event(ArchiveForgotten{"x"}), Event(TurnQueued{})}) {
    world.refuses(unknown);
  }
  world.fold(BackupForgotten{"b"}, [](ServerState& s) { s.backups.clear(); });
  world.fold(ArchiveForgotten{"a"}, [](ServerState& s) { s.archives.clear(); });
  CHECK(known_command(world.state, support::kCommand)->position == Position{5});
  CHECK_FALSE(known_command(world.state, numbered<CommandId>(1)));
}

}  // namespace
}  // namespace domain
