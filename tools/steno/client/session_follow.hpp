// Follows a session or a turn to its end: prints, hands on further prompts from stdin, turns Ctrl-C
// into an interrupt, then a kill, and leaves with Ctrl-\.
#pragma once

#include "tools/steno/client/line_editor.hpp"
#include "tools/steno/client/own_screen.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

struct FollowRequest {
  base::SessionId session;
  std::string agent;
  std::string alias;            // of the session, for what is said of it
  base::Position after;         // position of the command's reply
  base::TurnId turn;            // the turn that the command queued; unset: none is known
  bool ends_with_turn = false;  // stop at the turn's end, not the session's
  bool shows_all = false;       // with ends_with_turn: also what is said in other turns
  bool is_onlooker = false;     // Ctrl-C ends only the following; the session goes on
  LineInput* input = nullptr;   // source of further prompts; null: none
  // The same, if prompts are typed also while a turn runs; its end leaves the session. Answers are
  // typed there, too, and Ctrl-C interrupts only when it is pressed twice.
  LineEditor* editor = nullptr;
  OwnScreen* screen = nullptr;  // left before the last words; null: none was taken
};

// Follows in the form that the configuration's `output` names. Returns:
//   kExitOk           the session completed, or the turn finished
//   kExitRefused      one of its tool calls was denied; never for an onlooker
//   kExitFailed, kExitBudget
//   kExitInterrupted  Ctrl-C ended it
Outcome<int> follow_session(Connection& connection, const FollowRequest& request);

// Fetches content that was too large to travel with its event.
Outcome<std::string> fetch_content(Connection& connection, const std::string& agent,
                                   base::SessionId session, base::Position position);

}  // namespace steno
