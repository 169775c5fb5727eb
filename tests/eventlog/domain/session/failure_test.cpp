// A failure ends one turn. A multi-turn session goes on: its prompts wait or follow, and its agent
// is started again for the next one.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::Fact;
using support::given;
using support::kToken;
using support::kWorker;
using support::name_released;
using support::place_released;
using support::report;
using support::turn;
using Past = std::vector<Fact>;

ReportTurnResult failure(TurnId of = turn(1)) {
  ReportTurnResult r;
  r.turn = of;
  r.is_error = true;
  r.subtype = "success";
  r.terminal_reason = "api_error";
  r.api_status = 529;
  return r;
}

const TurnFailed kFailed{turn(1), "success", "api_error", 529, {}};

// The agent had introduced itself, and was last given that turn.
ReportAgentExited died(TurnId given) {
  ReportAgentExited r{1, 9, "tail"};
  r.has_run = true;
  r.given = given;
  return r;
}

ReportAgentExited stopped(TurnId given) {
  ReportAgentExited r = died(given);
  r.is_stopped = true;
  return r;
}

const Fact kDied = fact(AgentExited{1, 9}).with("tail");
const Fact kStopped = fact(AgentExited{1, 9, true}).with("tail");

Past with_queue() {
  return support::running() + TurnQueued{turn(2)} + TurnQueued{turn(3)};
}

Past paused() {
  return with_queue() + fact(kFailed).by_report(1, 3) + QueuePaused{EndReason::turn_error};
}

// As running(), but it goes on after failures.
Past persistent() {
  Past past = with_queue();
  SessionOpened opened = support::opened();
  opened.spec.edit().continues_after_failure = true;
  past.front() = opened;
  return past;
}

TEST_CASE("a failed turn pauses the prompts that wait, and the session goes on",
          "[session][R010][R022]") {
  const auto after = given(with_queue())
                         .when(report(3, failure()))
                         .then(kFailed, QueuePaused{EndReason::turn_error});
  CHECK(after.session().status == SessionStatus::running);
  CHECK(after.session().pause == EndReason::turn_error);
  CHECK(after.session().queue.size() == 2);
  given(support::running()).when(report(3, failure())).then(kFailed);
}

TEST_CASE("a session that is told so goes on after a failure", "[session]") {
  given(persistent()).when(report(3, failure())).then(kFailed, TurnStarted{turn(2), kToken});
  given(persistent())
      .when(report(3, died(turn(1))))
      .then(kDied, LeaseReleased{kToken},
            TurnInterrupted{turn(1), EndReason::agent_exited, booked({})});
}

TEST_CASE("a closing session whose last turn fails has failed", "[session]") {
  given(support::running(), CloseRequested{})
      .when(report(3, failure()))
      .then(kFailed, SessionClosed{SessionStatus::failed, EndReason::turn_error}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("an agent that cannot begin fails its session", "[session][R008]") {
  given(support::leased(), TurnQueued{turn(2)})
      .when(report(1, failure()))
      .then(kFailed, TurnInterrupted{turn(2), EndReason::session_ended, {}},
            SessionClosed{SessionStatus::failed, EndReason::turn_error}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("paused prompts wait, whatever else comes", "[session]") {
  const auto more = given(paused())
                        .when(SendPrompt{"more", false})
                        .then(fact(TurnQueued{support::kOwnTurn}).with("more"));
  CHECK(more.session().pause == EndReason::turn_error);
  given(paused(), LeaseExpired{kToken})
      .when(GrantLease{kWorker})
      .then_rejected(RejectionCode::turn_not_running);
  given(paused()).when(CloseSession{}).then(CloseRequested{});
}

TEST_CASE("a paused session is continued with the first prompt that waits", "[session]") {
  const auto after =
      given(paused()).when(ContinueSession{}).then(QueueContinued{}, TurnStarted{turn(2), kToken});
  CHECK(after.session().pause == EndReason::none);
  given(paused(), LeaseExpired{kToken}).when(ContinueSession{}).then(QueueContinued{});
  given(with_queue()).when(ContinueSession{}).then(NothingChanged{"ContinueSession"});
  given(support::killed()).when(ContinueSession{}).then_rejected(RejectionCode::session_ended);
  given().when(ContinueSession{}).then_rejected(RejectionCode::not_found);
}

TEST_CASE("a pause ends when the last prompt that waits is withdrawn", "[session]") {
  const auto after = given(paused(), TurnInterrupted{turn(3), EndReason::user, {}})
                         .when(InterruptTurn{turn(2)})
                         .then(TurnInterrupted{turn(2), EndReason::user, {}});
  CHECK(after.session().pause == EndReason::none);
}

TEST_CASE("a session outlives its agent", "[session]") {
  SECTION("which had no work") {
    const auto after = given(support::idle())
                           .when(report(4, died(turn(1))))
                           .then(kDied, LeaseReleased{kToken}, support::parked());
    CHECK(after.session().status == SessionStatus::running);
  }
  SECTION("which was at work") {
    given(support::running())
        .when(report(3, died(turn(1))))
        .then(kDied, LeaseReleased{kToken},
              TurnInterrupted{turn(1), EndReason::agent_exited, booked({})}, support::parked());
  }
  SECTION("while prompts wait") {
    given(with_queue())
        .when(report(3, died(turn(1))))
        .then(kDied, LeaseReleased{kToken},
              TurnInterrupted{turn(1), EndReason::agent_exited, booked({})},
              QueuePaused{EndReason::agent_exited});
  }
  SECTION("and resumes it with the next prompt") {
    given(support::idle(), LeaseReleased{kToken}, TurnQueued{turn(2)})
        .when(GrantLease{kWorker})
        .then(LeaseGranted{kWorker, base::FencingToken{2}, "agent-session", {}, NanoUsd{}},
              TurnStarted{turn(2), base::FencingToken{2}});
  }
}

TEST_CASE("a turn that no agent was given is the first of the queue again", "[session]") {
  const Past past =
      with_queue() + fact(TurnFinished{turn(1), {}}).by_report(1, 3) + TurnStarted{turn(2), kToken};
  for (const auto& exited : {died(turn(1)), stopped(turn(1))}) {
    const auto after = given(past)
                           .when(report(4, exited))
                           .then(exited.is_stopped ? kStopped : kDied, TurnReturned{turn(2)},
                                 LeaseReleased{kToken});
    REQUIRE(after.session().queue.size() == 2);
    CHECK(after.session().queue.front().turn == turn(2));
    CHECK(after.session().pause == EndReason::none);
  }
}

TEST_CASE("a turn that was asked to end does not come back", "[session]") {
  const Past past = with_queue() + fact(TurnFinished{turn(1), {}}).by_report(1, 3) +
                    TurnStarted{turn(2), kToken} + InterruptRequested{turn(2)};
  given(past)
      .when(report(4, died(turn(1))))
      .then(kDied, TurnInterrupted{turn(2), EndReason::user, {}}, LeaseReleased{kToken});
  given(past)
      .when(report(4, died(turn(2))))
      .then(kDied, LeaseReleased{kToken}, TurnInterrupted{turn(2), EndReason::user, booked({})});
  given(support::running(), InterruptRequested{turn(1)}, CloseRequested{})
      .when(report(3, stopped(turn(1))))
      .then(kStopped, LeaseReleased{kToken}, TurnInterrupted{turn(1), EndReason::user, booked({})},
            SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
            place_released());
  given(support::running(false), InterruptRequested{turn(1)})
      .when(report(3, stopped(turn(1))))
      .then(kStopped, LeaseReleased{kToken}, TurnInterrupted{turn(1), EndReason::user, booked({})},
            SessionClosed{SessionStatus::killed, EndReason::user}, name_released(),
            place_released());
}

TEST_CASE("a turn that its worker was not told of is the first of the queue again", "[session]") {
  given(support::leased(false))
      .when(ExpireLease{kToken})
      .then(TurnReturned{turn(1)}, LeaseExpired{kToken});
  given(support::leased(), InterruptRequested{turn(1)})
      .when(ExpireLease{kToken})
      .then(TurnInterrupted{turn(1), EndReason::user, {}}, LeaseExpired{kToken}, support::parked());
}

TEST_CASE("a prompt that is queued while its worker's lease expires is not lost", "[session]") {
  const auto begun = support::idle() + TurnQueued{turn(2)} + TurnStarted{turn(2), kToken};
  given(begun).when(ExpireLease{kToken, turn(1)}).then(TurnReturned{turn(2)}, LeaseExpired{kToken});
  const TurnId own = turn(9);
  given(begun, OwnTurnStarted{own, OwnTurnCause::task, "", {}})
      .when(ExpireLease{kToken, turn(1)})
      .then(TurnReturned{turn(2)}, TurnInterrupted{own, EndReason::worker_lost, booked({})},
            LeaseExpired{kToken});
}

TEST_CASE("an agent that is started again has what is left of the budget", "[session]") {
  SessionOpened opened = support::opened();
  opened.spec.edit().budget = {1000};
  TurnCost cost;
  const auto spend = [&](std::int64_t amount) {
    cost.cost = {amount};
    Past spent = support::running() + fact(TurnFinished{turn(1), cost}).by_report(1, 3) +
                 LeaseReleased{kToken} + TurnQueued{turn(2)};
    spent.front() = opened;
    return spent;
  };
  const base::FencingToken next{2};
  const auto after = given(spend(400))
                         .when(GrantLease{kWorker})
                         .then(LeaseGranted{kWorker, next, "agent-session", {600}, NanoUsd{}},
                               TurnStarted{turn(2), next});
  CHECK(after.session().lease->budget.value == 600);
  given(spend(1000))
      .when(GrantLease{kWorker})
      .then(TurnInterrupted{turn(2), EndReason::session_ended, {}},
            SessionClosed{SessionStatus::failed, EndReason::budget}, name_released(),
            place_released());
}

TEST_CASE("a single-turn session fails with its agent", "[session][R010]") {
  given(support::running(false))
      .when(report(3, died(turn(1))))
      .then(kDied, LeaseReleased{kToken},
            TurnInterrupted{turn(1), EndReason::agent_exited, booked({})},
            SessionClosed{SessionStatus::failed, EndReason::agent_exited}, name_released(),
            place_released());
}

TEST_CASE("nothing fails because Steno was stopped", "[session][R041]") {
  SECTION("a turn is interrupted, and the prompts behind it go on with the next agent") {
    given(with_queue())
        .when(report(3, stopped(turn(1))))
        .then(kStopped, LeaseReleased{kToken},
              TurnInterrupted{turn(1), EndReason::stopped, booked({})});
  }
  SECTION("an idle session waits") {
    given(support::idle())
        .when(report(4, stopped(turn(1))))
        .then(kStopped, LeaseReleased{kToken}, support::parked());
  }
  SECTION("a single-turn session that ran has ended") {
    given(support::running(false))
        .when(report(3, stopped(turn(1))))
        .then(kStopped, LeaseReleased{kToken},
              TurnInterrupted{turn(1), EndReason::stopped, booked({})},
              SessionClosed{SessionStatus::killed, EndReason::stopped}, name_released(),
              place_released());
  }
  SECTION("one that had not begun begins with the next agent") {
    given(support::leased(false))
        .when(report(1, stopped({})))
        .then(kStopped, TurnReturned{turn(1)}, LeaseReleased{kToken});
  }
  SECTION("a closing session without work is completed") {
    given(support::idle(), CloseRequested{})
        .when(report(4, stopped(turn(1))))
        .then(kStopped, LeaseReleased{kToken},
              SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
              place_released());
  }
  SECTION("one whose last turn was cut off is not") {
    given(support::running(), CloseRequested{})
        .when(report(3, stopped(turn(1))))
        .then(kStopped, LeaseReleased{kToken},
              TurnInterrupted{turn(1), EndReason::stopped, booked({})},
              SessionClosed{SessionStatus::killed, EndReason::stopped}, name_released(),
              place_released());
  }
}

TEST_CASE("impossible pauses and returns mark the session", "[session]") {
  const auto is_consistent = [](const Past& past) { return given(past).is_consistent(); };
  CHECK(is_consistent(paused()));
  CHECK(is_consistent(paused() + QueueContinued{}));
  CHECK_FALSE(is_consistent(paused() + TurnStarted{turn(2), kToken}));
  CHECK_FALSE(is_consistent(with_queue() + QueuePaused{EndReason::turn_error}));
  CHECK_FALSE(is_consistent(support::idle() + QueuePaused{EndReason::turn_error}));
  CHECK_FALSE(
      is_consistent(with_queue() + fact(kFailed).by_report(1, 3) + QueuePaused{EndReason::none}));
  CHECK_FALSE(is_consistent(with_queue() + QueueContinued{}));
  CHECK_FALSE(is_consistent(with_queue() + TurnReturned{turn(2)}));
  CHECK_FALSE(is_consistent(support::idle() + TurnReturned{turn(1)}));
}

}  // namespace
}  // namespace domain
