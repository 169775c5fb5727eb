// Finds the program that a command line starts, as the system would.
#pragma once

#include <string>

namespace steno {

// Returns the path of an executable: `program` itself if it has a slash, else the first of its name
// in the folders of `search_path`. Empty: there is none.
std::string find_program(const std::string& program, const std::string& search_path);

}  // namespace steno
