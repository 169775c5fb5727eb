// A listing of a folder's files, to show that nothing was written into it.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

namespace support {

// Returns size and time of change of everything in the folder and below, by path.
inline std::map<std::string, std::string> listing(const std::string& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    struct stat status {};
    ::stat(entry.path().c_str(), &status);
    found[entry.path()] = std::to_string(status.st_size) + " " +
                          std::to_string(status.st_mtim.tv_sec) + "." +
                          std::to_string(status.st_mtim.tv_nsec);
  }
  return found;
}

}  // namespace support
