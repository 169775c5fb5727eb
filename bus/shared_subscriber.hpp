// Many subscriber sockets over one connection, for a process that follows many levels; each
// Subscription has one. The publisher then sends each message once and together with others, and
// the subscriber waits for one socket.
//
// A socket that is not emptied loses its oldest messages beyond a bound, without holding up the
// others. Its Subscription finds the loss as a gap, like any other of the feed, and reads the log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bus/ports.hpp"
#include "bus/topic_map.hpp"

namespace bus {

class SharedSubscriber {
 public:
  // The most that is received in one duty cycle, whichever bound is reached first. A socket that is
  // emptied once a cycle has room for all of it, so it loses nothing.
  static constexpr int kMessagesPerCycle = 256;
  static constexpr std::size_t kBytesPerCycle = 512 << 10;
  // The most that waits in one of the sockets; a message larger than that waits alone.
  static constexpr std::size_t kWaitingMessagesMax = 1000;
  static constexpr std::size_t kWaitingBytesMax = 1 << 20;
  static_assert(kMessagesPerCycle < kWaitingMessagesMax && kBytesPerCycle < kWaitingBytesMax);

  // `socket` must outlive this, have no other user, and have no subscriptions. It, this and all
  // that is opened here belong to one thread.
  explicit SharedSubscriber(SubscriberSocket& socket) : socket_(socket) {}
  // All that was opened must be gone.
  ~SharedSubscriber();
  SharedSubscriber(const SharedSubscriber&) = delete;
  SharedSubscriber& operator=(const SharedSubscriber&) = delete;

  // Opens a further socket, which receives each message that begins with one of its own topics,
  // once. It holds only messages that do_work() gave it. Its poll handle is that of the one
  // connection: a message for one socket wakes all, and messages left in a socket wake nobody, so
  // empty it before waiting. Destroying it ends its subscriptions. next_given() returns `key`.
  std::unique_ptr<SubscriberSocket> open(std::size_t key = 0);

  // One duty cycle: receives messages and gives each to the sockets that want it. Returns how many
  // it received. Call it, and empty the sockets after each call, until that is 0.
  int do_work();

  // Returns the key of a socket that was given messages since it was last named here; none: all
  // were named. With it a few messages cost nothing for the many sockets that got none. Messages
  // left in a named socket do not name it again, and timers of Subscriptions run without messages.
  std::optional<std::size_t> next_given();

  // Messages that were dropped because their socket was not emptied.
  std::int64_t dropped() const { return dropped_; }

 private:
  class Share;

  bool subscribe(Share& share, std::string_view topic);
  void unsubscribe(Share& share, std::string_view topic);
  void give(FeedFrame message);

  SubscriberSocket& socket_;
  TopicMap<std::vector<Share*>>
      wanted_;                  // the sockets that want a topic, each as often as it has subscribed
  std::vector<Share*> takers_;  // of the message being given; kept for its memory
  std::vector<Share*> given_;   // not yet named
  std::int64_t messages_ = 0;
  std::int64_t open_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace bus
