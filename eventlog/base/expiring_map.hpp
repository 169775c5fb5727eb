// A map of recent entries, bounded in number and, if a bound is given, in age. A key that is put
// again counts as new. The oldest entries are evicted first.
#pragma once

#include <iterator>
#include <list>
#include <map>

#include "eventlog/base/time.hpp"

namespace base {

template <class Key, class Value>
class ExpiringMap {
 public:
  explicit ExpiringMap(std::size_t count_max, base::Duration age_max = base::Duration::max())
      : count_max_(count_max), age_max_(age_max) {}

  // `now` must come from a clock that never goes back, and from the same one in every call.
  void put(const Key& key, Value value, base::Duration now) {
    forget(now);
    const auto found = places_.find(key);
    if (found != places_.end()) order_.erase(found->second);
    order_.push_back({key, std::move(value), now});
    places_[key] = std::prev(order_.end());
    if (order_.size() > count_max_) drop_oldest();
  }
  // Returns null if nothing was put under this key lately. The pointer is valid until the next
  // call.
  const Value* find(const Key& key, base::Duration now) {
    forget(now);
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &found->second->value;
  }
  std::size_t count() const { return order_.size(); }

 private:
  struct Entry {
    Key key;
    Value value;
    base::Duration put{0};
  };

  void forget(base::Duration now) {
    while (!order_.empty() && now - order_.front().put > age_max_) drop_oldest();
  }
  void drop_oldest() {
    places_.erase(order_.front().key);
    order_.pop_front();
  }

  const std::size_t count_max_;
  const base::Duration age_max_;
  std::list<Entry> order_;
  std::map<Key, typename std::list<Entry>::iterator> places_;
};

}  // namespace base
