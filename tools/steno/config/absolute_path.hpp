// Paths as the server needs them, who runs in another folder than who asks.
#pragma once

#include <string>

namespace steno {

// Without ".", "..", doubled slashes, or a slash at its end.
std::string normal_path(const std::string& path);

// From the current folder, in the form of normal_path().
std::string absolute_path(const std::string& path);

}  // namespace steno
