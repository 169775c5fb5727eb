// One poll(2) over the descriptors of sockets and those of others; sockets in memory are left out
// of it. libzmq is asked about a socket only if its descriptor has a signal, if it can hold a
// message already, or if it must be writable.
#include "bus/poller.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <vector>

#include "bus/zmq_socket.hpp"

namespace bus {
namespace {

using Clock = std::chrono::steady_clock;

ZmqSocket* socket_of(const PollItem& item) {
  return item.socket == nullptr ? nullptr : item.socket->poll_handle();
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

int milliseconds(base::Duration left) {
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<std::int64_t>(rounded, 0, std::numeric_limits<int>::max()));
}

struct Asked {
  PollItem* item;
  ZmqSocket* socket;  // null: a descriptor
};

// Asks about the sockets that can have changed without a signal. Asking about one that must be
// writable can take in what another item of the same socket waits for, so it comes first.
void ask_sockets(const std::vector<Asked>& asked) {
  for (const Asked& a : asked) {
    if (a.socket != nullptr && a.item->wants_write) ask(*a.item, *a.socket);
  }
  for (const Asked& a : asked) {
    if (a.socket != nullptr && !a.socket->is_known_empty()) ask(*a.item, *a.socket);
  }
}

// Takes the descriptors' answers. Returns whether a socket has a signal.
bool take(const std::vector<Asked>& asked, const std::vector<pollfd>& natives) {
  bool has_signal = false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const int events = natives[i].revents;
    PollItem& item = *asked[i].item;
    if (asked[i].socket == nullptr) {
      item.is_readable = (events & ~POLLOUT) != 0;
      item.is_writable = (events & POLLOUT) != 0;
    } else if (events != 0) {
      asked[i].socket->note_signal();
      has_signal = true;
    }
  }
  return has_signal;
}

int count_ready(const std::vector<Asked>& asked) {
  const auto is_ready = [](const Asked& a) { return a.item->is_readable || a.item->is_writable; };
  return static_cast<int>(std::count_if(asked.begin(), asked.end(), is_ready));
}

// Returns how many are ready. Throws zmq::error_t, also if poll(2) fails.
int wait(const std::vector<Asked>& asked, std::vector<pollfd>& natives, base::Duration timeout) {
  const auto begin = Clock::now();
  ask_sockets(asked);
  base::Duration left = count_ready(asked) > 0 ? base::Duration{0} : timeout;
  for (;;) {
    const int signalled = ::poll(natives.data(), natives.size(), milliseconds(left));
    if (signalled < 0 && errno == EINTR) return count_ready(asked);
    if (signalled < 0) throw zmq::error_t();  // of errno
    if (take(asked, natives)) ask_sockets(asked);
    const int ready = count_ready(asked);
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
    return wait(asked, natives, std::max(timeout, base::Duration{0}));
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return 0;
    return base::failure(base::ErrorCode::io, std::string("waiting for sockets: ") + error.what());
  }
}

}  // namespace bus
