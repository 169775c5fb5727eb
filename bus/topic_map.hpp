// Values by topic; finds those whose topic a given text begins with, as ZeroMQ matches
// subscriptions. A look-up costs one hash for each different length of topic, however many topics
// there are.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bus {

template <class Value>
class TopicMap {
 public:
  std::size_t size() const { return size_; }

  // Returns the value of exactly this topic, making it if needed. It stays where it is until it is
  // erased.
  Value& operator[](std::string_view topic) {
    auto& of_size = by_size_[topic.size()];
    const auto found = of_size.find(topic);
    if (found != of_size.end()) return found->second;
    ++size_;
    return of_size.emplace(std::string(topic), Value{}).first->second;
  }

  // Does nothing if the topic is not there.
  void erase(std::string_view topic) {
    const auto of_size = by_size_.find(topic.size());
    if (of_size == by_size_.end()) return;
    const auto found = of_size->second.find(topic);
    if (found == of_size->second.end()) return;
    of_size->second.erase(found);
    if (of_size->second.empty()) by_size_.erase(of_size);
    --size_;
  }

  // Calls `is_enough` with the value of each topic that `whole` begins with, shortest first, until
  // it returns true; returns whether it did. It must not change this map.
  template <class IsEnough>
  bool any_that_begins(std::string_view whole, IsEnough&& is_enough) const {
    for (const auto& [size, of_size] : by_size_) {
      if (size > whole.size()) return false;
      const auto found = of_size.find(whole.substr(0, size));
      if (found != of_size.end() && is_enough(found->second)) return true;
    }
    return false;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using OfSize = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  std::map<std::size_t, OfSize> by_size_;
  std::size_t size_ = 0;
};

}  // namespace bus
