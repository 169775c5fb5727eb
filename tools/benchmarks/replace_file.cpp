// Bare system calls.
#include "tools/benchmarks/replace_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "tools/benchmarks/failure.hpp"

namespace benchmarks {

base::Result<void> replace_file(const std::string& folder, const std::string& name,
                                const std::string& text) {
  const std::string path = folder + "/" + name;
  const std::string next = path + ".new";
  const int fd = open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool is_written =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fdatasync(fd) == 0;
  if (fd >= 0) close(fd);
  const int parent = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_renamed =
      is_written && rename(next.c_str(), path.c_str()) == 0 && parent >= 0 && fsync(parent) == 0;
  if (parent >= 0) close(parent);
  if (is_renamed) return {};
  return tl::unexpected(errno_error(path));
}

}  // namespace benchmarks
