// The bus in memory: all sockets of a simulated world, in one thread, on virtual time, with faults
// that a seed decides. Messages arrive in advance() only.
//
// It fails as ZeroMQ does. A connection keeps its order unless reordering is asked for. A message
// for a dead peer is refused or lost. A full queue refuses (client, server) or drops (publisher). A
// server that is bound again sees its peers as new ones and learns their subscriptions anew.
#pragma once

#include <memory>

#include "bus/ports.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

// Chances are in percent and apply to each message by itself. Subscriptions can be late, but are
// neither lost nor doubled: a real connection would be dropped first, and would send them again.
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

// The bus must outlive its sockets, and `random` must outlive the bus.
class MemoryBus {
 public:
  // The bound of each queue, in messages, unless said otherwise; the same as over ZeroMQ.
  static constexpr std::size_t kQueueMax = 1000;

  explicit MemoryBus(base::Random& random, MemoryFaults faults = {});
  ~MemoryBus();
  MemoryBus(const MemoryBus&) = delete;
  MemoryBus& operator=(const MemoryBus&) = delete;

  // Returns null if a socket is bound to that endpoint. Destroying the socket frees it.
  std::unique_ptr<ServerSocket> bind_server(const std::string& endpoint);
  std::unique_ptr<PublisherSocket> bind_publisher(const std::string& endpoint);
  // The endpoint can be bound later, or again. `peer` names the one who connects, for partitions;
  // several sockets can share it.
  std::unique_ptr<ClientSocket> connect_client(const std::string& endpoint, const std::string& peer,
                                               std::size_t queue_max = kQueueMax);
  std::unique_ptr<SubscriberSocket> connect_subscriber(const std::string& endpoint,
                                                       const std::string& peer,
                                                       std::size_t queue_max = kQueueMax);

  // Drops all messages of that peer in that direction until set to none. When it heals, the peer's
  // subscriptions are told to the publisher again, as by a reconnection.
  void partition(const std::string& peer, PartitionDirection direction);
  void set_faults(const MemoryFaults& faults);

  // Moves virtual time to `now` (never back) and delivers all messages that are due, in order.
  void advance(base::Duration now);
  // Returns when the next message is due; none: nothing is in flight.
  std::optional<base::Duration> next_due() const;
  const MemoryFaultCounts& counts() const;

  struct State;  // memory_bus.cpp

 private:
  std::unique_ptr<State> state_;
};

}  // namespace bus
