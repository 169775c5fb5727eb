// Paths as the server needs them, who runs in another folder than who asks.
#pragma once

#include <string>

namespace steno {

// From the current folder, without a slash at its end.
std::string absolute_path(const std::string& path);

}  // namespace steno
