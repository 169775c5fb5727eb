// A file that is written beside its place and put there when it is whole, so that whoever reads the
// place never finds half of it.
#pragma once

#include <string>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "eventlog/base/unique_fd.hpp"

namespace base {

// A file that is there already stays, or is replaced.
enum class OldFile { kept, replaced };

class NewFile {
 public:
  // Makes PATH.new, of its user alone (0600). Errors: conflict: a file is there that is to be kept,
  // or another program is writing it; io.
  static Result<NewFile> open(const std::string& path, OldFile old);
  NewFile(NewFile&& other) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  // Removes PATH.new, unless it was put in its place.
  ~NewFile();

  // Error: io.
  Result<void> write(std::string_view bytes);
  // Sets its permissions, such as 0644. Error: io.
  Result<void> set_mode(unsigned mode);
  // Puts the file in its place, on disk. False: the same bytes are there, and the file was left as
  // it is. Errors: as open().
  Result<bool> finish();

 private:
  NewFile(std::string path, OldFile old, UniqueFd file);

  std::string path_;
  OldFile old_;
  UniqueFd file_;
};

}  // namespace base
