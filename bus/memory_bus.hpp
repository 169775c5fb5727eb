// The bus in memory: all sockets of a simulated world, in one thread, on virtual time, with
// faults that a seed decides. Nothing arrives but in advance().
//
// It fails as ZeroMQ does: a connection keeps its order unless reordering is asked for; a message
// for a dead peer is refused or lost; a full queue refuses (client, server) or drops (publisher);
// a server that is bound again sees its peers as new ones and learns their subscriptions anew.
#pragma once

#include <memory>

#include "bus/ports.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

// Chances are in percent and apply to each message by itself. Subscriptions may be late, but are
// neither lost nor doubled: a real connection would be dropped, and they sent again, first.
struct MemoryFaults {
  unsigned loss_percent = 0;
  unsigned duplicate_percent = 0;
  unsigned delay_percent = 0;
  base::Duration delay_max{0};   // inclusive bound of one delay
  unsigned reorder_percent = 0;  // overtaken by up to eight later messages of its connection
};

// How often each fault happened.
struct MemoryFaultCounts {
  std::int64_t lost = 0;
  std::int64_t duplicated = 0;
  std::int64_t delayed = 0;
  std::int64_t reordered = 0;
  std::int64_t partitioned = 0;  // swallowed by a partition
  std::int64_t dropped = 0;      // for a subscriber whose queue was full
  std::int64_t refused = 0;      // send() returned false: peer gone or queue full
};

enum class PartitionDirection { none, from_peer, to_peer, both };

// Must outlive its sockets, and the generator must outlive the bus.
class MemoryBus {
 public:
  // Queues of this many messages unless said otherwise; the same as over ZeroMQ.
  static constexpr std::size_t kQueueMax = 1000;

  explicit MemoryBus(base::Random& random, MemoryFaults faults = {});
  ~MemoryBus();
  MemoryBus(const MemoryBus&) = delete;
  MemoryBus& operator=(const MemoryBus&) = delete;

  // Null: somebody is bound to that endpoint. Destroying the socket frees it.
  std::unique_ptr<ServerSocket> bind_server(const std::string& endpoint);
  std::unique_ptr<PublisherSocket> bind_publisher(const std::string& endpoint);
  // The endpoint may be bound later, or again. `peer` names the one who connects, for partitions;
  // several sockets may share it.
  std::unique_ptr<ClientSocket> connect_client(const std::string& endpoint, const std::string& peer,
                                               std::size_t queue_max = kQueueMax);
  std::unique_ptr<SubscriberSocket> connect_subscriber(const std::string& endpoint,
                                                       const std::string& peer,
                                                       std::size_t queue_max = kQueueMax);

  // Swallows all messages of that peer in that direction until set to none. When it heals, the
  // peer's subscriptions are told to the publisher again, as a reconnection would.
  void partition(const std::string& peer, PartitionDirection direction);
  void set_faults(const MemoryFaults& faults);

  // Moves virtual time to `now` (never back) and delivers all that is due, in order.
  void advance(base::Duration now);
  // When the next message is due; none: nothing is on its way.
  std::optional<base::Duration> next_due() const;
  const MemoryFaultCounts& counts() const;

  struct State;  // memory_bus.cpp

 private:
  std::unique_ptr<State> state_;
};

}  // namespace bus
