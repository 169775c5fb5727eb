#include "workers/refusals.hpp"

namespace workers {

void Refusals::add(const base::CommandId& id, Refusal refusal) {
  if (refusal.ask == 0) return;
  const auto [at, is_new] = by_id_.try_emplace(id);
  if (refusal.ask > at->second.ask) at->second = std::move(refusal);
  if (!is_new) return;
  order_.push_back(id);
  if (order_.size() <= kCountMax) return;
  by_id_.erase(order_.front());
  order_.pop_front();
}

const Refusals::Refusal* Refusals::find(const base::CommandId& id, std::int64_t ask) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() || ask == 0 || ask > found->second.ask ? nullptr : &found->second;
}

}  // namespace workers
