// When a file was last changed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace workers {

// In nanoseconds since 1970; 0: the file is not there.
inline std::int64_t changed_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return 0;
  return facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

}  // namespace workers
