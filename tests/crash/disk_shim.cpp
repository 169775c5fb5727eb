// A library for LD_PRELOAD, below a whole process: operations on files of one folder fail while an
// order says so. The order is a file, so it can be given and withdrawn while the process runs:
//
//   OPERATION PART ACTION      OPERATION: write, sync or rename. PART: part of the file's path.
//                              ACTION: eio, enospc, or short: half of the bytes, again and
//                              again, then EIO
//
// STENO_SHIM_FOLDER names the folder, STENO_SHIM_ORDER the order's file, which lies elsewhere.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

enum class Fault { none, eio, enospc, is_short };

constexpr std::size_t kPathMax = 4096;

struct Text {
  char bytes[kPathMax] = {};
  std::string_view view;
};

// Nothing here allocates, and all calls go to the kernel directly, since this runs inside write().
std::string_view take_word(std::string_view& text) {
  const std::size_t end = text.find_first_of(" \n");
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return word;
}

bool read_order(Text& order) {
  const char* path = std::getenv("STENO_SHIM_ORDER");
  if (path == nullptr) return false;
  const long fd = ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  const long count = ::syscall(SYS_read, fd, order.bytes, kPathMax);
  ::syscall(SYS_close, fd);
  if (count <= 0) return false;
  order.view = {order.bytes, static_cast<std::size_t>(count)};
  return true;
}

Fault fault_of(std::string_view operation, std::string_view path) {
  const char* folder = std::getenv("STENO_SHIM_FOLDER");
  if (folder == nullptr || !path.starts_with(folder)) return Fault::none;
  Text order;
  if (!read_order(order) || take_word(order.view) != operation) return Fault::none;
  if (path.find(take_word(order.view)) == std::string_view::npos) return Fault::none;
  const std::string_view action = take_word(order.view);
  return action == "enospc" ? Fault::enospc : action == "short" ? Fault::is_short : Fault::eio;
}

Fault fault_of(std::string_view operation, int fd) {
  char link[] = "/proc/self/fd/0123456789";
  char* at = std::strrchr(link, '/') + 1;
  char digits[12];
  int count = 0;
  for (int rest = fd; count == 0 || rest > 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  while (count > 0) *at++ = digits[--count];
  *at = '\0';
  char path[kPathMax];
  const int before = errno;
  const long size = ::syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path);
  const Fault fault =
      size <= 0 ? Fault::none : fault_of(operation, {path, static_cast<std::size_t>(size)});
  errno = before;
  return fault;
}

// Returns how many bytes are written; 0: the write fails, and errno says why.
std::size_t admit(int fd, std::size_t size) {
  const Fault fault = fault_of("write", fd);
  if (fault == Fault::none) return size;
  if (fault == Fault::is_short && size > 1) return size / 2;
  errno = fault == Fault::enospc ? ENOSPC : EIO;
  return 0;
}

int sync(long number, int fd) {
  if (fault_of("sync", fd) == Fault::none) return static_cast<int>(::syscall(number, fd));
  errno = EIO;
  return -1;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) {
  const std::size_t part = admit(fd, size);
  return part == 0 && size > 0 ? -1 : ::syscall(SYS_write, fd, bytes, part);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  const std::size_t part = admit(fd, size);
  return part == 0 && size > 0 ? -1 : ::syscall(SYS_pwrite64, fd, bytes, part, offset);
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return pwrite(fd, bytes, size, offset);
}

int fdatasync(int fd) {
  return sync(SYS_fdatasync, fd);
}
int fsync(int fd) {
  return sync(SYS_fsync, fd);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
  if (fault_of("write", fd) != Fault::enospc) {
    return static_cast<int>(::syscall(SYS_fallocate, fd, mode, offset, size));
  }
  errno = ENOSPC;
  return -1;
}

int rename(const char* from, const char* to) {
  if (fault_of("rename", std::string_view(to)) == Fault::none) {
    return static_cast<int>(::syscall(SYS_rename, from, to));
  }
  errno = EIO;
  return -1;
}
}
