// The past as people say it: how long ago, or when.
#pragma once

#include <string>

#include "tools/steno/text/failure.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {

// Takes an age such as 7d, or a time such as 2026-11-20. A text that is neither, or a time that is
// to come, is a Failure with kExitUsage.
Outcome<base::Time> since_of(const std::string& text, base::Time now);

}  // namespace steno
