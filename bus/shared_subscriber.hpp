// Many subscriber sockets over one connection, for somebody who follows many levels: one
// Subscription has one of them. A publisher then sends each message once and together with others,
// and the subscriber waits for one socket.
//
// What a socket does not take is dropped beyond a bound, the oldest first, without holding up the
// others. Like all that the feed loses, its Subscription finds it as a gap and reads the log.
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
  // Received in one duty cycle, at most; whichever is reached first. A socket that is emptied once
  // a cycle holds all of it, so that nothing is dropped for it.
  static constexpr int kMessagesPerCycle = 256;
  static constexpr std::size_t kBytesPerCycle = 512 << 10;
  // That wait in one of the sockets; a message that is larger alone waits alone.
  static constexpr std::size_t kWaitingMessagesMax = 1000;
  static constexpr std::size_t kWaitingBytesMax = 1 << 20;
  static_assert(kMessagesPerCycle < kWaitingMessagesMax && kBytesPerCycle < kWaitingBytesMax);

  // `socket` must outlive this, be used by nobody else, and have no subscriptions. It, this and all
  // that is opened here belong to one thread.
  explicit SharedSubscriber(SubscriberSocket& socket) : socket_(socket) {}
  // All that was opened must be gone.
  ~SharedSubscriber();
  SharedSubscriber(const SharedSubscriber&) = delete;
  SharedSubscriber& operator=(const SharedSubscriber&) = delete;

  // A further socket, which receives what one of its own topics begins, each message once. It has
  // nothing but what do_work() gave it. Its poll handle is that of the one connection: what arrives
  // for one wakes all, and what was left in it wakes nobody, so it is emptied before one waits.
  // Destroying it ends its subscriptions. `key`: whatever next_given() is to say.
  std::unique_ptr<SubscriberSocket> open(std::size_t key = 0);

  // One duty cycle: receives, and gives each message to those who want it. Returns how many
  // messages it received; call it, and then let the sockets be emptied, until that is 0.
  int do_work();

  // The key of a socket that was given messages since it was last named here; none: all have been
  // named. So that a few messages cost nothing for the many who have none. What a named one leaves
  // does not name it again, and the timers of Subscriptions go on without messages.
  std::optional<std::size_t> next_given();

  // Messages that were dropped because the socket they were for was not emptied.
  std::int64_t dropped() const { return dropped_; }

 private:
  class Share;

  bool subscribe(Share& share, std::string_view topic);
  void unsubscribe(Share& share, std::string_view topic);
  void give(FeedFrame message);

  SubscriberSocket& socket_;
  TopicMap<std::vector<Share*>> wanted_;  // who wants a topic; as often as it has subscribed
  std::vector<Share*> takers_;            // of the message being given; kept for its memory
  std::vector<Share*> given_;             // not yet named
  std::int64_t messages_ = 0;
  std::int64_t open_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace bus
