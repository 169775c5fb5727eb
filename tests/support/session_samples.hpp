// Pasts of a session with which many tests begin, and short names for their ids.
#pragma once

#include "tests/support/given_when_then.hpp"

namespace support {

constexpr auto kWorker = numbered<base::WorkerId>(1);
constexpr auto kSource = numbered<base::SessionId>(2);
const std::string kSourceStream = domain::session_stream("main", kSource);
constexpr base::FencingToken kToken{1};

constexpr base::TurnId turn(int number) {
  return numbered<base::TurnId>(number);
}
// The turn that the command under test queues.
constexpr base::TurnId kOwnTurn{kCommand.bytes};

inline domain::SessionSpec sample_spec(bool is_multi_turn) {
  domain::SessionSpec spec;
  spec.engine = "scripted";
  spec.workdir = "/srv/project";
  spec.is_multi_turn = is_multi_turn;
  return spec;
}

inline domain::SessionOpened opened(bool is_multi_turn = true) {
  return {kSession, "main",   "fix-bug", "alias000", {}, sample_spec(is_multi_turn),
          {},       kSession, {}};
}

inline domain::Spawn spawn_command() {
  domain::Spawn spawn;
  spawn.spec = sample_spec(true);
  spawn.prompt = "Go";
  return spawn;
}

// Spawned, with turn 1 in its queue and no lease yet.
inline std::vector<Fact> starting(bool is_multi_turn = true) {
  return {opened(is_multi_turn), domain::TurnQueued{turn(1)},
          fact(domain::NameClaimed{kSession, "fix-bug", {}}).on(kRegistry),
          fact(domain::SessionAdmitted{kSession, "main", "alias000"}).on(kAdmission)};
}

inline std::vector<Fact> operator+(std::vector<Fact> past, const Fact& more) {
  past.push_back(more);
  return past;
}

// The worker has turn 1, under token 1.
inline std::vector<Fact> leased(bool is_multi_turn = true) {
  return starting(is_multi_turn) + domain::LeaseGranted{kWorker, kToken, {}} +
         domain::TurnStarted{turn(1), kToken};
}

// The agent has initialized; the record has reports 1 and 2 of the lease.
inline std::vector<Fact> running(bool is_multi_turn = true) {
  return leased(is_multi_turn) + fact(domain::AgentStarted{4711, 99}).by_report(1, 1) +
         fact(domain::AgentInitialized{"agent-session", "model", "2.0"}).by_report(1, 2);
}

// Multi-turn and running, without work; report 3 ended turn 1.
inline std::vector<Fact> idle() {
  return running() + fact(domain::TurnFinished{turn(1), {}}).by_report(1, 3);
}

inline Fact parked() {
  return fact(domain::SessionParked{kSession}).on(kAdmission);
}
inline Fact unparked() {
  return fact(domain::SessionUnparked{kSession}).on(kAdmission);
}

// As idle(), but its worker is gone.
inline std::vector<Fact> unleased() {
  return idle() + domain::LeaseExpired{kToken} + parked();
}

inline std::vector<Fact> killed() {
  return running() + domain::TurnInterrupted{turn(1), domain::EndReason::user, {}} +
         domain::SessionClosed{domain::SessionStatus::killed, domain::EndReason::user} +
         fact(domain::NameReleased{kSession, "fix-bug"}).on(kRegistry) +
         fact(domain::SessionReleased{kSession, true}).on(kAdmission);
}

inline Fact name_released() {
  return fact(domain::NameReleased{kSession, "fix-bug"}).on(kRegistry);
}
inline Fact place_released() {
  return fact(domain::SessionReleased{kSession}).on(kAdmission);
}
// The agent process has not ended yet; settled() follows when it has.
inline Fact place_released_with_lease() {
  return fact(domain::SessionReleased{kSession, true}).on(kAdmission);
}
inline Fact settled() {
  return fact(domain::SessionSettled{kSession}).on(kAdmission);
}

}  // namespace support
