// Whether the kind of terminal that TERM names can be drawn on.
#pragma once

#include "tools/steno/text/failure.hpp"

namespace steno {

// Failure: it cannot, with the reason.
Outcome<bool> check_drawable();

// The failure for a terminal that cannot be drawn on.
tl::unexpected<Failure> not_drawable(const std::string& why);

}  // namespace steno
