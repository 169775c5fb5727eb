// The list of the server's reactors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workers/reactors/lease_dispatcher.hpp"
#include "workers/reactors/reactor.hpp"
#include "workers/reactors/upkeep.hpp"

namespace workers {

// The parts of the server that reactors use. All outlive them.
struct ReactorPorts {
  CommandLoop& commands;
  Upkeep& upkeep;
  base::Random& random;
  std::string key;  // fingerprint of what anchors are signed with; empty: there is none
};

// In the order in which they work in a cycle. Others are those that have ports of their own: the
// dispatcher and upkeep.
std::vector<std::unique_ptr<Reactor>> make_reactors(const ReactorPorts& ports);

}  // namespace workers
