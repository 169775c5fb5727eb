// A non-blocking stream socket to a peer that is measured beside Steno. `out` holds bytes to send,
// `in` received bytes that are not understood yet.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"
#include "tools/benchmarks/latencies.hpp"

namespace benchmarks {

class SocketStream {
 public:
  // Error unreachable: nobody listens there, or, from send and receive, the peer is gone.
  static base::Result<SocketStream> connect_unix(const std::string& path);
  static base::Result<SocketStream> connect_loopback(int port);
  ~SocketStream();
  SocketStream(SocketStream&& other) noexcept;
  SocketStream& operator=(SocketStream&&) = delete;

  base::Bytes out;
  base::Bytes in;

  int fd() const { return fd_; }
  // Send and receive as much as is possible without waiting.
  base::Result<void> send();
  base::Result<void> receive();
  // Sends all of `out`, and waits until something was received.
  base::Result<void> exchange(Nanoseconds timeout);

 private:
  explicit SocketStream(int fd) : fd_(fd) {}
  static base::Result<SocketStream> finish(int fd, int connected);

  int fd_;
};

// Waits until one of them can go on, `timer_fd` (unless negative) is readable, or a second has
// passed.
base::Result<void> wait_for_any(const std::vector<const SocketStream*>& streams, int timer_fd);

}  // namespace benchmarks
