// mkdtemp gives the folder a name that is free and the mode 0700 in one step.
#include "eventlog/rocksdb/private_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace eventlog {

base::Result<PrivateFolder> PrivateFolder::make() {
  std::error_code failed;
  const auto parent = std::filesystem::temp_directory_path(failed);
  std::string path = (failed ? std::filesystem::path("/tmp") : parent) / "steno-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return base::failure(base::ErrorCode::io,
                         std::string("cannot make a temporary folder: ") + std::strerror(errno) +
                             "; TMPDIR names the folder to make it in",
                         path);
  }
  return PrivateFolder(std::move(path));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace eventlog
