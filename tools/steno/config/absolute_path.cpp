// Normalizes paths lexically, without looking at the file system.
#include "tools/steno/config/absolute_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace steno {

std::string normal_path(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  // libstdc++ keeps several leading slashes; they mean one root.
  if (const auto first = normal.find_first_not_of('/'); first != 0) {
    normal.erase(0, std::min(first, normal.size()) - 1);
  }
  if (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::absolute(path, error);
  return error ? path : normal_path(found.string());
}

std::string user_home() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : home;
}

}  // namespace steno
