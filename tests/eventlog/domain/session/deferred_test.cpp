// A question outlives its agent's process: the turn waits in the queue, and goes on with the
// answer.
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/texts_needed.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kToken;
using support::turn;

Fact raised(const std::string& call = "call") {
  return fact(AskRaised{1, 1, AskKind::question, turn(1), "AskUserQuestion", call})
      .with("{\"input\":{}}")
      .by_report(1, 3);
}

ReportTurnResult deferring(const std::string& call = "call") {
  ReportTurnResult result;
  result.turn = turn(1);
  result.basis = CostBasis::reported;
  result.deferred = call;
  return result;
}

std::vector<Fact> deferred(bool is_multi_turn = false) {
  return support::running(is_multi_turn) + raised() +
         fact(TurnReturned{turn(1), 0, 0, "call"}).by_report(1, 4) +
         fact(QueuePaused{EndReason::deferred}).by_report(1, 4);
}

// Its agent has ended, too.
std::vector<Fact> parted(bool is_multi_turn = false) {
  return deferred(is_multi_turn) + fact(LeaseReleased{kToken}).by_report(1, 5);
}

template <class E>
bool emits(const support::When& decided) {
  REQUIRE(decided.outcome());
  return std::any_of(decided.outcome()->begin(), decided.outcome()->end(),
                     [](const Emitted& emitted) { return emitted.event.is<E>(); });
}

TEST_CASE("a turn whose agent waits without a process is the first of the queue again",
          "[session]") {
  const auto world =
      given(support::running(false) + raised())
          .when(support::report(4, deferring()))
          .then(TurnReturned{turn(1), 0, 0, "call"}, QueuePaused{EndReason::deferred});
  const SessionState& s = world.session();
  CHECK(s.inconsistent.value == 0);
  CHECK(s.queue.front().deferred == "call");
  CHECK(s.asks->front().is_deferred);
  CHECK(attention_of(s) == Attention::asks);
}

TEST_CASE("a result that defers what nobody was asked is like others", "[session]") {
  CHECK(emits<TurnFinished>(
      given(support::running() + raised()).when(support::report(4, deferring("other")))));
}

TEST_CASE("a session of one prompt lives on without its agent while it asks", "[session]") {
  const auto world = given(deferred()).when(support::report(5, ReportAgentExited{}));
  CHECK_FALSE(emits<SessionClosed>(world));
  CHECK_FALSE(emits<AskClosed>(world));
  CHECK(is_unanswered(world.after().session().asks));
  CHECK(is_live(world.after().session().status));
}

TEST_CASE("the answer lets the turn go on with another process", "[session]") {
  const auto world =
      given(parted())
          .when(AnswerAsk{1, AskVerdict::granted, "[\"that\"]"})
          .then(fact(AskAnswered{1, AskVerdict::granted, AskBasis::person}).with("[\"that\"]"),
                QueueContinued{});
  // The agent has the prompt, and is told the answer.
  GrantLease grant{support::kWorker};
  const auto again = world.when(grant);
  CHECK(emits<TurnStarted>(again));
  const SessionState s = again.after().session();
  REQUIRE(s.turn);
  CHECK(s.turn->deferred == "call");
  const auto texts = texts_needed(s);
  CHECK(std::none_of(texts.begin(), texts.end(),
                     [](const NeededText& text) { return text.role == TextRole::prompt; }));
  CHECK(texts.back().role == TextRole::answer);
}

TEST_CASE("an answer that comes before the process has ended lets the next one go on",
          "[session]") {
  const auto answered =
      deferred() + fact(AskAnswered{1, AskVerdict::granted, AskBasis::person}).with("[\"that\"]");
  given(deferred())
      .when(AnswerAsk{1, AskVerdict::granted, "[\"that\"]"})
      .then(fact(AskAnswered{1, AskVerdict::granted, AskBasis::person}).with("[\"that\"]"));
  CHECK(emits<QueueContinued>(given(answered).when(support::report(5, ReportAgentExited{}))));
}

std::vector<Fact> told_again() {
  return parted() + fact(AskAnswered{1, AskVerdict::granted, AskBasis::person}).with("[\"that\"]") +
         QueueContinued{} + LeaseGranted{support::kWorker, kToken.next(), "agent-session"} +
         TurnStarted{turn(1), kToken.next()};
}

TEST_CASE("a process that is lost before it heard the answer leaves it to the next", "[session]") {
  ExpireLease expire;
  expire.token = kToken.next();
  expire.told = turn(1);
  const auto world = given(told_again()).when(expire);
  CHECK(emits<TurnReturned>(world));
  CHECK_FALSE(emits<AskClosed>(world));
  CHECK_FALSE(emits<QueuePaused>(world));
  CHECK(world.after().session().queue.front().deferred == "call");
}

TEST_CASE("behind the answer a turn that was deferred is one like others", "[session]") {
  const auto heard = given(told_again() + fact(AskClosed{1, AskEnd::told}).by_report(2, 1));
  REQUIRE(heard.session().turn);
  CHECK(heard.session().turn->deferred->empty());
  CHECK(heard.session().inconsistent.value == 0);
}

TEST_CASE("an agent that lost its session is given the prompt, and not the answer", "[session]") {
  const auto lost = given(told_again()).when(support::report(1, ReportAgentSessionLost{"gone"}, 2));
  CHECK(emits<AskClosed>(lost));
  CHECK(lost.after().session().turn->deferred->empty());
}

TEST_CASE("what is deferred ends with its session, its turn, and an agent that goes on without it",
          "[session]") {
  const auto ends = [](const support::When& decided) {
    REQUIRE(decided.outcome());
    std::size_t closed = 0;
    for (const Emitted& emitted : *decided.outcome()) closed += emitted.event.is<AskClosed>();
    CHECK(closed == 1);
    CHECK(decided.after().session().asks->empty());
    CHECK(decided.after().session().inconsistent.value == 0);
  };
  ends(given(parted()).when(KillSession{}));
  ends(given(parted()).when(InterruptTurn{}));
  ends(given(parted(true)).when(InterruptTurn{turn(1)}));
  ReportTurnResult over;
  over.turn = turn(1);
  over.basis = CostBasis::reported;
  over.text = "Done.";
  ends(given(told_again()).when(support::report(1, over, 2)));
}

TEST_CASE("the prompts behind a turn that is interrupted while it is deferred go on", "[session]") {
  const auto world = given(parted(true) + TurnQueued{turn(2)}).when(InterruptTurn{turn(1)});
  CHECK(emits<QueueContinued>(world));
  CHECK(world.after().session().pause == EndReason::none);
}

TEST_CASE("a prompt that interrupts takes the place of what is deferred", "[session]") {
  const auto world = given(parted(true)).when(SendPrompt{"do this", true});
  CHECK(emits<TurnInterrupted>(world));
  CHECK(emits<AskClosed>(world));
  CHECK(emits<QueueContinued>(world));
  CHECK(world.after().session().queue.size() == 1);
  CHECK(world.after().session().inconsistent.value == 0);
}

TEST_CASE("an interrupt that meets the wait ends the turn and what it asks", "[session]") {
  const auto world = given(support::running() + raised() + InterruptRequested{turn(1)})
                         .when(support::report(4, deferring()));
  CHECK(emits<TurnInterrupted>(world));
  CHECK(emits<AskClosed>(world));
  CHECK_FALSE(emits<TurnReturned>(world));
}

TEST_CASE("a session that waits without a process has no place among those that run", "[session]") {
  const auto world = given(deferred()).when(support::report(5, ReportAgentExited{}));
  CHECK(emits<SessionParked>(world));
  CHECK(attention_of(world.after().session()) == Attention::asks);
}

TEST_CASE("what a turn has cost before it was deferred is the turn's", "[session]") {
  auto spending = deferring();
  spending.spent = {{"model", {1, 2, 0, 0}, {5}}};
  const auto world = given(support::running(false) + raised()).when(support::report(4, spending));
  CHECK(world.after().session().turn_spent->size() == 1);
  CHECK(world.after().session().cost == NanoUsd{5});
}

TEST_CASE("nobody in time answers what is deferred, too", "[session]") {
  auto past = parted();
  auto& spec = past.front().event.get<SessionOpened>().spec;
  spec.edit().approval_timeout = base::Duration{10};
  support::Given world = given(past);
  world.context.now = world.session().asks->front().since + base::Duration{10};
  CHECK(emits<QueueContinued>(world.when(PassDeadline{DeadlineKind::ask})));
}

}  // namespace
}  // namespace domain
