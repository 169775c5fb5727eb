// Connects once with a plain socket, which answers at once where ZeroMQ would go on trying.
#include "workers/client/presence.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bus/endpoint.hpp"
#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/unique_fd.hpp"

namespace workers {
namespace {

// A socket's path tells nothing about who listens there, and prompts are for nobody else.
base::Result<void> check_peer(int fd, const std::string& path) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return base::failure(base::ErrorCode::io, std::strerror(errno), path);
  }
  if (peer.uid == ::geteuid()) return {};
  return base::failure(base::ErrorCode::refused,
                       "the server here (process " + std::to_string(peer.pid) +
                           ") is run by user " + std::to_string(peer.uid) + ", and this is user " +
                           std::to_string(::geteuid()) + "; call steno as that user",
                       path);
}

}  // namespace

base::Result<void> probe_listener(const std::string& endpoint) {
  const auto parsed = bus::parse_endpoint(endpoint);
  if (!parsed) return tl::unexpected(parsed.error());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  parsed->path.copy(address.sun_path, sizeof address.sun_path - 1);
  const base::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) return base::failure(base::ErrorCode::io, std::strerror(errno), parsed->path);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return check_peer(fd.get(), parsed->path);
  }
  const bool is_forbidden = errno == EACCES || errno == EPERM;
  return base::failure(
      is_forbidden ? base::ErrorCode::refused : base::ErrorCode::unreachable,
      is_forbidden ? "no permission to use the server's socket" : "no server listens here",
      parsed->path);
}

bool is_server_gone(const std::string& command_endpoint) {
  const auto parsed = bus::parse_endpoint(command_endpoint);
  return parsed && !base::is_locked(parsed->path + ".lock").value_or(true);
}

}  // namespace workers
