// Where the sockets lie if nobody says.
#pragma once

#include "tools/steno/config/config.hpp"

namespace steno {

constexpr std::string_view kByHome = "home by ";  // where a setting that follows from it comes from

// Returns the data folder's own, which lasts as long as the log. $XDG_RUNTIME_DIR is removed at the
// last logout, under a server that lives on; it is taken only if the other path is too long.
std::string default_run_folder(const Config& config, const ConfigInput& input);

}  // namespace steno
