// The table of what an agent's end means, row by row and over all of its rows.
#include "eventlog/domain/session/agent_exit.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

// Calls `use` with each row that can be. A turn that somebody asked to end is not retried; only a
// queue can be paused; a limit is of what was asked to end.
template <class Use>
std::size_t for_each_row(Use&& use) {
  constexpr TurnAtExit kTurns[] = {TurnAtExit::none, TurnAtExit::given, TurnAtExit::ungiven,
                                   TurnAtExit::refused, TurnAtExit::passed};
  constexpr OwnTurnAtExit kOwn[] = {OwnTurnAtExit::none, OwnTurnAtExit::at_work,
                                    OwnTurnAtExit::asked_to_end};
  constexpr EndReason kLimits[] = {EndReason::none, EndReason::budget, EndReason::run_timeout};
  std::size_t rows = 0;
  for (unsigned bits = 0; bits < 1u << 11; ++bits) {
    ExitFacts f;
    unsigned left = bits;
    for (bool* each : {&f.is_stopped, &f.has_run, &f.is_clean, &f.is_lost, &f.is_multi_turn,
                       &f.is_close_requested, &f.has_queue, &f.is_paused, &f.waits_for_tasks,
                       &f.is_asked_to_end, &f.can_be_retried}) {
      *each = (left & 1) != 0;
      left >>= 1;
    }
    for (const TurnAtExit turn : kTurns) {
      for (const OwnTurnAtExit own : kOwn) {
        for (const EndReason turn_limit : kLimits) {
          for (const EndReason own_limit : kLimits) {
            f.turn = turn;
            f.own = own;
            f.turn_limit = turn_limit;
            f.own_limit = own_limit;
            const bool has_turn = turn != TurnAtExit::none;
            const bool is_possible =
                (has_turn || (!f.is_asked_to_end && !f.can_be_retried)) &&
                (!f.is_paused || (f.has_queue && !has_turn)) &&
                !(f.is_asked_to_end && f.can_be_retried) &&
                (f.is_asked_to_end || turn_limit == EndReason::none) &&
                (own == OwnTurnAtExit::asked_to_end || own_limit == EndReason::none);
            if (!is_possible) continue;
            use(f, after_exit(f));
            ++rows;
          }
        }
      }
    }
  }
  return rows;
}

bool is_kept(const ExitVerdict& verdict) {
  return verdict.turn == TurnAfterExit::returned || verdict.turn == TurnAfterExit::retried;
}

bool decides_alone(const ExitVerdict& verdict) {
  return verdict.turn == TurnAfterExit::limited || verdict.turn == TurnAfterExit::unbegun;
}

TEST_CASE("whatever an agent's end is, its turn has one end and is lost to nobody", "[session]") {
  const std::size_t rows = for_each_row([](const ExitFacts& f, const ExitVerdict& v) {
    const bool has_turn = f.turn != TurnAtExit::none;
    const bool may_have_worked = f.turn == TurnAtExit::given && !f.is_lost;
    if ((v.turn == TurnAfterExit::none) == has_turn) FAIL("a turn without an end");
    if (f.is_asked_to_end && is_kept(v)) FAIL("a turn that was to end goes on");
    if (v.turn == TurnAfterExit::returned && may_have_worked) FAIL("the work is done twice");
    if (v.turn == TurnAfterExit::withdrawn && may_have_worked) FAIL("its cost is forgotten");
    if (v.turn == TurnAfterExit::retried && !(f.is_stopped && f.can_be_retried)) {
      FAIL("it is retried without a policy");
    }
    const bool is_limit = has_turn && f.turn_limit != EndReason::none;
    if ((v.turn == TurnAfterExit::limited) != is_limit) FAIL("a limit decides what follows");
  });
  CHECK(rows > 10'000);
}

TEST_CASE("whatever an agent's end is, its session ends only if nothing is left for it",
          "[session]") {
  for_each_row([](const ExitFacts& f, const ExitVerdict& v) {
    if (decides_alone(v)) return;
    const bool is_closed = v.session == SessionAfterExit::closes;
    if (is_closed != (v.status != SessionStatus::none)) FAIL("an end without a status");
    if (is_closed && (!is_terminal(v.status) || v.reason == EndReason::none)) FAIL("no reason");
    if (is_kept(v) && (is_closed || v.session == SessionAfterExit::closes_as_asked)) {
      FAIL("a turn is kept in a session that has ended");
    }
    const bool is_asked = v.session == SessionAfterExit::closes_as_asked;
    if (is_asked && (!f.is_close_requested || f.has_queue)) FAIL("it closes with prompts");
    if (v.session == SessionAfterExit::pauses && !f.is_multi_turn) FAIL("it waits for nobody");
    const bool is_spent_own =
        f.own == OwnTurnAtExit::asked_to_end && is_spent(f.own_limit) && !is_kept(v);
    const bool lives_on = f.is_multi_turn && f.has_run && !f.is_close_requested && !is_spent_own;
    if (lives_on && (is_closed || is_asked)) FAIL("a session of several prompts outlives agents");
    const bool has_more = is_kept(v) || f.has_queue;
    const bool is_over = !f.is_multi_turn && !has_more;
    if (is_over && v.session == SessionAfterExit::stays) FAIL("a session that nobody goes on with");
  });
}

TEST_CASE("an agent that ends is judged by what it was at", "[session]") {
  ExitFacts f;
  f.has_run = true;
  f.turn = TurnAtExit::given;
  // The session takes one prompt only.
  ExitVerdict v = after_exit(f);
  CHECK(v.turn == TurnAfterExit::interrupted);
  CHECK(v.status == SessionStatus::failed);
  CHECK(v.reason == EndReason::agent_exited);
  f.is_multi_turn = true;
  CHECK(after_exit(f).session == SessionAfterExit::stays);
  f.has_queue = true;
  CHECK(after_exit(f).session == SessionAfterExit::pauses);
  f.is_stopped = true;  // with Steno
  v = after_exit(f);
  CHECK(v.turn == TurnAfterExit::interrupted);
  CHECK(v.turn_reason == EndReason::stopped);
  CHECK(v.session == SessionAfterExit::stays);
  f.can_be_retried = true;
  CHECK(after_exit(f).turn == TurnAfterExit::retried);
  f.can_be_retried = false;
  f.turn = TurnAtExit::ungiven;
  CHECK(after_exit(f).turn == TurnAfterExit::returned);
  f.is_asked_to_end = true;
  CHECK(after_exit(f).turn == TurnAfterExit::withdrawn);
  f = {};
  f.turn = TurnAtExit::ungiven;
  CHECK(after_exit(f).turn == TurnAfterExit::unbegun);
  f.is_asked_to_end = true;
  f.turn_limit = EndReason::run_timeout;
  CHECK(after_exit(f).turn == TurnAfterExit::limited);
}

}  // namespace
}  // namespace domain
