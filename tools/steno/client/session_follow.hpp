// Follows a session to its end, or a turn to its own: prints, hands on further prompts from stdin,
// and turns Ctrl-C into an interrupt, then a kill.
#pragma once

#include "tools/steno/client/connection.hpp"
#include "tools/steno/client/line_input.hpp"

namespace steno {

struct FollowRequest {
  base::SessionId session;
  std::string agent;
  base::Position after;         // of the command's reply
  base::TurnId turn;            // that the command queued; unset: none is known
  bool ends_with_turn = false;  // else with the session
  bool is_onlooker = false;     // Ctrl-C ends the following alone; the session goes on
  LineInput* input = nullptr;   // where further prompts come from; null: nowhere
};

// kExitOk where the session completed (or the turn finished), kExitRefused where one of its tool
// calls was denied, unless by an onlooker, kExitFailed, kExitBudget, or kExitInterrupted after
// Ctrl-C ended it. In the form that the configuration's `output` names.
Outcome<int> follow_session(Connection& connection, const FollowRequest& request);

// Content that was too large to travel with its event.
Outcome<std::string> fetch_content(Connection& connection, const std::string& agent,
                                   base::SessionId session, base::Position position);

}  // namespace steno
