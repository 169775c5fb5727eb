// Who hears what is published: the topics that somebody has subscribed to, as the publisher was
// told of them. What nobody hears need not be made.
#pragma once

#include "bus/ports.hpp"
#include "bus/topic_map.hpp"

namespace bus {

// Topics that are remembered; of more than these, everything counts as heard from then on. About
// 100 bytes each.
constexpr std::size_t kTopicsMax = 65536;

class Audience {
 public:
  void take(const SubscriptionChange& change) {
    if (!change.is_subscribe) {
      topics_.erase(change.topic);
    } else if (topics_.size() < kTopicsMax) {
      topics_[change.topic] = {};
    } else {
      is_everything_heard_ = true;
    }
  }

  // Whether a topic is subscribed to that the level begins with.
  bool hears(std::string_view level) const {
    return is_everything_heard_ || topics_.any_that_begins(level, [](Heard) { return true; });
  }

 private:
  struct Heard {};

  TopicMap<Heard> topics_;
  bool is_everything_heard_ = false;
};

}  // namespace bus
