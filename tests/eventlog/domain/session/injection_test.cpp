// Prompts that are added to the only turn of a session while it runs.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kCommand;
using support::kToken;
using support::report;
using support::turn;

const SendPrompt kPrompt{"And this.", false};

std::vector<support::Fact> single() {
  return support::running(false);
}

ReportTurnResult answer(std::int64_t injected) {
  ReportTurnResult result;
  result.turn = turn(1);
  result.text = "Done.";
  result.injected = injected;
  result.basis = CostBasis::reported;
  return result;
}

ReportAgentExited exited() {
  ReportAgentExited exited;
  exited.has_run = true;
  exited.given = turn(1);
  return exited;
}

TEST_CASE("a further prompt is added to the turn of a single-turn session", "[session][R057]") {
  const auto after =
      given(single()).when(kPrompt).then(fact(PromptInjected{turn(1)}).with("And this."));
  REQUIRE(after.session().turn);
  CHECK(after.session().turn->injected->size() == 1);
  CHECK(after.session().turn->injected->front().bytes == 9);
  CHECK(after.session().queue.empty());
  const SessionReply said = reply(after.session(), SessionCommand(kPrompt));
  CHECK(said.injected_into == turn(1));
}

TEST_CASE("a prompt is added to a turn that waits for its agent", "[session][R057]") {
  const auto after = given(support::starting(false))
                         .when(kPrompt)
                         .then(fact(PromptInjected{turn(1)}).with("And this."));
  CHECK(after.session().queue.front().injected->size() == 1);
  CHECK(reply(after.session(), SessionCommand(kPrompt)).injected_into == turn(1));
  const auto begun =
      after.when(GrantLease{support::kWorker})
          .then(LeaseGranted{support::kWorker, kToken, {}}, TurnStarted{turn(1), kToken});
  CHECK(begun.session().turn->injected->size() == 1);
}

TEST_CASE("a turn of a multi-turn session takes no prompt beside its own", "[session][R057]") {
  const auto after = given(support::running())
                         .when(kPrompt)
                         .then(fact(TurnQueued{support::kOwnTurn}).with("And this."));
  CHECK_FALSE(reply(after.session(), SessionCommand(kPrompt)).injected_into.is_set());
}

TEST_CASE("a prompt that cannot be added to a turn is refused, with what to do",
          "[session][R015][R057]") {
  const auto refuse = [](const support::Given& past, const SendPrompt& prompt,
                         const std::string& why) {
    const support::When asked = past.when(prompt);
    REQUIRE_FALSE(asked.outcome());
    CHECK(asked.outcome().error().code == RejectionCode::not_accepting);
    CHECK(asked.outcome().error().text.find(why) != std::string::npos);
  };
  auto with_other_engine = given(single());
  with_other_engine.context.injecting_engines = {};
  refuse(with_other_engine, kPrompt, "spawn it as multi-turn");
  refuse(given(single() + fact(TasksChanged{1}).by_report(1, 3) +
               fact(TurnFinished{turn(1), {}}).by_report(1, 4)),
         kPrompt, "is over");
  refuse(given(single()), SendPrompt{"Stop.", true}, "without an interrupt");
  refuse(given(single(), InterruptRequested{turn(1)}), kPrompt, "resume it");
  refuse(given(single(), CloseRequested{}), kPrompt, "is closing");
}

TEST_CASE("what is added to one turn is bounded", "[session]") {
  Limits limits;
  limits.queue_max = 1;
  given(single(), fact(PromptInjected{turn(1)}).with("more"))
      .with_limits(limits)
      .when(kPrompt)
      .then_rejected(RejectionCode::limit_reached);
  const std::string half(static_cast<std::size_t>(kInjectedBytesMax) / 2, 'x');
  const auto once = given(single(), fact(PromptInjected{turn(1)}).with(half));
  CHECK(once.when(SendPrompt{half, false}).outcome());
  once.when(SendPrompt{half + "x", false}).then_rejected(RejectionCode::limit_reached);
}

TEST_CASE("an answer to all prompts of a turn ends it", "[session]") {
  TurnCost cost;
  cost.basis = CostBasis::reported;
  given(single(), fact(PromptInjected{turn(1)}).with("more"))
      .when(report(3, answer(1)))
      .then(fact(TurnFinished{turn(1), cost}).with("Done."),
            SessionClosed{SessionStatus::completed, EndReason::none}, support::name_released(),
            support::place_released_with_lease());
}

// The answer came while the prompts were on their way to the agent, which has heard the first.
support::Given continued() {
  auto result = answer(1);
  result.spent = {{"model", {}, {70}}};
  return given(single(), fact(PromptInjected{turn(1)}).with("one"),
               fact(PromptInjected{turn(1)}).with("two"), fact(PromptInjected{turn(1)}).with("six"))
      .when(report(3, result))
      .then(SpendingRecorded{turn(1), {{"model", {}, {70}}}, CostBasis::reported},
            TurnContinued{turn(1), 1});
}

TEST_CASE("a prompt that an answer has overtaken is given to the next agent", "[session][R057]") {
  const auto after = continued();
  const CurrentTurn& rest = *after.session().turn;
  CHECK(rest.injected->size() == 1);
  CHECK(after.session().cost.value == 70);
  const auto back = after.when(report(4, exited()))
                        .then(AgentExited{}, TurnReturned{turn(1)}, LeaseReleased{kToken});
  REQUIRE(back.session().queue.size() == 1);
  CHECK(back.session().queue.front().prompt == rest.prompt);
  CHECK(back.session().queue.front().injected->size() == 1);
  const base::FencingToken second{2};
  const auto again =
      back.when(GrantLease{support::kWorker})
          .then(LeaseGranted{support::kWorker, second, "agent-session", {}, NanoUsd{70}},
                TurnStarted{turn(1), second});
  CHECK(again.session().turn->prompt == rest.prompt);
  CHECK(again.session().turn->injected->size() == 1);
  CHECK_FALSE(again.session().turn->is_continued);
}

TEST_CASE("a turn that waits for its next agent outlives the worker", "[session]") {
  continued().when(ExpireLease{kToken, turn(1)}).then(TurnReturned{turn(1)}, LeaseExpired{kToken});
}

TEST_CASE("a second result of an agent that is done with its turn does not end it", "[session]") {
  continued().when(report(4, answer(3))).then(ReportIgnored{"TurnResult"});
}

TEST_CASE("interrupting a turn that waits for its next agent ends it", "[session]") {
  continued()
      .when(InterruptTurn{turn(1)})
      .then(TurnInterrupted{turn(1), EndReason::user, booked({{"model", {}, {70}}})},
            SessionClosed{SessionStatus::killed, EndReason::user}, support::name_released(),
            support::place_released_with_lease());
}

TEST_CASE("an agent that dies in a turn of its own does not pause the rest of its turn",
          "[session]") {
  continued()
      .when(report(4, ReportOwnTurnStarted{turn(50), OwnTurnCause::task, "task", {}}))
      .then(OwnTurnStarted{turn(50), OwnTurnCause::task, "task", {}})
      .when(report(5, exited()))
      .then(AgentExited{}, TurnReturned{turn(1)}, LeaseReleased{kToken},
            TurnInterrupted{turn(50), EndReason::agent_exited, booked({})});
}

TEST_CASE("an answer that was booked before still tells its basis and the agent's total",
          "[session]") {
  auto result = answer(0);
  result.basis = CostBasis::estimated;
  result.agent_total = {90};
  const auto after =
      given(single(), fact(PromptInjected{turn(1)}).with("more"))
          .when(report(3, result))
          .then(SpendingRecorded{turn(1), {}, CostBasis::estimated, {90}}, TurnContinued{turn(1)});
  CHECK(after.session().basis == CostBasis::estimated);
  CHECK(after.session().agent_total.value == 90);
}

TEST_CASE("a turn that fails or was interrupted is not continued", "[session]") {
  auto failed = answer(0);
  failed.is_error = true;
  failed.subtype = "error";
  const auto past = single() + fact(PromptInjected{turn(1)}).with("more");
  TurnCost cost;
  cost.basis = CostBasis::reported;
  given(past)
      .when(report(3, failed))
      .then(fact(TurnFailed{turn(1), "error", "", 0, cost}).with("Done."),
            SessionClosed{SessionStatus::failed, EndReason::turn_error}, support::name_released(),
            support::place_released_with_lease());
  given(past, InterruptRequested{turn(1)})
      .when(report(3, answer(0)))
      .then(fact(TurnFinished{turn(1), cost}).with("Done."),
            SessionClosed{SessionStatus::completed, EndReason::none}, support::name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a turn that is tried again is given all its prompts", "[session]") {
  auto past = single() + fact(PromptInjected{turn(1)}).with("more");
  past.front().event.get<SessionOpened>().spec.edit().restart_policy = RestartPolicy::retry;
  const auto after = given(past)
                         .when(ExpireLease{kToken, turn(1)})
                         .then(SpendingRecorded{turn(1), {}, CostBasis::at_least},
                               TurnReturned{turn(1), 1}, LeaseExpired{kToken});
  REQUIRE(after.session().queue.size() == 1);
  CHECK(after.session().queue.front().injected->size() == 1);
}

TEST_CASE("a prompt that was added to a turn is not erased while the turn runs", "[session]") {
  given(single(), fact(PromptInjected{turn(1)}).with("more"))
      .when(EraseContent{{{base::StreamVersion{7}, base::StreamVersion{7}}}})
      .then_rejected(RejectionCode::content_in_use);
}

TEST_CASE("a turn whose added prompt is lost fails", "[session]") {
  const auto past = given(single(), fact(PromptInjected{turn(1)}).with("more"));
  const base::Position lost = past.session().turn->injected->front().prompt;
  const auto decided = past.when(GiveUpContent{lost}).outcome();
  REQUIRE(decided);
  const auto* failed = decided->front().event.as<TurnFailed>();
  REQUIRE(failed);
  CHECK(failed->cost.basis == CostBasis::at_least);
}

TEST_CASE("prompts are added to a turn that runs, and answered once", "[session]") {
  const auto with_one = single() + fact(PromptInjected{turn(1)}).with("more");
  CHECK_FALSE(given(single(), PromptInjected{turn(2)}).is_consistent());
  CHECK_FALSE(given(single(), TurnContinued{turn(1), 0}).is_consistent());
  CHECK_FALSE(given(with_one, TurnContinued{turn(1), 1}).is_consistent());
  CHECK_FALSE(given(with_one, TurnContinued{turn(1), -1}).is_consistent());
  CHECK(given(with_one, TurnContinued{turn(1), 0}).is_consistent());
}

}  // namespace
}  // namespace domain
