// The peers that have said HELLO to a server, and when each was last heard.
#pragma once

#include <map>

#include "bus/frames.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

// A peer's text about itself has at most some 20 KiB, usually 100 bytes.
constexpr std::size_t kPeersMax = 4096;
// A peer that was silent this long is forgotten; it says HELLO again when it comes back. This is
// longer than any request waits to be answered.
constexpr base::Duration kPeerSilenceMax{120'000'000};

struct Peer {
  PeerId id;
  Hello hello;
  std::int64_t protocol = 0;
  base::Duration heard_at{0};
};

class Peers {
 public:
  explicit Peers(std::size_t count_max = kPeersMax, base::Duration silence_max = kPeerSilenceMax)
      : count_max_(count_max), silence_max_(silence_max) {}

  // Remembers the peer, anew if it is known. In a full table the peer that was silent longest makes
  // room, whatever its role; it says HELLO again when it comes back. Error: no protocol in common,
  // as HELLO must be answered.
  Result<Peer> greet(const PeerId& id, const Hello& hello, base::Duration now);
  // Returns the peer that a frame came from, and notes that it was heard; null: it has not said
  // HELLO, or was forgotten. Valid until the next call that changes the table.
  const Peer* heard(const PeerId& id, base::Duration now);
  const Peer* find(const PeerId& id) const;
  void forget(const PeerId& id) { peers_.erase(id); }
  // Forgets the peers that were silent too long.
  void forget_silent(base::Duration now);
  std::size_t count() const { return peers_.size(); }

 private:
  void forget_quietest();

  const std::size_t count_max_;
  const base::Duration silence_max_;
  std::map<PeerId, Peer> peers_;
};

}  // namespace bus
