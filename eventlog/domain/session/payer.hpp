// The lineages that pay for a session besides its own: a session of each launched it, directly or
// not.
#pragma once

#include "eventlog/domain/types.hpp"

namespace domain {

// A lineage to which the session's spending counts, too.
struct Payer {
  SessionId lineage;
  NanoUsd budget{};  // of its session that launched; 0: that one has none

  bool operator==(const Payer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("lineage", &Payer::lineage);
    visit("budget", &Payer::budget);
  }
};

// Sessions launch sessions that launch sessions at most so deep.
constexpr std::size_t kPayersMax = 8;

}  // namespace domain
