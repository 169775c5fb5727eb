// Where a socket is bound or connected: ipc:///absolute/path. TCP is recognised and refused until
// keys can be used, because an endpoint without them would let anybody in.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/result.hpp"

namespace bus {

// The longest path of a Unix socket, without the closing zero (unix(7): sun_path has 108).
constexpr std::size_t kSocketPathBytesMax = 107;

struct Endpoint {
  std::string address;  // as ZeroMQ takes it
  std::string path;     // of the socket
};

// Errors: invalid (not an endpoint, or a relative, wildcard or abstract one), too_large (path over
// kSocketPathBytesMax), refused (tcp).
base::Result<Endpoint> parse_endpoint(std::string_view text);

// A listening Unix socket, and the right to it. libzmq would bind by removing the socket of a live
// server. Therefore a lock lies beside the socket, and we bind it ourselves and hand libzmq the
// descriptor.
class IpcListener {
 public:
  // Makes the socket's folder if needed. The folder must be ours alone (0700); the socket is made
  // 0600. Errors: in_use, refused (the folder is open to others or not ours, or a file that is no
  // socket is in the socket's place), io.
  static base::Result<IpcListener> listen(const Endpoint& endpoint);

  IpcListener(IpcListener&& other) noexcept
      : lock_(std::move(other.lock_)),
        path_(std::exchange(other.path_, {})),
        fd_(std::exchange(other.fd_, -1)),
        device_(other.device_),
        inode_(other.inode_),
        lock_device_(other.lock_device_),
        lock_inode_(other.lock_inode_) {}
  IpcListener& operator=(IpcListener&& other) noexcept {
    std::swap(lock_, other.lock_);
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    std::swap(lock_device_, other.lock_device_);
    std::swap(lock_inode_, other.lock_inode_);
    return *this;
  }
  // Removes the socket if it is still this one, then frees the lock.
  ~IpcListener();

  // True while a peer can find it: socket and lock have their names still.
  bool is_reachable() const;
  // Makes a listener in the place of this one, which is not reachable, and takes its lock over if
  // that has its name still. Errors: as of listen().
  base::Result<IpcListener> listen_anew();

  const std::string& path() const { return path_; }
  // Gives up the descriptor; libzmq owns and closes it.
  int take_fd();

 private:
  IpcListener(base::FileLock lock, std::string path, int fd);
  bool is_at_its_path() const;
  bool has_its_lock() const;

  base::FileLock lock_;
  std::string path_;  // empty: moved from
  int fd_;            // -1: taken
  // These two identify the socket's file.
  dev_t device_ = 0;
  ino_t inode_ = 0;
  // These two identify the lock's file.
  dev_t lock_device_ = 0;
  ino_t lock_inode_ = 0;
};

}  // namespace bus
