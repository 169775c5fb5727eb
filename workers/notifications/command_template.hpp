// The arguments of a sink's program: words in which names in braces stand for values, such as
// {text}. No shell ever sees them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"

namespace workers {

// Errors: invalid, for no program, and for a name in braces that is not known; it lists those that
// are. A brace that is not closed stands for itself.
base::Result<void> check_template(const std::vector<std::string>& words);

// Returns the values that a channel has: its parts, and as {origin} the whole of it.
std::map<std::string, std::string> route_values(const std::string& channel);

// Returns the words with all values in their places, without NULs, at which arguments end. A word
// that is one empty value is left out, with the option (--…) before it.
std::vector<std::string> fill_template(const std::vector<std::string>& words,
                                       const std::map<std::string, std::string>& values);

}  // namespace workers
