// Names are compared up to their "=".
#include "workers/processes/program_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

extern char** environ;

namespace processes {

std::vector<char*> environment_with(const std::vector<std::string>& variables) {
  std::vector<char*> all;
  all.reserve(variables.size());
  for (const std::string& one : variables) {
    if (one.find('=') != std::string::npos) all.push_back(const_cast<char*>(one.c_str()));
  }
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view name(*one, std::strcspn(*one, "="));
    const bool is_changed = std::any_of(
        variables.begin(), variables.end(),
        [&](std::string_view variable) { return variable.substr(0, variable.find('=')) == name; });
    if (!is_changed) all.push_back(*one);
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace processes
