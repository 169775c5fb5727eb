// A temporary folder that no other user can read. It is made where the system keeps temporary files
// (TMPDIR), with mode 0700, and removed with everything in it.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"

namespace eventlog {

class PrivateFolder {
 public:
  // Error io: the folder cannot be made.
  static base::Result<PrivateFolder> make();

  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~PrivateFolder();

  const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: moved from
};

}  // namespace eventlog
