#include "tools/steno/absolute_path.hpp"

#include <filesystem>

namespace steno {

std::string absolute_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path found = std::filesystem::absolute(path, error).lexically_normal();
  if (!found.has_filename()) found = found.parent_path();  // "a/b/"
  return error ? path : found.string();
}

}  // namespace steno
