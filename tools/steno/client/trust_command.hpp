// `steno config trust`: a person lets a project's file give agents more than their own settings do.
// Nothing is trusted that was not shown.
#pragma once

#include <string>

#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

struct TrustArguments {
  std::string file;           // or its folder; empty: the one that is above this process's folder
  bool is_forgotten = false;  // trust is taken away
  bool is_confirmed = false;  // do not ask for confirmation
};
// Shows what the file gives beyond the user's own settings, and trusts it as it is. Failures: an
// agent calls; nobody confirms it, or can be asked; the file is wrong.
Outcome<int> config_trust(const Config& config, const TrustArguments& arguments);

}  // namespace steno
