#include "workers/refusals.hpp"

namespace workers {

void Refusals::add(const base::CommandId& id, Refusal refusal) {
  if (!by_id_.emplace(id, std::move(refusal)).second) return;
  order_.push_back(id);
  if (order_.size() <= kCountMax) return;
  by_id_.erase(order_.front());
  order_.pop_front();
}

const Refusals::Refusal* Refusals::find(const base::CommandId& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

}  // namespace workers
