// Who hears what is published: the topics that somebody has subscribed to, as the publisher was
// told of them. What nobody hears need not be made.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "bus/ports.hpp"

namespace bus {

// Topics that are remembered; of more than these, everything counts as heard from then on. About
// 100 bytes each.
constexpr std::size_t kTopicsMax = 65536;

class Audience {
 public:
  void take(const SubscriptionChange& change) {
    const std::size_t size = change.topic.size();
    if (!change.is_subscribe) {
      const auto found = topics_.find(size);
      if (found == topics_.end()) return;
      count_ -= found->second.erase(change.topic);
      if (found->second.empty()) topics_.erase(found);
    } else if (count_ < kTopicsMax) {
      count_ += topics_[size].insert(change.topic).second ? 1 : 0;
    } else {
      is_everything_heard_ = true;
    }
  }

  // Whether a topic is subscribed to that the level begins with.
  bool hears(std::string_view level) const {
    return is_everything_heard_ ||
           std::any_of(topics_.begin(), topics_.end(), [&](const auto& of_size) {
             return of_size.first <= level.size() &&
                    of_size.second.contains(level.substr(0, of_size.first));
           });
  }

 private:
  std::map<std::size_t, std::set<std::string, std::less<>>> topics_;  // by their size
  std::size_t count_ = 0;
  bool is_everything_heard_ = false;
};

}  // namespace bus
