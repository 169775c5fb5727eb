// The path is opened once: what it names can be another file a moment later.
#include "tools/steno/config/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "eventlog/base/unique_fd.hpp"

namespace steno {
namespace {

using base::ErrorCode;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

tl::unexpected<base::Error> cannot_be_read(const std::string& path) {
  const int why = errno;
  return base::failure(why == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                       std::string("cannot be read: ") + std::strerror(why), path);
}

}  // namespace

base::Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max) {
  // A pipe that nobody writes into would be waited for.
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.get(), &facts) != 0) return cannot_be_read(path);
  if (!S_ISREG(facts.st_mode)) {
    return base::failure(ErrorCode::io, "it is no file that can be read", path);
  }
  WholeFile whole;
  whole.owner = facts.st_uid;
  whole.mode = facts.st_mode & 07777;
  std::string part(kReadBytes, '\0');
  while (whole.bytes.size() <= bytes_max) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count == 0) return whole;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_be_read(path);
    whole.bytes.append(part, 0, static_cast<std::size_t>(count));
  }
  return base::failure(ErrorCode::too_large,
                       "it has more than " + std::to_string(bytes_max >> 20) + " MiB", path);
}

}  // namespace steno
