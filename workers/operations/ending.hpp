// Ends sessions and turns.
#pragma once

#include <string>

#include "workers/operations/caller.hpp"

namespace workers {

struct Killed {
  CommandReplyBody reply;
  std::string line;  // what to say of it
};

// Kills a session; one that has ended stays as it is. `is_quiet`: nobody is notified.
Task<Outcome<Killed>> kill_session(const Caller& caller, const projections::SessionRow& row,
                                   bool is_quiet = false);

// Interrupts the turn that the session runs now. A conflict: it runs none.
Task<Outcome<CommandReplyBody>> interrupt_session(const Caller& caller,
                                                  const projections::SessionRow& row);

}  // namespace workers
