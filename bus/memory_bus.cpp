// All messages in flight are in one map, ordered by due time; faults are drawn when a message is
// sent, and advance() delivers those that are due.
#include "bus/memory_bus.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "eventlog/base/check.hpp"

namespace bus {
namespace {

using base::Duration;

constexpr std::uint64_t kOvertakenMax = 8;

// One bound socket. `life` differs each time the endpoint is bound.
struct Bound {
  std::uint64_t life = 0;
  std::deque<Incoming> requests;              // of a server
  std::deque<SubscriptionChange> subscribed;  // of a publisher
};

// The messages queued in one direction of one connection: in flight or arrived, and not received
// yet.
struct Lane {
  std::size_t waiting = 0;
  Duration last_due{0};
};

// One connected socket; client or subscriber.
struct Connection {
  std::string endpoint;
  std::string peer;
  std::size_t queue_max = 0;
  bool is_subscriber = false;
  Lane up;                    // towards the bound socket
  Lane down;                  // towards the connected one
  std::uint64_t up_life = 0;  // the life of the bound socket that `up` counts for
  std::deque<Bytes> replies;
  std::deque<FeedFrame> feed;
  std::multiset<std::string> topics;     // as subscribed here
  std::multiset<std::string> effective;  // as the publisher knows them
};

struct InFlight {
  std::uint64_t connection = 0;
  std::uint64_t life = 0;  // the life of the bound socket, at whichever end that is
  bool is_up = false;
  bool is_subscription = false;
  bool is_subscribe = false;
  std::string topic;
  Bytes frame;
};

PeerId make_peer(std::uint64_t connection, std::uint64_t life) {
  PeerId peer;
  base::append_u64(peer, connection);
  base::append_u64(peer, life);
  return peer;
}

}  // namespace

struct MemoryBus::State {
  State(base::Random& generator, const MemoryFaults& initial)
      : random(generator), faults(initial) {}

  base::Random& random;
  MemoryFaults faults;
  MemoryFaultCounts counts;
  Duration now{0};
  std::uint64_t next_life = 1;
  std::uint64_t next_connection = 1;
  std::uint64_t next_message = 1;
  std::map<std::string, Bound> bound;
  std::map<std::uint64_t, Connection> connections;
  std::map<std::string, PartitionDirection> partitions;
  // By due time, then by order within it; the last number makes the key unique.
  std::map<std::tuple<Duration, std::uint64_t, std::uint64_t>, InFlight> in_flight;

  bool bind(const std::string& endpoint, std::uint64_t& life);
  void unbind(const std::string& endpoint, std::uint64_t life);
  std::uint64_t connect(Connection connection);
  void close(std::uint64_t id) { connections.erase(id); }

  bool is_cut(const Connection& connection, bool is_up) const;
  void transmit(Lane& lane, InFlight message);
  void schedule(Lane& lane, InFlight message);
  void deliver(InFlight message);
  void deliver_subscription(Connection& connection, InFlight& message);
  void announce(std::uint64_t id, Connection& connection);
  void subscribe(std::uint64_t id, std::string_view topic, bool is_subscribe);

  bool send_up(std::uint64_t id, Bytes frame);
  bool send_down(const PeerId& peer, std::uint64_t life, Bytes frame);
  void publish(const std::string& endpoint, std::uint64_t life, std::string_view topic,
               ByteView frame);
};

bool MemoryBus::State::bind(const std::string& endpoint, std::uint64_t& life) {
  if (bound.contains(endpoint)) return false;
  life = next_life++;
  bound[endpoint].life = life;
  for (auto& [id, connection] : connections) {
    if (connection.endpoint != endpoint) continue;
    connection.effective.clear();
    if (connection.is_subscriber) announce(id, connection);
  }
  return true;
}

void MemoryBus::State::unbind(const std::string& endpoint, std::uint64_t life) {
  const auto it = bound.find(endpoint);
  if (it != bound.end() && it->second.life == life) bound.erase(it);
}

std::uint64_t MemoryBus::State::connect(Connection connection) {
  const std::uint64_t id = next_connection++;
  connections.emplace(id, std::move(connection));
  return id;
}

bool MemoryBus::State::is_cut(const Connection& connection, bool is_up) const {
  const auto it = partitions.find(connection.peer);
  if (it == partitions.end()) return false;
  return it->second == PartitionDirection::both ||
         it->second == (is_up ? PartitionDirection::from_peer : PartitionDirection::to_peer);
}

// Draws the faults of one message. A doubled message is two in flight, each with its own delay.
void MemoryBus::State::transmit(Lane& lane, InFlight message) {
  if (random.chance(faults.loss_percent)) {
    ++counts.lost;
    return;
  }
  if (random.chance(faults.duplicate_percent)) {
    ++counts.duplicated;
    schedule(lane, message);
  }
  schedule(lane, std::move(message));
}

void MemoryBus::State::schedule(Lane& lane, InFlight message) {
  Duration due = now;
  if (faults.delay_max.count() > 0 && random.chance(faults.delay_percent)) {
    ++counts.delayed;
    const auto bound_us = static_cast<std::uint64_t>(faults.delay_max.count()) + 1;
    due += Duration{static_cast<std::int64_t>(random.below(bound_us))};
  }
  const std::uint64_t number = next_message++;
  std::uint64_t order = number;
  if (!message.is_subscription && random.chance(faults.reorder_percent)) {
    ++counts.reordered;
    order += 1 + random.below(kOvertakenMax);
  } else {
    // A connection keeps its order: nothing overtakes a delayed message, unless reordering was
    // drawn.
    due = std::max(due, lane.last_due);
    lane.last_due = due;
  }
  if (!message.is_subscription) ++lane.waiting;
  in_flight.emplace(std::tuple{due, order, number}, std::move(message));
}

void MemoryBus::State::deliver(InFlight message) {
  const auto found = connections.find(message.connection);
  if (found == connections.end()) return;
  Connection& connection = found->second;
  const auto end = bound.find(connection.endpoint);
  const bool is_same_life = end != bound.end() && end->second.life == message.life;
  if (message.is_subscription) {
    if (is_same_life) deliver_subscription(connection, message);
  } else if (message.is_up) {
    if (!is_same_life) return;  // `up` counts anew with the next life
    end->second.requests.push_back(
        {make_peer(message.connection, message.life), std::move(message.frame)});
  } else if (connection.is_subscriber) {
    connection.feed.push_back({std::move(message.topic), std::move(message.frame)});
  } else {
    connection.replies.push_back(std::move(message.frame));
  }
}

void MemoryBus::State::deliver_subscription(Connection& connection, InFlight& message) {
  if (message.is_subscribe) {
    connection.effective.insert(message.topic);
  } else {
    const auto it = connection.effective.find(message.topic);
    if (it == connection.effective.end()) return;
    connection.effective.erase(it);
    for (const auto& [id, other] : connections) {
      const bool is_here = other.endpoint == connection.endpoint;
      if (is_here && other.effective.contains(message.topic)) return;
    }
  }
  bound[connection.endpoint].subscribed.push_back({message.is_subscribe, message.topic});
}

// Tells the publisher all subscriptions of a connection that was made or made again.
void MemoryBus::State::announce(std::uint64_t id, Connection& connection) {
  for (const std::string& topic : connection.topics) {
    InFlight message{.connection = id,
                     .life = bound[connection.endpoint].life,
                     .is_up = true,
                     .is_subscription = true,
                     .is_subscribe = true,
                     .topic = topic,
                     .frame = {}};
    schedule(connection.up, std::move(message));
  }
}

void MemoryBus::State::subscribe(std::uint64_t id, std::string_view topic, bool is_subscribe) {
  Connection& connection = connections.at(id);
  if (is_subscribe) {
    connection.topics.emplace(topic);
  } else {
    const auto it = connection.topics.find(std::string(topic));
    if (it == connection.topics.end()) return;
    connection.topics.erase(it);
  }
  const auto end = bound.find(connection.endpoint);
  // Unbound or cut off: the publisher is told when the connection is made again.
  if (end == bound.end() || is_cut(connection, true)) return;
  InFlight message{.connection = id,
                   .life = end->second.life,
                   .is_up = true,
                   .is_subscription = true,
                   .is_subscribe = is_subscribe,
                   .topic = std::string(topic),
                   .frame = {}};
  schedule(connection.up, std::move(message));
}

bool MemoryBus::State::send_up(std::uint64_t id, Bytes frame) {
  Connection& connection = connections.at(id);
  const auto end = bound.find(connection.endpoint);
  if (end != bound.end() && connection.up_life != end->second.life) {
    connection.up = {};
    connection.up_life = end->second.life;
  }
  if (end == bound.end() || frame.size() > kFrameBytesMax ||
      connection.up.waiting >= connection.queue_max) {
    ++counts.refused;
    return false;
  }
  if (is_cut(connection, true)) {
    ++counts.partitioned;
    return true;
  }
  InFlight message{.connection = id,
                   .life = end->second.life,
                   .is_up = true,
                   .is_subscription = false,
                   .is_subscribe = false,
                   .topic = {},
                   .frame = std::move(frame)};
  transmit(connection.up, std::move(message));
  return true;
}

bool MemoryBus::State::send_down(const PeerId& peer, std::uint64_t life, Bytes frame) {
  const auto found = peer.size() == 16 && base::read_u64(ByteView(peer).substr(8)) == life
                         ? connections.find(base::read_u64(peer))
                         : connections.end();
  if (found == connections.end() || frame.size() > kFrameBytesMax ||
      found->second.down.waiting >= found->second.queue_max) {
    ++counts.refused;
    return false;
  }
  if (is_cut(found->second, false)) {
    ++counts.partitioned;
    return true;
  }
  InFlight message{.connection = found->first,
                   .life = life,
                   .is_up = false,
                   .is_subscription = false,
                   .is_subscribe = false,
                   .topic = {},
                   .frame = std::move(frame)};
  transmit(found->second.down, std::move(message));
  return true;
}

void MemoryBus::State::publish(const std::string& endpoint, std::uint64_t life,
                               std::string_view topic, ByteView frame) {
  if (topic.size() > kTopicBytesMax || frame.size() > kFrameBytesMax) return;
  for (auto& [id, connection] : connections) {
    if (!connection.is_subscriber || connection.endpoint != endpoint) continue;
    const auto& topics = connection.effective;
    const bool is_wanted = std::any_of(topics.begin(), topics.end(), [&](const auto& prefix) {
      return topic.starts_with(prefix);
    });
    if (!is_wanted) continue;
    if (is_cut(connection, false)) {
      ++counts.partitioned;
    } else if (connection.down.waiting >= connection.queue_max) {
      ++counts.dropped;
    } else {
      InFlight message{.connection = id,
                       .life = life,
                       .is_up = false,
                       .is_subscription = false,
                       .is_subscribe = false,
                       .topic = std::string(topic),
                       .frame = Bytes(frame)};
      transmit(connection.down, std::move(message));
    }
  }
}

// ---- the sockets: names for the calls above ----

namespace {

template <class Queue>
auto pop(Queue& queue) -> std::optional<typename Queue::value_type> {
  if (queue.empty()) return std::nullopt;
  auto front = std::move(queue.front());
  queue.pop_front();
  return front;
}

template <class Port>
class MemoryBoundSocket : public Port {
 public:
  MemoryBoundSocket(MemoryBus::State& state, std::string endpoint, std::uint64_t life)
      : state_(state), endpoint_(std::move(endpoint)), life_(life) {}
  ~MemoryBoundSocket() override { state_.unbind(endpoint_, life_); }
  ZmqSocket* poll_handle() const override { return nullptr; }

 protected:
  Bound& bound() { return state_.bound.at(endpoint_); }
  MemoryBus::State& state_;
  const std::string endpoint_;
  const std::uint64_t life_;
};

class MemoryServer final : public MemoryBoundSocket<ServerSocket> {
 public:
  using MemoryBoundSocket::MemoryBoundSocket;
  std::optional<Incoming> receive() override {
    auto incoming = pop(bound().requests);
    if (!incoming) return std::nullopt;
    const auto found = state_.connections.find(base::read_u64(incoming->peer));
    if (found != state_.connections.end() && found->second.up_life == life_) {
      --found->second.up.waiting;
    }
    return incoming;
  }
  bool send(const PeerId& peer, Bytes frame) override {
    return state_.send_down(peer, life_, std::move(frame));
  }
};

class MemoryPublisher final : public MemoryBoundSocket<PublisherSocket> {
 public:
  using MemoryBoundSocket::MemoryBoundSocket;
  void publish(std::string_view level, ByteView frame) override {
    state_.publish(endpoint_, life_, level, frame);
  }
  std::optional<SubscriptionChange> receive() override { return pop(bound().subscribed); }
};

class MemoryClient final : public ClientSocket {
 public:
  MemoryClient(MemoryBus::State& state, std::uint64_t id) : state_(state), id_(id) {}
  ~MemoryClient() override { state_.close(id_); }
  ZmqSocket* poll_handle() const override { return nullptr; }
  bool send(Bytes frame) override { return state_.send_up(id_, std::move(frame)); }
  std::optional<Bytes> receive() override {
    Connection& connection = state_.connections.at(id_);
    auto frame = pop(connection.replies);
    if (frame) --connection.down.waiting;
    return frame;
  }
  void reconnect() override {
    const Connection old = std::move(state_.connections.at(id_));
    state_.close(id_);
    Connection fresh;
    fresh.endpoint = old.endpoint;
    fresh.peer = old.peer;
    fresh.queue_max = old.queue_max;
    id_ = state_.connect(std::move(fresh));
  }

 private:
  MemoryBus::State& state_;
  std::uint64_t id_;
};

class MemorySubscriber final : public SubscriberSocket {
 public:
  MemorySubscriber(MemoryBus::State& state, std::uint64_t id) : state_(state), id_(id) {}
  ~MemorySubscriber() override { state_.close(id_); }
  ZmqSocket* poll_handle() const override { return nullptr; }
  bool subscribe(std::string_view topic) override {
    if (topic.size() > kTopicBytesMax) return false;
    state_.subscribe(id_, topic, true);
    return true;
  }
  void unsubscribe(std::string_view topic) override { state_.subscribe(id_, topic, false); }
  std::optional<FeedFrame> receive() override {
    Connection& connection = state_.connections.at(id_);
    while (auto frame = pop(connection.feed)) {
      --connection.down.waiting;
      // As libzmq does, drops messages that arrive after their topic was unsubscribed.
      for (const std::string& prefix : connection.topics) {
        if (frame->topic.starts_with(prefix)) return frame;
      }
    }
    return std::nullopt;
  }

 private:
  MemoryBus::State& state_;
  const std::uint64_t id_;
};

}  // namespace

MemoryBus::MemoryBus(base::Random& random, MemoryFaults faults)
    : state_(std::make_unique<State>(random, faults)) {}
MemoryBus::~MemoryBus() = default;

std::unique_ptr<ServerSocket> MemoryBus::bind_server(const std::string& endpoint) {
  std::uint64_t life = 0;
  if (!state_->bind(endpoint, life)) return nullptr;
  return std::make_unique<MemoryServer>(*state_, endpoint, life);
}

std::unique_ptr<PublisherSocket> MemoryBus::bind_publisher(const std::string& endpoint) {
  std::uint64_t life = 0;
  if (!state_->bind(endpoint, life)) return nullptr;
  return std::make_unique<MemoryPublisher>(*state_, endpoint, life);
}

std::unique_ptr<ClientSocket> MemoryBus::connect_client(const std::string& endpoint,
                                                        const std::string& peer,
                                                        std::size_t queue_max) {
  Connection connection;
  connection.endpoint = endpoint;
  connection.peer = peer;
  connection.queue_max = queue_max;
  return std::make_unique<MemoryClient>(*state_, state_->connect(std::move(connection)));
}

std::unique_ptr<SubscriberSocket> MemoryBus::connect_subscriber(const std::string& endpoint,
                                                                const std::string& peer,
                                                                std::size_t queue_max) {
  Connection connection;
  connection.endpoint = endpoint;
  connection.peer = peer;
  connection.queue_max = queue_max;
  connection.is_subscriber = true;
  return std::make_unique<MemorySubscriber>(*state_, state_->connect(std::move(connection)));
}

void MemoryBus::partition(const std::string& peer, PartitionDirection direction) {
  if (direction != PartitionDirection::none) {
    state_->partitions[peer] = direction;
    return;
  }
  if (state_->partitions.erase(peer) == 0) return;
  for (auto& [id, connection] : state_->connections) {
    if (connection.peer != peer || !connection.is_subscriber) continue;
    if (!state_->bound.contains(connection.endpoint)) continue;
    connection.effective.clear();
    state_->announce(id, connection);
  }
}

void MemoryBus::set_faults(const MemoryFaults& faults) {
  state_->faults = faults;
}

void MemoryBus::advance(base::Duration now) {
  CHECK(now >= state_->now);
  state_->now = now;
  auto& in_flight = state_->in_flight;
  while (!in_flight.empty() && std::get<0>(in_flight.begin()->first) <= now) {
    auto node = in_flight.extract(in_flight.begin());
    state_->deliver(std::move(node.mapped()));
  }
}

std::optional<base::Duration> MemoryBus::next_due() const {
  if (state_->in_flight.empty()) return std::nullopt;
  return std::get<0>(state_->in_flight.begin()->first);
}

const MemoryFaultCounts& MemoryBus::counts() const {
  return state_->counts;
}

}  // namespace bus
