// A connection for single commands, each waited for.
#pragma once

#include <memory>

#include "bus/client.hpp"
#include "eventlog/domain/session/commands.hpp"
#include "tools/benchmarks/steno_server.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/queries.hpp"

namespace benchmarks {

class OneCommand {
 public:
  static base::Result<std::unique_ptr<OneCommand>> connect(Workbench& bench,
                                                           const StenoServer& server);
  // From its sending to its acceptance. Error refused: it was not accepted.
  base::Result<Nanoseconds> run(base::SessionId session, std::string_view agent,
                                const domain::Command& command);
  // The same under an id of the caller's.
  base::Result<Nanoseconds> run(const base::CommandId& id, base::SessionId session,
                                std::string_view agent, const domain::Command& command);
  // From the question to its answer. Error refused: there is none but a reason.
  base::Result<Nanoseconds> ask(std::string_view verb, const workers::QueryBody& query);
  // Waits until all that the server derives from its log stands at the log's end.
  base::Result<bool> wait_for_views();

 private:
  explicit OneCommand(Workbench& bench) : bench_(bench) {}

  Workbench& bench_;
  std::unique_ptr<bus::ClientSocket> socket_;
  std::unique_ptr<bus::Client> client_;
};

// A session without limits, for which an agent could be started in an existing folder.
domain::Command spawn_command();

}  // namespace benchmarks
