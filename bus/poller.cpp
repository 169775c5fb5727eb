// One zmq_poll over sockets and descriptors; sockets in memory are left out of it.
#include "bus/poller.hpp"

#include <cerrno>
#include <vector>

#include <zmq.hpp>

namespace bus {
namespace {

zmq::pollitem_t native(const PollItem& item) {
  zmq::pollitem_t out{};
  out.socket = item.socket == nullptr ? nullptr : item.socket->poll_handle();
  out.fd = item.fd;
  if (item.wants_read) out.events = ZMQ_POLLIN;
  if (item.wants_write) out.events = static_cast<short>(out.events | ZMQ_POLLOUT);
  return out;
}

bool is_pollable(const PollItem& item) {
  return item.socket == nullptr ? item.fd >= 0 : item.socket->poll_handle() != nullptr;
}

}  // namespace

base::Result<int> poll(std::span<PollItem> items, base::Duration timeout) {
  std::vector<zmq::pollitem_t> native_items;
  std::vector<PollItem*> asked;
  for (PollItem& item : items) {
    item.is_readable = false;
    item.is_writable = false;
    if (!is_pollable(item)) continue;
    native_items.push_back(native(item));
    asked.push_back(&item);
  }
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(timeout);
  try {
    const auto wait = std::max(rounded, std::chrono::milliseconds{0});
    const int ready = zmq::poll(native_items.data(), native_items.size(), wait);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const short events = native_items[i].revents;
      asked[i]->is_readable = (events & (ZMQ_POLLIN | ZMQ_POLLERR)) != 0;
      asked[i]->is_writable = (events & ZMQ_POLLOUT) != 0;
    }
    return ready;
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return 0;
    return base::failure(base::ErrorCode::io, std::string("waiting for sockets: ") + error.what());
  }
}

}  // namespace bus
