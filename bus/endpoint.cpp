// A Unix socket is bound here, behind a lock beside it, and then handed to libzmq as a descriptor.
#include "bus/endpoint.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "eventlog/base/own_folder.hpp"

namespace bus {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::string_view kIpc = "ipc://";
constexpr std::string_view kTcp = "tcp://";

tl::unexpected<base::Error> system_failure(const char* what, const std::string& path) {
  return base::failure(ErrorCode::io, std::string(what) + ": " + std::strerror(errno), path);
}

// Removes a socket that a killed server left: we hold the lock, so nobody listens on it. Any other
// file belongs to somebody and is left alone.
Result<void> remove_stale_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (S_ISSOCK(status.st_mode)) {
    ::unlink(path.c_str());
    return {};
  }
  return base::failure(ErrorCode::refused,
                       "a file that is no socket is in the place of the server's socket; move it "
                       "away",
                       path);
}

Result<int> bind_and_listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return system_failure("cannot make a socket", path);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(fd, SOMAXCONN) != 0) {
    const auto error = system_failure("cannot listen on the socket", path);
    ::close(fd);
    return error;
  }
  return fd;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  const std::string where(text);
  if (text.starts_with(kTcp)) {
    return base::failure(ErrorCode::refused,
                         "tcp endpoints need keys, which cannot be given yet; use ipc://", where);
  }
  if (!text.starts_with(kIpc)) {
    return base::failure(ErrorCode::invalid, "an endpoint is ipc:// and an absolute path", where);
  }
  const std::string path(text.substr(kIpc.size()));
  if (!path.starts_with('/') || path.ends_with('/') || path.find('\0') != std::string::npos) {
    return base::failure(ErrorCode::invalid, "an ipc endpoint is an absolute path of a socket",
                         where);
  }
  if (path.size() > kSocketPathBytesMax) {
    return base::failure(ErrorCode::too_large,
                         "the path of a socket has at most 107 bytes, this one has " +
                             std::to_string(path.size()) + "; choose a shorter folder",
                         where);
  }
  return Endpoint{where, path};
}

Result<IpcListener> IpcListener::listen(const Endpoint& endpoint) {
  const std::size_t slash = endpoint.path.rfind('/');
  const std::string folder = slash == 0 ? "/" : endpoint.path.substr(0, slash);
  if (const auto prepared = base::make_own_folder(folder); !prepared) {
    return tl::unexpected<base::Error>(prepared.error());
  }
  auto lock = base::FileLock::take(endpoint.path + ".lock");
  if (!lock) {
    if (lock.error().code == base::ErrorCode::in_use)
      lock.error().text = "another server has this endpoint";
    return tl::unexpected<base::Error>(lock.error());
  }
  if (auto removed = remove_stale_socket(endpoint.path); !removed) {
    return tl::unexpected<base::Error>(removed.error());
  }
  const auto fd = bind_and_listen(endpoint.path);
  if (!fd) return tl::unexpected<base::Error>(fd.error());
  return IpcListener(std::move(*lock), endpoint.path, *fd);
}

IpcListener::IpcListener(base::FileLock lock, std::string path, int fd)
    : lock_(std::move(lock)), path_(std::move(path)), fd_(fd) {
  struct stat status {};
  if (::lstat(path_.c_str(), &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  if (::lstat((path_ + ".lock").c_str(), &status) == 0) {
    lock_device_ = status.st_dev;
    lock_inode_ = status.st_ino;
  }
}

IpcListener::~IpcListener() {
  if (fd_ >= 0) ::close(fd_);
  if (!path_.empty() && is_at_its_path()) ::unlink(path_.c_str());
}

bool IpcListener::is_at_its_path() const {
  struct stat status {};
  return ::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ &&
         status.st_ino == inode_;
}

bool IpcListener::is_reachable() const {
  return is_at_its_path() && has_its_lock();
}

bool IpcListener::has_its_lock() const {
  struct stat status {};
  return ::lstat((path_ + ".lock").c_str(), &status) == 0 && status.st_dev == lock_device_ &&
         status.st_ino == lock_inode_;
}

Result<IpcListener> IpcListener::listen_anew() {
  if (!has_its_lock()) return listen({"ipc://" + path_, path_});
  if (auto removed = remove_stale_socket(path_); !removed) {
    return tl::unexpected<base::Error>(removed.error());
  }
  const auto fd = bind_and_listen(path_);
  if (!fd) return tl::unexpected<base::Error>(fd.error());
  return IpcListener(std::move(lock_), path_, *fd);
}

int IpcListener::take_fd() {
  return std::exchange(fd_, -1);
}

}  // namespace bus
