// Non-blocking sends and receives into byte buffers; only wait_for_any() blocks, for at most a
// second.
#include "tools/benchmarks/socket_stream.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace benchmarks {
namespace {

constexpr int kWaitMs = 1000;

base::Error peer_error(const std::string& what) {
  return {base::ErrorCode::unreachable, "a peer: " + what + ": " + std::strerror(errno), {}};
}

}  // namespace

base::Result<SocketStream> SocketStream::finish(int fd, int connected) {
  SocketStream stream(fd);
  if (fd < 0 || connected != 0) return tl::unexpected(peer_error("connect"));
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return stream;
}

base::Result<SocketStream> SocketStream::connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return finish(fd, ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address));
}

base::Result<SocketStream> SocketStream::connect_loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return finish(fd, ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address));
}

SocketStream::~SocketStream() {
  if (fd_ >= 0) close(fd_);
}

SocketStream::SocketStream(SocketStream&& other) noexcept
    : out(std::move(other.out)), in(std::move(other.in)), fd_(std::exchange(other.fd_, -1)) {}

base::Result<void> SocketStream::send() {
  if (out.empty()) return {};
  const ssize_t sent = ::send(fd_, out.data(), out.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return tl::unexpected(peer_error("send"));
  if (sent > 0) out.erase(0, static_cast<std::size_t>(sent));
  return {};
}

base::Result<void> SocketStream::receive() {
  char bytes[65536];
  const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (got <= 0) return base::failure(base::ErrorCode::unreachable, "a peer has ended");
  in.append(bytes, static_cast<std::size_t>(got));
  return {};
}

base::Result<void> SocketStream::exchange(Nanoseconds timeout) {
  const Nanoseconds deadline = now() + timeout;
  const std::size_t before = in.size();
  while (!out.empty() || in.size() == before) {
    if (now() > deadline) return base::failure(base::ErrorCode::timeout, "a peer is silent");
    if (auto ok = send(); !ok) return ok;
    if (auto ok = receive(); !ok) return ok;
    if (!out.empty() || in.size() > before) continue;
    if (auto ok = wait_for_any({this}, -1); !ok) return ok;
  }
  return {};
}

base::Result<void> wait_for_any(const std::vector<const SocketStream*>& streams, int timer_fd) {
  std::vector<pollfd> items;
  for (const SocketStream* stream : streams) {
    const int events = stream->out.empty() ? POLLIN : POLLIN | POLLOUT;
    items.push_back({stream->fd(), static_cast<short>(events), 0});
  }
  if (timer_fd >= 0) items.push_back({timer_fd, POLLIN, 0});
  if (poll(items.data(), items.size(), kWaitMs) < 0 && errno != EINTR) {
    return tl::unexpected(peer_error("poll"));
  }
  return {};
}

}  // namespace benchmarks
