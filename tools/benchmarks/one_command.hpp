// A connection for single commands and queries, each awaited.
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
  // Returns the time from sending to acceptance. Error refused: it was not accepted.
  base::Result<Nanoseconds> run(base::SessionId session, std::string_view agent,
                                const domain::Command& command);
  // The same under the caller's id.
  base::Result<Nanoseconds> run(const base::CommandId& id, base::SessionId session,
                                std::string_view agent, const domain::Command& command);
  // Returns the time from the query to its answer. Error refused: it was answered with a reason
  // only.
  base::Result<Nanoseconds> ask(std::string_view verb, const workers::QueryBody& query);
  // Returns the answer to a query. Error refused: it was answered with a reason only.
  template <class Answer>
  base::Result<Answer> answer_to(std::string_view verb, const workers::QueryBody& query) {
    const auto reply = reply_to(verb, query);
    if (!reply) return tl::unexpected(reply.error());
    return bus::from_body<Answer>(reply->body);
  }
  // Waits until everything that the server derives from its log has reached the log's end.
  base::Result<void> wait_for_views();
  // Waits until the index of texts has reached it; returns how long that took.
  base::Result<Nanoseconds> wait_for_search_index();

 private:
  explicit OneCommand(Workbench& bench) : bench_(bench) {}
  base::Result<bus::Reply> reply_to(std::string_view verb, const workers::QueryBody& query);

  Workbench& bench_;
  std::unique_ptr<bus::ClientSocket> socket_;
  std::unique_ptr<bus::Client> client_;
};

// Returns a spawn without limits; an agent could be started for it in an existing folder.
domain::Spawn spawn_command();

}  // namespace benchmarks
