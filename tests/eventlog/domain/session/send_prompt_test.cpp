// A prompt starts a turn, waits or is refused, depending on the session's state and its limits.
#include "eventlog/base/random.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kOwnTurn;
using support::kToken;
using support::turn;

const SendPrompt kPrompt{"And now this", false};
const SendPrompt kInterrupting{"Stop, do this", true};

TEST_CASE("a prompt to an idle session starts at once", "[session][R021][R055]") {
  const auto after =
      given(support::idle())
          .when(kPrompt)
          .then(fact(TurnQueued{kOwnTurn}).with(kPrompt.prompt), TurnStarted{kOwnTurn, kToken});
  CHECK(after.session().turn->turn == kOwnTurn);
  CHECK(after.session().queue.empty());
}

TEST_CASE("a prompt to a busy session waits", "[session][R054]") {
  const auto after =
      given(support::running()).when(kPrompt).then(fact(TurnQueued{kOwnTurn}).with(kPrompt.prompt));
  CHECK(after.session().turn->turn == turn(1));
  CHECK(after.session().queue.size() == 1);
}

TEST_CASE("a prompt to a session without a worker waits", "[session]") {
  given(support::starting()).when(kPrompt).then(fact(TurnQueued{kOwnTurn}).with(kPrompt.prompt));
  given(support::unleased()).when(kPrompt).then(fact(TurnQueued{kOwnTurn}).with(kPrompt.prompt));
}

TEST_CASE("an interrupting prompt asks the running turn to end, once", "[session]") {
  given(support::running())
      .when(kInterrupting)
      .then(fact(TurnQueued{kOwnTurn}).with(kInterrupting.prompt), InterruptRequested{turn(1)});
  given(support::running(), InterruptRequested{turn(1)})
      .when(kInterrupting)
      .then(fact(TurnQueued{kOwnTurn}).with(kInterrupting.prompt));
  given(support::idle())
      .when(kInterrupting)
      .then(fact(TurnQueued{kOwnTurn}).with(kInterrupting.prompt), TurnStarted{kOwnTurn, kToken});
}

TEST_CASE("a prompt to no session is refused", "[session]") {
  given().when(kPrompt).then_rejected(RejectionCode::not_found);
}

TEST_CASE("a prompt to an ended session is refused", "[session]") {
  given(support::killed()).when(kPrompt).then_rejected(RejectionCode::session_ended);
}

TEST_CASE("a prompt comes from a session of the same agent, or from none", "[session]") {
  SendPrompt from_there = kPrompt;
  from_there.from = support::kSource;
  given(support::running()).when(from_there).then_rejected(RejectionCode::not_found);
  const SessionOpened opened{support::kSource,           "main", "first",          "alias000", {},
                             support::sample_spec(true), {},     support::kSource, {}};
  given(support::running() + fact(opened).on(support::kSourceStream))
      .when(from_there)
      .then(fact(TurnQueued{kOwnTurn, support::kSource}).with(kPrompt.prompt));
  SendPrompt from_itself = kPrompt;
  from_itself.from = support::kSession;
  given(support::running())
      .when(from_itself)
      .then(fact(TurnQueued{kOwnTurn, support::kSession}).with(kPrompt.prompt));
}

TEST_CASE("an empty prompt is refused", "[session]") {
  given(support::idle()).when(SendPrompt{}).then_rejected(RejectionCode::invalid);
}

TEST_CASE("a prompt over the largest text of an event is refused", "[session]") {
  const auto largest = static_cast<std::size_t>(kContentBytesMax);
  given(support::idle())
      .when(SendPrompt{std::string(largest + 1, 'x'), false})
      .then_rejected(RejectionCode::limit_reached);
}

TEST_CASE("a closing session takes no further prompt", "[session]") {
  given(support::running(), CloseRequested{})
      .when(kPrompt)
      .then_rejected(RejectionCode::not_accepting);
}

TEST_CASE("the queue of prompts is bounded", "[session]") {
  Limits limits;
  limits.queue_max = 2;
  const auto one_waits = given(support::running(), TurnQueued{turn(2)}).with_limits(limits);
  CHECK(one_waits.when(kPrompt).outcome());
  given(support::running(), TurnQueued{turn(2)}, TurnQueued{turn(3)})
      .with_limits(limits)
      .when(kPrompt)
      .then_rejected(RejectionCode::limit_reached);
}

TEST_CASE("an id from before the commands that a session remembers is refused", "[session]") {
  constexpr Time kThen{1'800'000'000'000'000};
  constexpr auto kCount = static_cast<std::int64_t>(kRememberedMax);
  base::SeededRandom random(6);
  support::Given full = given(support::idle());
  for (std::int64_t i = 0; i <= kCount; ++i) {
    Envelope envelope;
    envelope.actor_kind = ActorKind::client;
    envelope.log_time = kThen + std::chrono::milliseconds(i);
    envelope.command = CommandId::make(envelope.log_time, random);
    full.fold(support::Fact(NothingChanged{}), envelope);
  }
  full.context.now = full.context.wall = kThen + std::chrono::hours(1);
  full.context.command = CommandId::make(kThen, random);
  full.when(kPrompt).then_rejected(RejectionCode::id_too_old);
  CHECK(full.when(KillSession{}).outcome());
  full.context.command = CommandId::make(kThen + std::chrono::milliseconds(kCount), random);
  CHECK(full.when(kPrompt).outcome());
  full.context.command = support::kCommand;  // does not tell when it was made
  CHECK(full.when(kPrompt).outcome());
}

TEST_CASE("a session that contradicts itself can only be killed", "[session]") {
  const auto torn = given(support::idle(), TurnStarted{turn(5), kToken}).even_inconsistent();
  REQUIRE(torn.session().inconsistent.value != 0);
  torn.when(kPrompt).then_rejected(RejectionCode::inconsistent);
  torn.when(CloseSession{}).then_rejected(RejectionCode::inconsistent);
  torn.when(InterruptTurn{turn(1)}).then_rejected(RejectionCode::inconsistent);
  torn.when(KillSession{})
      .then(SessionClosed{SessionStatus::killed, EndReason::user}, support::name_released(),
            support::place_released_with_lease());
}

}  // namespace
}  // namespace domain
