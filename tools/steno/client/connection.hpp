// A client's connection to the server: sends commands and queries, and waits, each with a deadline.
#pragma once

#include <memory>
#include <string>

#include "bus/client.hpp"
#include "bus/context.hpp"
#include "projections/views/session_list.hpp"
#include "tools/steno/client/interrupts.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/queries.hpp"

namespace steno {

// Used by one thread. Only one can exist in a process, since it owns the bus::Context.
class Connection {
 public:
  // Fails at once with kExitUnreachable if nobody listens. `config` must outlive the connection.
  static Outcome<std::unique_ptr<Connection>> open(const Config& config);

  // From here on Ctrl-C ends a wait with kExitInterrupted, and interrupts() is not null.
  void take_interrupts();
  Interrupts* interrupts() { return interrupts_.get(); }

  // Waits for `time` between two questions about work that the server does. Call take_interrupts()
  // first. Ctrl-C is a Failure with kExitInterrupted.
  Outcome<bool> wait(base::Duration time);

  // True if no process serves here any more: the lock beside the command socket, which the server
  // holds, is free. A server that lives but does not answer is not gone.
  bool is_server_gone() const;

  // Returns the reply to one request. A reply that is not ok is a Failure. No reply in time is one
  // too: the outcome is then unknown, and the request can be sent again under the same id.
  Outcome<bus::Reply> request(const base::CommandId& id, std::string_view verb,
                              base::RawValue body);

  template <class Answer, class Body>
  Outcome<Answer> ask(std::string_view verb, const Body& body) {
    const auto reply = request(fresh_command_id(), verb, bus::to_body(body));
    if (!reply) return tl::unexpected(reply.error());
    auto answer = bus::from_body<Answer>(reply->body);
    if (!answer) return bad_answer(verb, answer.error());
    return std::move(*answer);
  }

  // Sends a command to `session` of `agent`. `id` is the idempotency key, and also the turn's id
  // for a command that queues a turn.
  Outcome<workers::CommandReplyBody> command(const base::CommandId& id, base::SessionId session,
                                             const std::string& agent,
                                             const domain::Command& command);

  // Returns the session that a user means by `reference`.
  Outcome<workers::ShowAnswer> find(const std::string& reference, bool with_texts = false);

  // Sends a command to the log as a whole, and retries until the time-out while the server is busy.
  // Returns the position of its last event, which is durable.
  Outcome<base::Position> command_server(const domain::ServerCommand& command);
  base::CommandId fresh_command_id() { return base::CommandId::make(clock_.wall(), random_); }

  const Config& config() const { return config_; }
  const Endpoints& endpoints() const { return endpoints_; }
  bus::Context& context() { return context_; }
  bus::Client& client() { return *client_; }
  base::Clock& clock() { return clock_; }
  base::Random& random() { return random_; }

 private:
  Connection(const Config& config, Endpoints endpoints)
      : config_(config), endpoints_(std::move(endpoints)) {}
  static tl::unexpected<Failure> bad_answer(std::string_view verb, const base::Error& error);

  const Config& config_;
  const Endpoints endpoints_;
  base::SystemClock clock_;
  base::SystemRandom random_;
  std::unique_ptr<Interrupts> interrupts_;
  bus::Context context_;
  std::unique_ptr<bus::ClientSocket> socket_;
  std::unique_ptr<bus::Client> client_;
};

// Ok if somebody listens on the socket; else unreachable, or refused if we lack permission to
// connect.
base::Result<bool> probe_listener(const std::string& endpoint);

}  // namespace steno
