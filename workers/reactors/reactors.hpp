// The list of the server's reactors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workers/reactors/lease_dispatcher.hpp"
#include "workers/reactors/notifications.hpp"
#include "workers/reactors/reactor.hpp"
#include "workers/reactors/upkeep.hpp"

namespace workers {

// The parts of the server that reactors use, which must outlive them.
struct ReactorPorts {
  CommandLoop& commands;
  Upkeep& upkeep;
  Notifier& notifier;
  base::Random& random;
  const SessionsUnderWay& sessions;
  std::string key;  // fingerprint of the key that signs anchors; empty: there is none
  const domain::Limits& limits;
};

// Makes the reactors in the order in which they work in a cycle. The dispatcher and upkeep have
// ports of their own and are made elsewhere.
std::vector<std::unique_ptr<Reactor>> make_reactors(const ReactorPorts& ports);

}  // namespace workers
