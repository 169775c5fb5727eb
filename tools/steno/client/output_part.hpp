// Which part of a session's output is printed: one turn, or what was said since some time.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "tools/steno/client/client_commands.hpp"
#include "workers/operations/session_turns.hpp"

namespace steno {

// It lies behind `after`, and ends with `through`. In between, items of other turns and older ones
// are no part of it.
struct OutputPart {
  base::Position after;
  base::Position through{std::numeric_limits<std::int64_t>::max()};
  base::TurnId turn;  // unset: any
  base::Time since;   // 0: ever

  bool has(const workers::OutputItem& item) const;
};

// True if the arguments ask for a part by its turn or its time.
bool asks_for_part(const OutputArguments& arguments);

// Chooses the part that the arguments ask for. `since`: what they say of it; `name`: of the
// session. Failure: kExitNotFound, there is no such turn.
Outcome<OutputPart> choose_part(const OutputArguments& arguments, base::Time since,
                                const workers::SessionTurns& turns, const std::string& name);

}  // namespace steno
