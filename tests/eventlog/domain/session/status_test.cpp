// The five statuses of a session: starting, running from the agent's init on, and the three final
// ones: completed, failed, killed.
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tests/support/random_value.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::given;

std::vector<Fact> ended(SessionStatus status) {
  return support::idle() + SessionClosed{status, EndReason::none};
}

TEST_CASE("no event leads out of a terminal status", "[session][R005][R012][C05]") {
  base::SeededRandom random(7);
  support::RandomValue values(random, false);
  for (const auto status :
       {SessionStatus::completed, SessionStatus::failed, SessionStatus::killed}) {
    const SessionState state = given(ended(status)).session();
    REQUIRE(state.status == status);
    for (const std::string_view type : event_types()) {
      for (int round = 0; round < 50; ++round) {
        Event event = *make_event(type);
        domain::visit([&](auto& e) { values.fill(e); }, event);
        if (round % 2 == 0) {
          // Half of the events concern the session's turn and lease, to come nearer to the rules.
          domain::visit(
              [](auto& e) {
                if constexpr (requires { e.turn; }) e.turn = support::turn(1);
                if constexpr (requires { e.token; }) e.token = support::kToken;
              },
              event);
        }
        SessionState next = state;
        Envelope envelope;
        envelope.position = {100};
        evolve(next, envelope, event);
        INFO(support::text_of(event));
        REQUIRE(next.status == status);
        REQUIRE_FALSE(next.turn);
        REQUIRE(next.queue.empty());
      }
    }
  }
}

TEST_CASE("a session starts with its opening and runs from the agent's init on",
          "[session][R006][R007]") {
  CHECK(given().session().status == SessionStatus::none);
  CHECK(given(support::starting()).session().status == SessionStatus::starting);
  CHECK(given(support::leased()).session().status == SessionStatus::starting);
  CHECK(given(support::leased(), AgentStarted{1, 1}).session().status == SessionStatus::starting);
  CHECK(given(support::running()).session().status == SessionStatus::running);
  CHECK(given(support::idle()).session().status == SessionStatus::running);
}

TEST_CASE("a session closes only with no turn open and into a terminal status", "[session]") {
  const auto is_impossible = [](const std::vector<Fact>& past, Event event) {
    auto world = given(past);
    const SessionStatus before = world.session().status;
    domain::visit([&](const auto& e) { world.fold(Fact(e)); }, event);
    return world.session().inconsistent.value != 0 && world.session().status == before;
  };
  const SessionClosed closed{SessionStatus::completed, EndReason::none};
  CHECK(is_impossible(support::running(), closed));
  CHECK(is_impossible(support::starting(), closed));
  CHECK(is_impossible({}, closed));
  CHECK(is_impossible(support::killed(), closed));
  for (const auto status : {SessionStatus::none, SessionStatus::starting, SessionStatus::running}) {
    CHECK(is_impossible(support::idle(), SessionClosed{status, EndReason::none}));
  }
  CHECK_FALSE(is_impossible(support::idle(), closed));
}

TEST_CASE("a session that was closed before it ran is killed, not completed", "[session][R009]") {
  const SessionClosed closed{SessionStatus::killed, EndReason::user};
  const auto interrupted =
      support::leased() + support::fact(TurnInterrupted{support::turn(1), EndReason::user, {}});
  given(interrupted + support::fact(LeaseExpired{support::kToken}))
      .when(CloseSession{})
      .then(CloseRequested{}, closed, support::name_released(), support::place_released());
  given(interrupted + support::fact(CloseRequested{}))
      .when(support::report(1, ReportAgentExited{}))
      .then(AgentExited{}, LeaseReleased{support::kToken}, closed, support::name_released(),
            support::place_released());
  ReportTurnResult result;
  result.turn = support::turn(1);
  result.is_error = true;
  given(support::leased(), InterruptRequested{support::turn(1)}, CloseRequested{})
      .when(support::report(1, result))
      .then(TurnInterrupted{support::turn(1), EndReason::user, {}}, closed,
            support::name_released(), support::place_released_with_lease());
}

TEST_CASE("exactly five statuses exist besides none", "[session][R005]") {
  CHECK(std::size(base::EnumNames<SessionStatus>::kNames) == 6);
  int live = 0;
  int terminal = 0;
  for (std::size_t i = 0; i < std::size(base::EnumNames<SessionStatus>::kNames); ++i) {
    live += is_live(static_cast<SessionStatus>(i)) ? 1 : 0;
    terminal += is_terminal(static_cast<SessionStatus>(i)) ? 1 : 0;
  }
  CHECK(live == 2);
  CHECK(terminal == 3);
}

}  // namespace
}  // namespace domain
