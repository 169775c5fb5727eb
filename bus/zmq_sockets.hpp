// The sockets of ports.hpp over ZeroMQ. `context` must outlive them; each belongs to the thread
// that made it. Endpoints are those of endpoint.hpp, whose errors these functions return too.
#pragma once

#include <memory>
#include <string_view>

#include "bus/context.hpp"
#include "bus/ports.hpp"
#include "eventlog/base/result.hpp"

namespace bus {

// Bytes that may wait for one peer of a server; what is over it is not sent. Room for two of the
// largest frames, so that an answer fits behind another one.
constexpr std::size_t kPeerQueueBytesMax = 2 * kFrameBytesMax;

// Bind. in_use: another server, of this process or another one, has the endpoint.
// `queue_bytes_max`: of each peer, at least kFrameBytesMax.
base::Result<std::unique_ptr<ServerSocket>> bind_server(
    Context& context, std::string_view endpoint, std::size_t queue_bytes_max = kPeerQueueBytesMax);
base::Result<std::unique_ptr<PublisherSocket>> bind_publisher(Context& context,
                                                              std::string_view endpoint);

// Connect, now or when somebody is bound there, and again whenever that ends.
base::Result<std::unique_ptr<ClientSocket>> connect_client(Context& context,
                                                           std::string_view endpoint);
base::Result<std::unique_ptr<SubscriberSocket>> connect_subscriber(Context& context,
                                                                   std::string_view endpoint);

}  // namespace bus
