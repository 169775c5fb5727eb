#include "bus/peers.hpp"

#include <utility>

namespace bus {

Result<Peer> Peers::greet(const PeerId& id, const Hello& hello, base::Duration now) {
  const auto protocol = choose_protocol(hello);
  if (!protocol) return tl::unexpected<base::Error>(protocol.error());
  if (!peers_.contains(id) && peers_.size() >= count_max_) {
    return base::failure(base::ErrorCode::busy,
                         "the server has as many peers as it takes: " + std::to_string(count_max_));
  }
  Peer peer{id, hello, *protocol, now};
  peers_.insert_or_assign(id, peer);
  return peer;
}

const Peer* Peers::heard(const PeerId& id, base::Duration now) {
  const auto it = peers_.find(id);
  if (it == peers_.end()) return nullptr;
  it->second.heard_at = now;
  return &it->second;
}

const Peer* Peers::find(const PeerId& id) const {
  const auto it = peers_.find(id);
  return it == peers_.end() ? nullptr : &it->second;
}

std::vector<Peer> Peers::forget_silent(base::Duration now) {
  std::vector<Peer> silent;
  for (auto it = peers_.begin(); it != peers_.end();) {
    if (now - it->second.heard_at < silence_max_) {
      ++it;
      continue;
    }
    silent.push_back(std::move(it->second));
    it = peers_.erase(it);
  }
  return silent;
}

}  // namespace bus
