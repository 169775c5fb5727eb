// The turns of a session, counted from 1 in the order in which they began: those of prompts and
// the agent's own.
#pragma once

#include <string>
#include <vector>

#include "workers/operations/caller.hpp"
#include "workers/protocol/queries.hpp"

namespace workers {

struct SessionTurn {
  base::TurnId turn;
  base::Position from;     // of the event by which it began, or ended without having begun
  base::Position through;  // of its end; 0: it goes on, or no event says so
  base::Time began;        // log time; of an imported one, when its prompt was said
  bool is_own = false;     // the agent began it by itself

  bool operator==(const SessionTurn&) const = default;
};

struct SessionTurns {
  std::vector<SessionTurn> turns;
  std::string archived;  // where earlier ones are that cannot be read here; then the first is not 1
};

// Adds what the items of an outline say. One that is started again is still the same turn.
void add_turns(const std::vector<OutputItem>& outline, std::vector<SessionTurn>& turns);

// Reads the facts of the whole session, and no texts.
Task<Outcome<SessionTurns>> session_turns(const Caller& caller, const std::string& reference);

}  // namespace workers
