// The topics that somebody has subscribed to, as the publisher was told of them. A message that
// nobody hears need not be made.
#pragma once

#include "bus/ports.hpp"
#include "bus/topic_map.hpp"

namespace bus {

// Topics that are remembered, about 100 bytes each. While there are more, everything counts as
// heard.
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

  // True if somebody has subscribed to a topic that `level` begins with.
  bool hears(std::string_view level) const {
    return others_ > 0 || topics_.any_that_begins(level, [](Heard) { return true; });
  }

 private:
  struct Heard {};

  TopicMap<Heard> topics_;
  std::size_t others_ = 0;  // topics that somebody has subscribed to beyond those in topics_
};

}  // namespace bus
