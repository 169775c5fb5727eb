// A client's connection to the server: asks, commands, and waits, each with a deadline.
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

// Used by one thread; one at a time in a process, as its context is.
class Connection {
 public:
  // Fails at once with kExitUnreachable where nobody listens. `config` must outlive it.
  static Outcome<std::unique_ptr<Connection>> open(const Config& config);

  // From here on Ctrl-C ends a wait with kExitInterrupted, and can be asked for.
  void take_interrupts();
  Interrupts* interrupts() { return interrupts_.get(); }

  // For as long, between two questions about something that the server does, after
  // take_interrupts(). Ctrl-C is a Failure with kExitInterrupted.
  Outcome<bool> wait(base::Duration time);

  // No process serves here any more: the lock beside the command socket, which the server holds, is
  // free. One that lives and does not answer is not gone.
  bool is_server_gone() const;

  // A reply that is not ok is a Failure. A request without a reply in time is one, too: its outcome
  // is unknown then, and it may be sent again under the same id.
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

  // Commands the configuration's agent's session, or that of `agent`. `id` is the idempotency key:
  // of a command that queues a turn, also the turn's id.
  Outcome<workers::CommandReplyBody> command(const base::CommandId& id, base::SessionId session,
                                             const std::string& agent,
                                             const domain::Command& command);

  // The session that a user means by `reference`.
  Outcome<workers::ShowAnswer> find(const std::string& reference, bool with_texts = false);

  // Commands the log as a whole, again and again until the time-out where something of it is under
  // way. Returns where on the record, durably, its last event is.
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

// Ok where somebody listens on the socket; else unreachable, or refused where we may not ask.
base::Result<bool> probe_listener(const std::string& endpoint);

}  // namespace steno
