// The worktree of a session that this process opens, and follows.
#pragma once

#include "tools/steno/client/worktree.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

// The session was not opened. The worktree goes, unless the server may have opened it nevertheless.
void drop_worktree(const NewWorktree& made, const Failure& why);

// Tells where the session works.
void tell_worktree(const NewWorktree& made);

// Called when the session is not followed any more. If it has ended, its worktree is removed or
// stays, as the setting says, and that is told.
void settle_worktree(Connection& connection, const NewWorktree& made, base::SessionId session,
                     const std::string& alias);

}  // namespace steno
