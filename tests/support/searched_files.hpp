// Searches every file below a folder for bytes: erased content must be in none of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace support {

// Returns the files that contain the text, by name, ascending. Each is read whole.
inline std::vector<std::string> files_with(const std::string& folder, std::string_view text) {
  std::vector<std::string> found;
  const std::boyer_moore_searcher searcher(text.begin(), text.end());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (std::search(bytes.begin(), bytes.end(), searcher) == bytes.end()) continue;
    found.push_back(std::filesystem::relative(entry.path(), folder).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace support
