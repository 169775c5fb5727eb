// A small file, read to its end through one descriptor. A failure to read all of it is an error,
// and never half a file.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "eventlog/base/result.hpp"

namespace steno {

struct WholeFile {
  std::string bytes;
  uid_t owner = 0;
  mode_t mode = 0;  // its permissions
};

// Reads the file. Owner and permissions are those of the file whose bytes were read. Errors:
// not_found; too_large; io, also for what is no file, such as a folder or a pipe.
base::Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace steno
