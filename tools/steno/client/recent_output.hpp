// The end of what a session has put out.
#pragma once

#include "tools/steno/connection/connection.hpp"

namespace steno {

// Prints the session's heading and so many of the last blocks that its agent said, with everything
// between them. Returns the position up to which that is all.
Outcome<base::Position> print_recent_output(Connection& connection, const std::string& reference,
                                            std::int64_t blocks);

}  // namespace steno
