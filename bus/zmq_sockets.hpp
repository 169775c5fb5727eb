// The sockets of ports.hpp over ZeroMQ. `context` must outlive them; each belongs to the thread
// that made it. Endpoints are those of endpoint.hpp, whose errors these functions return too, and
// io.
#pragma once

#include <memory>
#include <string_view>

#include "bus/context.hpp"
#include "bus/ports.hpp"
#include "eventlog/base/result.hpp"

namespace bus {

// Bytes that can wait for one peer of a server; a frame beyond it is not sent. There is room for
// two of the largest frames, so that an answer fits behind another one.
constexpr std::size_t kPeerQueueBytesMax = 2 * kFrameBytesMax;

// Bind the socket. Error in_use: another server, of this process or another one, has the endpoint.
// `queue_bytes_max` bounds each peer, and is at least kFrameBytesMax.
base::Result<std::unique_ptr<ServerSocket>> bind_server(
    Context& context, std::string_view endpoint, std::size_t queue_bytes_max = kPeerQueueBytesMax);
base::Result<std::unique_ptr<PublisherSocket>> bind_publisher(Context& context,
                                                              std::string_view endpoint);

// Connect, now or when a server is bound there, and again whenever the connection ends.
base::Result<std::unique_ptr<ClientSocket>> connect_client(Context& context,
                                                           std::string_view endpoint);
base::Result<std::unique_ptr<SubscriberSocket>> connect_subscriber(Context& context,
                                                                   std::string_view endpoint);

}  // namespace bus
