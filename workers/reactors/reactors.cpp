// Makes the server's reactors: a further one is a line here.
#include "workers/reactors/reactors.hpp"

#include "workers/reactors/anchors.hpp"
#include "workers/reactors/archives.hpp"
#include "workers/reactors/backups.hpp"
#include "workers/reactors/conversations.hpp"
#include "workers/reactors/deadlines.hpp"
#include "workers/reactors/earlier_answers.hpp"
#include "workers/reactors/foreground.hpp"
#include "workers/reactors/notifications.hpp"
#include "workers/reactors/rules.hpp"
#include "workers/reactors/schedules.hpp"

namespace workers {

std::vector<std::unique_ptr<Reactor>> make_reactors(const ReactorPorts& ports,
                                                    const ReactorOptions& options) {
  std::vector<std::unique_ptr<Reactor>> reactors;
  const auto add = [&]<class One>(std::unique_ptr<One> reactor) -> One& {
    One& added = *reactor;
    reactors.push_back(std::move(reactor));
    return added;
  };
  CommandLoop& commands = ports.commands;
  base::Random& random = ports.random;
  const SessionsUnderWay& sessions = ports.streams.of<domain::SessionStream>();
  LeaseDispatcher& leases = add(std::make_unique<LeaseDispatcher>(
      commands, ports.worker_socket, ports.locks, ports.side_work.make_content_loader(ports.stores),
      random, sessions, options.leases, *options.hooks.table));
  const SideStores& stores = ports.stores;
  Hooks& hooks = add(std::make_unique<Hooks>(commands, random, sessions,
                                             ports.side_work.make_content_loader(stores),
                                             ports.side_work, options.hooks));
  Upkeep& upkeep = add(std::make_unique<Upkeep>(
      commands,
      ports.side_work.make_upkeep_port(
          {stores.log, stores.index, stores.view_rows, options.upkeep, &stores.index_rows}),
      random, sessions, options.found_folders));
  add(std::make_unique<EarlierAnswers>(commands, random, sessions,
                                       ports.side_work.make_content_loader(stores)));
  add(std::make_unique<Conversations>(commands, random, sessions,
                                      ports.side_work.make_content_loader(stores),
                                      [&leases] { leases.want_place(); }));
  add(std::make_unique<Deadlines>(commands, random, sessions));
  auto notifications =
      std::make_unique<Notifications>(commands, ports.side_work.make_notifier(stores), random,
                                      [&hooks](const domain::HookRun& run) { hooks.count(run); });
  // Foreground works first, so that words reach a channel before the news of the end.
  add(std::make_unique<Foreground>(commands, notifications->notifier(), random));
  add(std::move(notifications));
  add(std::make_unique<Schedules>(commands, random));
  add(std::make_unique<Rules>());
  add(std::make_unique<Backups>(commands, upkeep));
  add(std::make_unique<Anchors>(commands, upkeep, options.key));
  add(std::make_unique<Archives>(commands, upkeep, ports.streams));
  return reactors;
}

}  // namespace workers
