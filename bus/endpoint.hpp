// Where a socket is bound or connected: ipc:///absolute/path. TCP is known and refused until keys
// can be used, because an endpoint without them would let anybody in.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/result.hpp"

namespace bus {

// Of a Unix socket's path, without the closing zero (unix(7): sun_path has 108).
constexpr std::size_t kSocketPathBytesMax = 107;

struct Endpoint {
  std::string address;  // as ZeroMQ takes it
  std::string path;     // of the socket
};

// Errors: invalid (no endpoint, or a relative, wildcard or abstract one), too_large (path over
// kSocketPathBytesMax), refused (tcp).
base::Result<Endpoint> parse_endpoint(std::string_view text);

// A listening Unix socket, and the right to it. libzmq would bind by removing whoever is there;
// hence the lock beside the socket, and that we bind ourselves and hand libzmq the descriptor.
class IpcListener {
 public:
  // The socket's folder is made if need be, and must be ours alone (0700), as its socket is
  // (0600). Errors: in_use, refused (folder open to others or not ours; a file that is no socket in
  // the socket's place), io.
  static base::Result<IpcListener> listen(const Endpoint& endpoint);

  IpcListener(IpcListener&& other) noexcept
      : lock_(std::move(other.lock_)),
        path_(std::exchange(other.path_, {})),
        fd_(std::exchange(other.fd_, -1)) {}
  IpcListener& operator=(IpcListener&&) = delete;
  // Removes the socket, then frees the lock.
  ~IpcListener();

  // The descriptor, for libzmq to own and close.
  int take_fd();

 private:
  IpcListener(base::FileLock lock, std::string path, int fd)
      : lock_(std::move(lock)), path_(std::move(path)), fd_(fd) {}

  base::FileLock lock_;
  std::string path_;  // empty: moved from
  int fd_;            // -1: taken
};

}  // namespace bus
