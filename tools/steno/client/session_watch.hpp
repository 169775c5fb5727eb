// Asks about sessions anew whenever one of them can have come to rest, or to need a person.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/steno/connection/connection.hpp"

namespace steno {

// The outcome of one question.
struct Asked {
  base::Position position;  // that the answer was made at
  bool is_enough = false;   // nothing more is to be asked
};

// True if asking again later can help.
bool is_passing(const Failure& failure);

struct SessionWatch {
  std::string level;                    // of the feed
  std::optional<base::Duration> until;  // boot time
  bool ends_with_reader = false;        // of stdout, if that is a pipe
};

// Calls `ask` with the least position that its answer must have reached: at once, then for news of
// the level, until it has enough. `connection` must have taken interrupts. Returns:
//   kExitOk           `ask` has enough, or the reader has gone
//   kExitInterrupted  Ctrl-C
//   kExitTimeout      `until` has passed
// Failure: that of `ask`, unless asking again can help; the feed's.
Outcome<int> watch_sessions(Connection& connection, const SessionWatch& watch,
                            const std::function<Outcome<Asked>(base::Position)>& ask);

}  // namespace steno
