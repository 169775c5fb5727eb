// Makes paths absolute for the server, which runs in another folder than its clients.
#pragma once

#include <string>

namespace steno {

// Returns the path without ".", "..", doubled slashes, or a slash at its end.
std::string normal_path(const std::string& path);

// Returns the path from the current folder, in the form of normal_path().
std::string absolute_path(const std::string& path);

// Returns what HOME says; empty: it says nothing.
std::string user_home();

}  // namespace steno
