// A full table makes room by a search for the peer that was silent longest: greetings are rare.
#include "bus/peers.hpp"

#include <algorithm>

namespace bus {

Result<Peer> Peers::greet(const PeerId& id, const Hello& hello, base::Duration now) {
  const auto protocol = choose_protocol(hello);
  if (!protocol) return tl::unexpected<base::Error>(protocol.error());
  if (!peers_.contains(id) && peers_.size() >= count_max_) forget_quietest();
  Peer peer{id, hello, *protocol, now};
  peers_.insert_or_assign(id, peer);
  return peer;
}

void Peers::forget_quietest() {
  peers_.erase(std::min_element(peers_.begin(), peers_.end(), [](const auto& a, const auto& b) {
    return a.second.heard_at < b.second.heard_at;
  }));
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

void Peers::forget_silent(base::Duration now) {
  std::erase_if(peers_,
                [&](const auto& entry) { return now - entry.second.heard_at >= silence_max_; });
}

}  // namespace bus
