// A session's output, read in pages.
#pragma once

#include <string>

#include "tools/steno/connection/connection.hpp"

namespace steno {

// Asks for the page that begins with the `blocks`th last block that the agent said; −1: with the
// first item. If the answer has more, ask for the next page after its `through`.
Outcome<workers::OutputAnswer> first_output_page(Connection& connection,
                                                 const std::string& reference, std::int64_t blocks);
// Asks for the next page of everything after a position.
Outcome<workers::OutputAnswer> next_output_page(Connection& connection,
                                                const std::string& reference, base::Position after);

}  // namespace steno
