// A turn that was lost with its worker, or that Steno was stopped with, is tried again if its
// session says so.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::Fact;
using support::given;
using support::kToken;
using support::kWorker;
using support::report;
using support::turn;
using Past = std::vector<Fact>;

const Fact kUntold = fact(SpendingRecorded{turn(1), {}, CostBasis::at_least});
const Fact kStopped = fact(AgentExited{1, 9, true}).with("tail");

Past retrying(Past past) {
  past.front().event.get<SessionOpened>().spec.edit().restart_policy = RestartPolicy::retry;
  return past;
}

// The agent had introduced itself, and was given turn 1.
ReportAgentExited exited(bool is_stopped) {
  ReportAgentExited r{1, 9, "tail", is_stopped};
  r.has_run = true;
  r.given = turn(1);
  return r;
}

TEST_CASE("a turn that was lost with its worker is tried again", "[session][R309]") {
  for (const bool is_multi_turn : {false, true}) {
    const auto lost = given(retrying(support::running(is_multi_turn)), TurnQueued{turn(2)})
                          .when(ExpireLease{kToken, turn(1)})
                          .then(kUntold, TurnReturned{turn(1), 1}, LeaseExpired{kToken});
    REQUIRE(lost.session().queue.size() == 2);
    CHECK(lost.session().queue.front().turn == turn(1));
    CHECK(lost.session().queue.front().attempts == 1);
    CHECK(lost.session().basis == CostBasis::at_least);
    const base::FencingToken next{2};
    const auto again = lost.when(GrantLease{kWorker})
                           .then(LeaseGranted{kWorker, next, "agent-session", {}, NanoUsd{}},
                                 TurnStarted{turn(1), next});
    CHECK(again.session().turn->attempts == 1);
  }
}

TEST_CASE("a turn that Steno was stopped with is tried again", "[session][R309][R041]") {
  for (const bool is_multi_turn : {false, true}) {
    given(retrying(support::running(is_multi_turn)))
        .when(report(3, exited(true)))
        .then(kStopped, kUntold, TurnReturned{turn(1), 1}, LeaseReleased{kToken});
  }
  given(retrying(support::running()), CloseRequested{})
      .when(report(3, exited(true)))
      .then(kStopped, kUntold, TurnReturned{turn(1), 1}, LeaseReleased{kToken});
}

TEST_CASE("three agents at most are given one prompt", "[session][R309]") {
  const auto lost = [](std::int64_t attempts) {
    const base::FencingToken next{2};
    return given(retrying(support::running()), TurnReturned{turn(1), attempts},
                 LeaseExpired{kToken}, LeaseGranted{kWorker, next, "agent-session"},
                 TurnStarted{turn(1), next});
  };
  lost(1)
      .when(ExpireLease{base::FencingToken{2}, turn(1)})
      .then(kUntold, TurnReturned{turn(1), 2}, LeaseExpired{base::FencingToken{2}});
  lost(2)
      .when(ExpireLease{base::FencingToken{2}, turn(1)})
      .then(TurnInterrupted{turn(1), EndReason::worker_lost, booked({})},
            LeaseExpired{base::FencingToken{2}}, support::parked());
  // An agent that was not given the prompt does not count.
  const auto untold = lost(2)
                          .when(ExpireLease{base::FencingToken{2}, {}})
                          .then(TurnReturned{turn(1)}, LeaseExpired{base::FencingToken{2}});
  CHECK(untold.session().queue.front().attempts == 2);
}

TEST_CASE("only what was lost is tried again", "[session][R309]") {
  SECTION("nothing, without the policy") {
    given(support::running())
        .when(ExpireLease{kToken, turn(1)})
        .then(TurnInterrupted{turn(1), EndReason::worker_lost, booked({})}, LeaseExpired{kToken},
              support::parked());
  }
  SECTION("no turn that was asked to end") {
    given(retrying(support::running()), InterruptRequested{turn(1)})
        .when(ExpireLease{kToken, turn(1)})
        .then(TurnInterrupted{turn(1), EndReason::worker_lost, booked({})}, LeaseExpired{kToken},
              support::parked());
  }
  SECTION("no turn whose agent died by itself") {
    given(retrying(support::running()))
        .when(report(3, exited(false)))
        .then(fact(AgentExited{1, 9}).with("tail"), LeaseReleased{kToken},
              TurnInterrupted{turn(1), EndReason::agent_exited, booked({})}, support::parked());
  }
  SECTION("no turn of the agent's own") {
    const TurnId own = turn(9);
    given(retrying(support::idle()), OwnTurnStarted{own, OwnTurnCause::task, "", {}})
        .when(ExpireLease{kToken, turn(1)})
        .then(TurnInterrupted{own, EndReason::worker_lost, booked({})}, LeaseExpired{kToken},
              support::parked());
  }
}

}  // namespace
}  // namespace domain
