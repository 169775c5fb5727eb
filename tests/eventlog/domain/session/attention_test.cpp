// A session needs a person while it waits, is stuck, or has failed; and an agent is stuck that says
// nothing, or repeats itself.
#include "eventlog/domain/session/deciding.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kToken;
using support::turn;

Attention attention_after(std::vector<Fact> past) {
  return attention_of(given(std::move(past)).session());
}

std::vector<Fact> closed(SessionStatus status, EndReason reason) {
  return support::running() + TurnInterrupted{turn(1), reason, {}} + SessionClosed{status, reason};
}

std::vector<Fact> silent() {
  return support::running() + fact(AgentSilenceReported{turn(1)}).by_report(1, 3);
}

TEST_CASE("a session needs a person while it waits for input", "[session][R021]") {
  CHECK(attention_after({}) == Attention::none);
  CHECK(attention_after(support::running()) == Attention::none);
  CHECK(attention_after(support::idle()) == Attention::waiting_for_input);
  CHECK(attention_after(support::unleased()) == Attention::waiting_for_input);
  CHECK(attention_after(support::idle() + TasksChanged{1}) == Attention::none);
  CHECK(attention_after(support::idle() + CloseRequested{}) == Attention::none);
  CHECK(attention_after(support::idle() + TurnQueued{turn(2)}) == Attention::none);
}

TEST_CASE("a session needs a person once it has failed", "[session]") {
  CHECK(attention_after(closed(SessionStatus::failed, EndReason::turn_error)) == Attention::failed);
  CHECK(attention_after(closed(SessionStatus::failed, EndReason::budget)) ==
        Attention::over_budget);
  CHECK(attention_after(closed(SessionStatus::killed, EndReason::stopped)) == Attention::failed);
  CHECK(attention_after(closed(SessionStatus::killed, EndReason::user)) == Attention::none);
  CHECK(attention_after(closed(SessionStatus::killed, EndReason::idle)) == Attention::ended_idle);
  CHECK(attention_after(closed(SessionStatus::completed, EndReason::none)) == Attention::none);
}

TEST_CASE("a failed session whose text is erased needs nobody", "[session]") {
  SessionState s = given(closed(SessionStatus::failed, EndReason::turn_error)).session();
  s.last_content = StreamVersion{3};
  s.erased.edit() = {{StreamVersion{1}, StreamVersion{2}}};
  CHECK(attention_of(s) == Attention::failed);
  s.erased.edit() = {{StreamVersion{1}, StreamVersion{3}}};
  CHECK(attention_of(s) == Attention::none);
}

TEST_CASE("a session that waits with its budget spent needs a larger one", "[session]") {
  TurnFinished finished{turn(1), {}};
  finished.cost.cost = NanoUsd{10};
  auto past = support::running() + fact(finished).by_report(1, 3);
  auto& spec = past.front().event.get<SessionOpened>().spec;
  spec.edit().budget = NanoUsd{11};
  CHECK(attention_after(past) == Attention::waiting_for_input);
  spec.edit().budget = NanoUsd{10};
  CHECK(attention_after(past) == Attention::over_budget);
  CHECK(attention_after(past + SessionClosed{SessionStatus::killed, EndReason::idle}) ==
        Attention::over_budget);
}

TEST_CASE("prompts that wait behind a failed turn need a person", "[session]") {
  const auto past = support::running() + TurnQueued{turn(2)} +
                    TurnFailed{turn(1), "error", "", 0, {}} + QueuePaused{EndReason::turn_error};
  CHECK(attention_after(past) == Attention::failed);
  CHECK(attention_after(past + QueueContinued{}) == Attention::none);
}

TEST_CASE("a silent agent is stuck until it says something", "[session][R065]") {
  CHECK(attention_after(silent()) == Attention::stuck);
  CHECK(attention_after(silent() + fact(AgentSilenceReported{turn(1), true}).by_report(1, 4)) ==
        Attention::none);
  CHECK(attention_after(silent() + fact(PartialOutputRecorded{turn(1), 1}).by_report(1, 4)) ==
        Attention::none);
  CHECK(attention_after(silent() + TurnQueued{turn(2)}) == Attention::stuck);
  CHECK(attention_after(silent() + TurnInterrupted{turn(1), EndReason::user, {}}) ==
        Attention::waiting_for_input);
}

TEST_CASE("the silence of an agent is recorded as it is reported", "[session][R065]") {
  given(support::running())
      .when(support::report(3, AgentSilenceReported{turn(1)}))
      .then(AgentSilenceReported{turn(1)});
}

TEST_CASE("spending that time made the worker tell is no sign of the agent", "[session][R065]") {
  const auto spent = fact(SpendingRecorded{turn(1), {}, CostBasis::reported}).by_report(1, 4);
  CHECK(attention_after(silent() + spent) == Attention::stuck);
}

// ---- dismissing ----

TEST_CASE("a person can say that they know", "[session]") {
  const auto known = given(support::idle()).when(DismissAttention{}).then(AttentionDismissed{});
  CHECK(known.session().is_dismissed);
  CHECK(attention_of(known.session()) == Attention::waiting_for_input);
}

TEST_CASE("a need that a person does not know is not dismissed", "[session]") {
  given(support::idle())
      .when(DismissAttention{Attention::stuck})
      .then(NothingChanged{std::string(DismissAttention::kType)});
  given(support::idle())
      .when(DismissAttention{Attention::waiting_for_input})
      .then(AttentionDismissed{});
}

TEST_CASE("what was dismissed comes back with the next need", "[session]") {
  const auto known = support::idle() + AttentionDismissed{};
  CHECK_FALSE(given(known + TurnQueued{turn(2)}).session().is_dismissed);
  const auto failed = silent() + AttentionDismissed{} +
                      TurnInterrupted{turn(1), EndReason::turn_error, {}} +
                      SessionClosed{SessionStatus::failed, EndReason::turn_error};
  CHECK_FALSE(given(failed).session().is_dismissed);
}

TEST_CASE("dismissing changes nothing where nobody is needed, or twice", "[session]") {
  given(support::running())
      .when(DismissAttention{})
      .then(NothingChanged{std::string(DismissAttention::kType)});
  given(support::idle() + AttentionDismissed{})
      .when(DismissAttention{})
      .then(NothingChanged{std::string(DismissAttention::kType)});
  given().when(DismissAttention{}).then_rejected(RejectionCode::not_found);
}

// ---- repeated tool calls ----

std::vector<Fact> limited_to(std::int64_t repeats, bool is_multi_turn = true) {
  auto past = support::running(is_multi_turn);
  past.front().event.get<SessionOpened>().spec.edit().repeated_calls_max = repeats;
  return past;
}

ReportToolCallStarted call(std::int64_t repeats) {
  return {turn(1), "call", "Bash", "{}", "", "", repeats};
}

Fact called(std::int64_t repeats) {
  return fact(ToolCallStarted{turn(1), "call", "Bash", "", "", repeats}).with("{}");
}

TEST_CASE("repeated tool calls are told once", "[session]") {
  const ToolCallsRepeated told{turn(1), "Bash", 3};
  given(limited_to(3)).when(support::report(3, call(2))).then(called(2));
  given(limited_to(3)).when(support::report(3, call(3))).then(called(3), told);
  given(limited_to(3)).when(support::report(3, call(4))).then(called(4));
  given(limited_to(0)).when(support::report(3, call(30))).then(called(30));
  given(limited_to(1))
      .when(support::report(3, call(2)))
      .then(called(2), ToolCallsRepeated{turn(1), "Bash", 2},
            InterruptRequested{turn(1), EndReason::repeated_calls});
  given(limited_to(-1)).when(support::report(3, call(30))).then(called(30));
  CHECK(attention_after(limited_to(3) + called(3) + told) == Attention::stuck);
  CHECK(attention_after(limited_to(3) + called(3) + told + called(0)) == Attention::none);
}

TEST_CASE("twice as many repeated tool calls end the turn", "[session][C17]") {
  given(limited_to(3)).when(support::report(3, call(5))).then(called(5));
  given(limited_to(3))
      .when(support::report(3, call(6)))
      .then(called(6), InterruptRequested{turn(1), EndReason::repeated_calls});
}

TEST_CASE("repeated calls end the turn that they belong to", "[session]") {
  SECTION("one of the agent's own") {
    auto past = support::idle() + OwnTurnStarted{turn(50), OwnTurnCause::task, "task", {}};
    past.front().event.get<SessionOpened>().spec.edit().repeated_calls_max = 3;
    ReportToolCallStarted own = call(6);
    own.turn = turn(50);
    const auto asked =
        given(past)
            .when(support::report(4, own))
            .then(fact(ToolCallStarted{turn(50), "call", "Bash", "", "", 6}).with("{}"),
                  InterruptRequested{turn(50), EndReason::repeated_calls});
    CHECK(asked.session().own_stop == EndReason::repeated_calls);
    ReportTurnResult result;
    result.turn = turn(50);
    result.is_error = true;
    const auto ended = asked.when(support::report(5, result)).outcome();
    REQUIRE(ended);
    CHECK(ended->front().event.get<TurnInterrupted>().reason == EndReason::repeated_calls);
  }
  SECTION("none, if it is over") {
    auto past = support::idle() + TurnQueued{turn(2)} + TurnStarted{turn(2), kToken};
    past.front().event.get<SessionOpened>().spec.edit().repeated_calls_max = 3;
    given(past).when(support::report(4, call(6))).then(called(6));
  }
}

TEST_CASE("another subagent's calls do not hide those that repeat", "[session]") {
  const auto past = limited_to(3) + ToolCallStarted{turn(1), "c", "Bash", "one", "", 3} +
                    ToolCallsRepeated{turn(1), "Bash", 3, "one"};
  CHECK(attention_after(past) == Attention::stuck);
  CHECK(attention_after(past + ToolCallStarted{turn(1), "d", "Bash", "two"}) == Attention::stuck);
  CHECK(attention_after(past + called(0)) == Attention::stuck);
  CHECK(attention_after(past + ToolCallStarted{turn(1), "d", "Bash", "one"}) == Attention::none);
}

TEST_CASE("calls that repeat are over with who makes them", "[session]") {
  const auto of_subagent = limited_to(3) + ToolCallStarted{turn(1), "c", "Bash", "one", "", 3} +
                           ToolCallsRepeated{turn(1), "Bash", 3, "one"};
  CHECK(attention_after(of_subagent + ToolCallFinished{turn(1), "one"}) == Attention::none);
  const auto of_agent = limited_to(3) + called(3) + ToolCallsRepeated{turn(1), "Bash", 3} +
                        TasksChanged{1} + TurnInterrupted{turn(1), EndReason::user, {}};
  CHECK(attention_after(of_agent) == Attention::none);
}

TEST_CASE("an agent that goes on with its own turn past a limit is ended", "[session]") {
  auto past = support::idle() + OwnTurnStarted{turn(50), OwnTurnCause::task, "task", {}};
  support::Given world = given(past);
  Envelope asked;
  asked.log_time = Time{1'000'000};
  world.fold(InterruptRequested{turn(50), EndReason::repeated_calls}, asked);
  const Time due = asked.log_time + kInterruptGrace;
  CHECK(next_deadline(lease_state(world.session())) == Deadline{DeadlineKind::own, due});
  world.context.now = due;
  const auto decided = world.when(PassDeadline{DeadlineKind::own}).outcome();
  REQUIRE(decided);
  CHECK((*decided)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::repeated_calls});
}

TEST_CASE("an agent that repeats its calls regardless is ended", "[session]") {
  auto world = given(limited_to(3) + InterruptRequested{turn(1), EndReason::repeated_calls});
  world.context.now = Time{kInterruptGrace.count() - 1};
  world.when(support::report(3, call(7))).then(called(7));
  world.context.now = Time{kInterruptGrace.count()};
  const auto decided = world.when(support::report(3, call(7))).outcome();
  REQUIRE(decided);
  CHECK((*decided)[2].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::repeated_calls});
}

TEST_CASE("a turn that was ended for its repeated calls says so", "[session]") {
  ReportTurnResult result;
  result.turn = turn(1);
  result.is_error = true;
  const auto decided =
      given(limited_to(3, false) + InterruptRequested{turn(1), EndReason::repeated_calls})
          .when(support::report(3, result))
          .outcome();
  REQUIRE(decided);
  CHECK((*decided)[0].event.get<TurnInterrupted>().reason == EndReason::repeated_calls);
  CHECK((*decided)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::repeated_calls});
}

TEST_CASE("repeated calls of an ended session end nothing", "[session]") {
  auto past = support::killed();
  past.front().event.get<SessionOpened>().spec.edit().repeated_calls_max = 3;
  given(past).when(support::report(3, call(6))).then(called(6));
}

}  // namespace
}  // namespace domain
