// Looks at each folder of the PATH in turn.
#include "tools/steno/config/find_program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace steno {
namespace {

bool is_executable(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& program, const std::string& search_path) {
  if (program.find('/') != std::string::npos) return is_executable(program) ? program : "";
  std::string_view rest = search_path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, colon)) + "/" + program;
    if (is_executable(candidate)) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

}  // namespace steno
