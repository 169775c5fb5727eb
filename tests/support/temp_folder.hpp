// A folder for one test, removed with everything in it at the end.
#pragma once

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace support {

class TempFolder {
 public:
  // In memory if the system offers it: most tests are about behaviour, and a sync of a busy disk
  // takes longer than the rest of them. `on_disk` is for tests about the disk.
  explicit TempFolder(bool on_disk = false) {
    const std::filesystem::path memory = "/dev/shm";
    const bool in_memory = !on_disk && std::filesystem::is_directory(memory);
    const auto parent = in_memory ? memory : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "steno-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace support
