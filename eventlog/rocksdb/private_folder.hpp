// A folder for the time being, which nobody else can read: made where the system keeps temporary
// files (TMPDIR), 0700, and removed with all that is in it.
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
