// Who hears what is published: the topics that somebody has subscribed to, as the publisher was
// told of them. What nobody hears need not be made.
#pragma once

#include "bus/ports.hpp"
#include "bus/topic_map.hpp"

namespace bus {

// Topics that are remembered; while there are more, everything counts as heard. About 100 bytes
// each.
constexpr std::size_t kTopicsMax = 65536;

class Audience {
 public:
  void take(const SubscriptionChange& change) {
    const std::size_t before = topics_.size();
    if (change.is_subscribe && before == kTopicsMax) {
      ++others_;
    } else if (change.is_subscribe) {
      topics_[change.topic] = {};
    } else {
      topics_.erase(change.topic);
      if (topics_.size() == before && others_ > 0) --others_;
    }
  }

  // Whether a topic is subscribed to that the level begins with.
  bool hears(std::string_view level) const {
    return others_ > 0 || topics_.any_that_begins(level, [](Heard) { return true; });
  }

 private:
  struct Heard {};

  TopicMap<Heard> topics_;
  std::size_t others_ = 0;  // topics that somebody has subscribed to and are not among them
};

}  // namespace bus
