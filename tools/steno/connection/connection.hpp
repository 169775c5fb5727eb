// The command line's connection to the server: one request at a time, waited for with a deadline,
// and failures as exit codes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bus/context.hpp"
#include "projections/views/session_list.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/connection/interrupts.hpp"
#include "tools/steno/text/failure.hpp"
#include "workers/client/presence.hpp"
#include "workers/client/server_client.hpp"

namespace steno {

// Used by one thread. Only one can exist in a process, since it owns the bus::Context.
class Connection {
 public:
  // Fails at once with kExitUnreachable if nobody listens. `config` must outlive the connection.
  static Outcome<std::unique_ptr<Connection>> open(const Config& config);

  // From here on Ctrl-C ends a wait with kExitInterrupted, and interrupts() is not null.
  void take_interrupts();
  Interrupts* interrupts() { return interrupts_.get(); }

  // Waits for `time` between two questions about work that the server does. Ctrl-C is a Failure
  // with kExitInterrupted, or ends the program if take_interrupts() was not called.
  Outcome<bool> wait(base::Duration time);

  // True if no process serves here any more.
  bool is_server_gone() const { return workers::is_server_gone(endpoints_.command); }

  // Asks and waits. A reply that is not ok is a Failure. No reply in time is one too: the outcome
  // is then unknown.
  template <class Answer, class Body>
  Outcome<Answer> ask(std::string_view verb, const Body& body) {
    return answer_of<Answer>(verb, client_->ask(verb, body, config_.timeout));
  }

  // Sends a command to `session` of `agent`. `id` is the idempotency key, and also the turn's id
  // for a command that queues a turn.
  Outcome<workers::CommandReplyBody> command(const base::CommandId& id, base::SessionId session,
                                             const std::string& agent,
                                             const domain::Command& command);

  // Returns the session that a user means by `reference`. "@self" is the session whose agent calls,
  // and "@parent" its parent.
  Outcome<workers::ShowAnswer> find(const std::string& reference, bool with_texts = false);

  // Sends a command to the log as a whole, and retries until the time-out while the server is busy.
  // Returns the position of its last event, which is durable.
  Outcome<base::Position> command_server(const domain::ServerCommand& command);
  // Sends a command about notifications.
  Outcome<base::Position> command_outbox(const domain::OutboxCommand& command);
  // Sends a command about schedules.
  Outcome<workers::SchedulesReplyBody> command_schedules(const domain::SchedulesCommand& command);
  base::CommandId fresh_command_id() { return client_->fresh_id(); }

  const Config& config() const { return config_; }
  const Endpoints& endpoints() const { return endpoints_; }
  bus::Context& context() { return context_; }
  workers::ServerClient& client() { return *client_; }
  base::Clock& clock() { return clock_; }
  base::Random& random() { return random_; }

 private:
  Connection(const Config& config, Endpoints endpoints)
      : config_(config), endpoints_(std::move(endpoints)) {}
  // Waits for the answer to what was started.
  template <class Answer>
  Outcome<Answer> answer_of(std::string_view verb, const base::Result<base::CommandId>& started) {
    if (!started) return fail(started.error());
    std::optional<workers::Answered<Answer>> answer;
    const auto waited = wait_for(*started, [&] {
      answer = client_->take<Answer>(*started);
      return answer.has_value();
    });
    if (!waited) return tl::unexpected(waited.error());
    if (!*answer) return fail_unanswered(verb, answer->error());
    return std::move(**answer);
  }
  // Works until `is_there` says so. A Failure is Ctrl-C, or that waiting is not possible.
  Outcome<bool> wait_for(const base::CommandId& id, const std::function<bool()>& is_there);
  static tl::unexpected<Failure> fail_unanswered(std::string_view verb,
                                                 const workers::Unanswered& why);

  const Config& config_;
  const Endpoints endpoints_;
  base::SystemClock clock_;
  base::SystemRandom random_;
  std::unique_ptr<Interrupts> interrupts_;
  bus::Context context_;
  std::unique_ptr<bus::ClientSocket> socket_;
  std::optional<workers::ServerClient> client_;
};

}  // namespace steno
