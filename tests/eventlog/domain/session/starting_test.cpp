// A prompt that no agent could begin waits and is tried again; then a person is needed.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::Given;
using support::given;
using support::kToken;
using support::kWorker;
using support::name_released;
using support::place_released;
using support::report;
using support::turn;

constexpr Time kStartWall{50'000'000};

Given at_start_wall(const std::vector<Fact>& past, Time wall = kStartWall) {
  Given world = given(past);
  world.context.wall = wall;
  return world;
}

const Fact kStartFailure = fact(AgentStartFailed{}).with("no such program");

// One more attempt of the first prompt: the pause is over, and the worker has the turn again.
std::vector<Fact> started_again(std::vector<Fact> past, std::int64_t token) {
  return past + QueueContinued{} + LeaseGranted{kWorker, {token}, {}} +
         TurnStarted{turn(1), {token}};
}

std::vector<Fact> failed_once(bool is_multi_turn) {
  return support::leased(is_multi_turn) + kStartFailure + LeaseReleased{kToken} +
         TurnReturned{turn(1), 0, 1} +
         QueuePaused{EndReason::start_failed, kStartWall + kStartPauses[0]};
}

std::vector<Fact> failed_twice(bool is_multi_turn) {
  return started_again(failed_once(is_multi_turn), 2) + kStartFailure + LeaseReleased{{2}} +
         TurnReturned{turn(1), 0, 2} +
         QueuePaused{EndReason::start_failed, kStartWall + kStartPauses[1]};
}

TEST_CASE("a prompt that no agent could begin is the first of the queue again, and waits a while",
          "[session][R008][D04]") {
  for (const bool is_multi_turn : {true, false}) {
    const Given once =
        at_start_wall(support::leased(is_multi_turn))
            .when(report(1, ReportStartFailed{"no such program"}))
            .then(kStartFailure, LeaseReleased{kToken}, TurnReturned{turn(1), 0, 1},
                  QueuePaused{EndReason::start_failed, kStartWall + kStartPauses[0]});
    CHECK(once.session().status == SessionStatus::starting);
    CHECK(once.session().queue.front().turn == turn(1));
    CHECK(attention_of(once.session()) == Attention::none);
    CHECK(next_deadline(lease_state(once.session()), {}, base::Duration{7}) ==
          Deadline{DeadlineKind::pause, kStartWall + kStartPauses[0] + base::Duration{7}});
    at_start_wall(started_again(failed_once(is_multi_turn), 2))
        .when(report(1, ReportStartFailed{"no such program"}, 2))
        .then(kStartFailure, LeaseReleased{{2}}, TurnReturned{turn(1), 0, 2},
              QueuePaused{EndReason::start_failed, kStartWall + kStartPauses[1]});
  }
}

TEST_CASE("the pause of a prompt that could not begin ends by itself", "[session]") {
  at_start_wall(failed_once(true)).when(PassDeadline{DeadlineKind::pause}).then();
  at_start_wall(failed_once(true), kStartWall + kStartPauses[0])
      .when(PassDeadline{DeadlineKind::pause})
      .then(QueueContinued{});
}

TEST_CASE("behind the last attempt a session waits for a person, and one of one turn fails",
          "[session][R010]") {
  const Given waits = at_start_wall(started_again(failed_twice(true), 3))
                          .when(report(1, ReportStartFailed{"no such program"}, 3))
                          .then(kStartFailure, LeaseReleased{{3}}, TurnReturned{turn(1), 0, 3},
                                QueuePaused{EndReason::start_failed});
  CHECK(attention_of(waits.session()) == Attention::failed);
  // A person begins anew to count.
  const Given goes_on = waits.when(ContinueSession{}).then(QueueContinued{});
  CHECK(goes_on.session().queue.front().starts == 0);
  at_start_wall(started_again(failed_twice(false), 3))
      .when(report(1, ReportStartFailed{"no such program"}, 3))
      .then(kStartFailure, LeaseReleased{{3}},
            TurnInterrupted{turn(1), EndReason::start_failed, {}},
            SessionClosed{SessionStatus::failed, EndReason::start_failed}, name_released(),
            place_released());
}

TEST_CASE("an agent that ends before it introduced itself was given no prompt", "[session]") {
  ReportAgentExited exited{1, 0, "cannot load"};
  exited.given = turn(1);
  const Fact ended = fact(AgentExited{1, 0}).with("cannot load");
  at_start_wall(support::leased())
      .when(report(1, exited))
      .then(ended, LeaseReleased{kToken}, TurnReturned{turn(1), 0, 1},
            QueuePaused{EndReason::agent_exited, kStartWall + kStartPauses[0]});
}

TEST_CASE("a prompt that somebody withdrew is not tried again", "[session]") {
  at_start_wall(support::leased() + InterruptRequested{turn(1)})
      .when(report(1, ReportStartFailed{"no such program"}))
      .then(kStartFailure, LeaseReleased{kToken}, TurnInterrupted{turn(1), EndReason::user, {}},
            support::parked());
  at_start_wall(support::leased(false) + InterruptRequested{turn(1)})
      .when(report(1, ReportStartFailed{"no such program"}))
      .then(kStartFailure, LeaseReleased{kToken}, TurnInterrupted{turn(1), EndReason::user, {}},
            SessionClosed{SessionStatus::killed, EndReason::user}, name_released(),
            place_released());
}

TEST_CASE("a worker that is lost before the agent began keeps the count of starts", "[session]") {
  at_start_wall(started_again(failed_once(true), 2))
      .when(ExpireLease{{2}})
      .then(TurnReturned{turn(1), 0, 1}, LeaseExpired{{2}});
}

}  // namespace
}  // namespace domain
