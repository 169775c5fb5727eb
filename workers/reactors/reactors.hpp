// The list of the server's reactors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/reactors/hooks.hpp"
#include "workers/reactors/lease_dispatcher.hpp"
#include "workers/reactors/reactor.hpp"
#include "workers/reactors/side_work.hpp"

namespace workers {

// The parts of the server that reactors use. All but the side work, which makes their ports, must
// outlive them.
struct ReactorPorts {
  CommandLoop& commands;
  base::Random& random;
  const StreamsUnderWay& streams;
  LeaseLocks& locks;
  bus::ServerSocket& worker_socket;
  SideStores stores;
  SideWork& side_work;
};

struct ReactorOptions {
  LeaseDispatcherOptions leases{};
  std::string key{};  // fingerprint of the key that signs anchors; empty: there is none
  UpkeepOptions upkeep{};
  // The sessions whose private folders were there before this server began; none: sessions have no
  // folders.
  std::optional<std::vector<base::SessionId>> found_folders{};
  HookOptions hooks{};
};

// Makes the reactors in the order in which they work in a cycle. Each owns its ports.
std::vector<std::unique_ptr<Reactor>> make_reactors(const ReactorPorts& ports,
                                                    const ReactorOptions& options);

}  // namespace workers
