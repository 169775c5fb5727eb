// A table decides what follows when an agent's process has ended, for its turn and for its session.
// reports.cpp makes the events that carry it out.
#pragma once

#include "eventlog/domain/spending.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// The current turn of a prompt when the agent's process has ended.
enum class TurnAtExit {
  none,
  given,    // the agent was given its prompt
  ungiven,  // it was not
  // The agent turned it down, because its provider takes nothing more for a while; or it waits for
  // an answer, which its next process is given.
  refused,
  passed,  // the agent was done with it, and the rest is for another one (TurnContinued)
};

// The agent's own turn, likewise.
enum class OwnTurnAtExit { none, at_work, asked_to_end };

struct ExitFacts {
  bool is_stopped = false;          // the worker ended it: it leaves, or the agent had no work
  bool has_run = false;             // it had introduced itself
  bool is_clean = false;            // it ended as an agent does that is done
  bool is_lost = false;             // it could not resume its agent session
  bool is_multi_turn = false;       // the session is
  bool is_close_requested = false;  // of the session
  bool has_queue = false;           // prompts wait behind the turn
  bool is_paused = false;           // and are not to be started
  bool waits_for_tasks = false;     // the session is to wait for tasks in the background
  TurnAtExit turn = TurnAtExit::none;
  bool is_asked_to_end = false;            // the turn was
  EndReason turn_limit = EndReason::none;  // the limit for which Steno asked; none: somebody did
  bool can_be_retried = false;             // the turn can, by the session's policy
  OwnTurnAtExit own = OwnTurnAtExit::none;
  EndReason own_limit = EndReason::none;  // as turn_limit, of the agent's own turn
};

// The turn goes on or ends in one of these ways.
enum class TurnAfterExit {
  none,
  returned,     // its prompt is the first of the queue again, as one that no agent was given
  retried,      // likewise, and this attempt counts
  withdrawn,    // somebody asked it to end before an agent worked at it
  interrupted,  // for `turn_reason`
  unbegun,      // no agent could begin: it is tried again after a while, or the session fails
  limited,      // Steno ended it for a limit, which decides what follows
};

// The session goes on or ends in one of these ways.
enum class SessionAfterExit {
  stays,            // its next agent goes on
  pauses,           // for `reason` its prompts wait for a person, unless it goes on regardless
  closes,           // with `status` and `reason`
  closes_as_asked,  // by the request to close it
};

struct ExitVerdict {
  TurnAfterExit turn = TurnAfterExit::none;
  EndReason turn_reason = EndReason::none;
  EndReason own_reason = EndReason::none;  // for which the agent's own turn is interrupted
  SessionAfterExit session = SessionAfterExit::stays;
  SessionStatus status = SessionStatus::none;
  EndReason reason = EndReason::none;

  bool operator==(const ExitVerdict&) const = default;
};

// If the turn is `unbegun` or `limited`, that decides about the session, too.
ExitVerdict after_exit(const ExitFacts& facts);

}  // namespace domain
