// One poll(2) over the descriptors of sockets and those of others; sockets in memory are left out
// of it. libzmq is asked about a socket only when its descriptor has a signal, or none can come.
#include "bus/poller.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "bus/zmq_socket.hpp"

namespace bus {
namespace {

using Clock = std::chrono::steady_clock;

ZmqSocket* socket_of(const PollItem& item) {
  return item.socket == nullptr ? nullptr : item.socket->poll_handle();
}

bool is_ready(const PollItem& item) {
  return item.is_readable || item.is_writable;
}

// A socket's descriptor only tells that libzmq must be asked.
pollfd native(const PollItem& item, const ZmqSocket* socket) {
  if (socket != nullptr) return {socket->fd(), POLLIN, 0};
  const int events = (item.wants_read ? POLLIN : 0) | (item.wants_write ? POLLOUT : 0);
  return {item.fd, static_cast<short>(events), 0};
}

void ask(PollItem& item, ZmqSocket& socket) {
  const int events = socket.events();
  item.is_readable = item.wants_read && (events & ZMQ_POLLIN) != 0;
  item.is_writable = item.wants_write && (events & ZMQ_POLLOUT) != 0;
}

void take(PollItem& item, ZmqSocket* socket, short events) {
  if (socket == nullptr) {
    item.is_readable = (events & ~POLLOUT) != 0;
    item.is_writable = (events & POLLOUT) != 0;
  } else if (events != 0) {
    ask(item, *socket);
  } else if (socket->is_known_empty()) {
    socket->note_still_empty();
  }
}

int milliseconds(base::Duration left) {
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<std::int64_t>(rounded, 0, std::numeric_limits<int>::max()));
}

struct Asked {
  PollItem* item;
  ZmqSocket* socket;  // null: a descriptor
};

// Returns how many are ready.
int wait(std::vector<Asked>& asked, std::vector<pollfd>& natives, base::Duration timeout) {
  const auto begin = Clock::now();
  const auto count_ready = [&] {
    return static_cast<int>(std::count_if(asked.begin(), asked.end(),
                                          [](const Asked& a) { return is_ready(*a.item); }));
  };
  for (const Asked& a : asked) {
    if (a.socket == nullptr) continue;
    if (a.item->wants_write || !a.socket->is_known_empty()) ask(*a.item, *a.socket);
  }
  base::Duration left = count_ready() > 0 ? base::Duration{0} : timeout;
  for (;;) {
    const int signalled = ::poll(natives.data(), natives.size(), milliseconds(left));
    if (signalled < 0) return errno == EINTR ? count_ready() : -1;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      take(*asked[i].item, asked[i].socket, natives[i].revents);
    }
    const int ready = count_ready();
    left = timeout - std::chrono::duration_cast<base::Duration>(Clock::now() - begin);
    // A signal can be of a connection that came or ended, and then nothing is ready.
    if (ready > 0 || left <= base::Duration{0}) return ready;
  }
}

}  // namespace

base::Result<int> poll(std::span<PollItem> items, base::Duration timeout) {
  std::vector<pollfd> natives;
  std::vector<Asked> asked;
  for (PollItem& item : items) {
    item.is_readable = false;
    item.is_writable = false;
    ZmqSocket* const socket = socket_of(item);
    if (socket == nullptr && (item.socket != nullptr || item.fd < 0)) continue;
    natives.push_back(native(item, socket));
    asked.push_back({&item, socket});
  }
  try {
    const int ready = wait(asked, natives, timeout);
    if (ready >= 0) return ready;
    return base::failure(base::ErrorCode::io,
                         std::string("waiting for sockets: ") + std::strerror(errno));
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return 0;
    return base::failure(base::ErrorCode::io, std::string("waiting for sockets: ") + error.what());
  }
}

}  // namespace bus
