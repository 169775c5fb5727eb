// Who a peer acts for, and what that permits. Today each peer is the local user, because the
// sockets' folder is open to that user alone. A peer can confine itself to one agent.
#pragma once

#include <optional>
#include <string>

#include "bus/peers.hpp"

namespace workers {

struct Principal {
  std::string agent;  // the only one that it acts for; empty: all
};

Principal principal_of(const bus::Peer& peer);

// What a request is about. Each request that is understood has one; without it, nobody may ask.
enum class Reach {
  unknown,
  server,      // how the server does, without a word of any session
  agent,       // one agent's sessions, schedules or records
  all_agents,  // the log as a whole
};

// The one place that permits. Returns why the principal may not ask for that, as the reason of a
// refusal; none: it may. `agent` counts for Reach::agent alone.
std::optional<std::string> why_not(const Principal& principal, Reach reach,
                                   const std::string& agent = {});

}  // namespace workers
