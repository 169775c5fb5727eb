// Makes the server's reactors: a further one is a line here.
#include "workers/reactors/reactors.hpp"

#include "workers/reactors/anchors.hpp"
#include "workers/reactors/archives.hpp"
#include "workers/reactors/backups.hpp"
#include "workers/reactors/deadlines.hpp"
#include "workers/reactors/foreground.hpp"
#include "workers/reactors/notifications.hpp"
#include "workers/reactors/schedules.hpp"

namespace workers {

std::vector<std::unique_ptr<Reactor>> make_reactors(const ReactorPorts& ports) {
  std::vector<std::unique_ptr<Reactor>> reactors;
  reactors.push_back(std::make_unique<Deadlines>(ports.commands, ports.random, ports.sessions));
  // Foreground works first, so that words reach a channel before the news of the end.
  const bool has_channels =
      ports.limits.sinks[static_cast<std::size_t>(domain::NotificationTarget::channel)];
  reactors.push_back(
      std::make_unique<Foreground>(ports.commands, ports.notifier, ports.random, has_channels));
  reactors.push_back(
      std::make_unique<Notifications>(ports.commands, ports.notifier, ports.random, ports.limits));
  reactors.push_back(std::make_unique<Schedules>(ports.commands, ports.random));
  reactors.push_back(std::make_unique<Backups>(ports.commands, ports.upkeep));
  reactors.push_back(std::make_unique<Anchors>(ports.commands, ports.upkeep, ports.key));
  reactors.push_back(std::make_unique<Archives>(ports.commands, ports.upkeep));
  return reactors;
}

}  // namespace workers
