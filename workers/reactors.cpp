// Makes the server's reactors: a further one is a line here.
#include "workers/reactors.hpp"

#include "workers/anchors.hpp"
#include "workers/archives.hpp"
#include "workers/backups.hpp"

namespace workers {

std::vector<std::unique_ptr<Reactor>> make_reactors(const ReactorPorts& ports) {
  std::vector<std::unique_ptr<Reactor>> reactors;
  reactors.push_back(std::make_unique<Backups>(ports.commands, ports.eraser));
  reactors.push_back(std::make_unique<Anchors>(ports.commands, ports.eraser, ports.key));
  reactors.push_back(std::make_unique<Archives>(ports.commands, ports.eraser));
  return reactors;
}

}  // namespace workers
