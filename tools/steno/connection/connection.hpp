// The command line's connection to the server: it drives tasks until they are done, and makes exit
// codes of refusals.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bus/context.hpp"
#include "bus/poller.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/connection/interrupts.hpp"
#include "tools/steno/text/failure.hpp"
#include "workers/client/async_client.hpp"
#include "workers/client/presence.hpp"
#include "workers/operations/caller.hpp"
#include "workers/protocol/queries.hpp"

namespace steno {

// How a connection says hello.
struct SaidHello {
  std::string name = "steno";
  bus::Role role = bus::Role::client;
};

// Used by one thread. Only one can exist in a process, since it owns the bus::Context.
class Connection {
 public:
  // Fails at once with kExitUnreachable if nobody listens. `config` must outlive the connection.
  static Outcome<std::unique_ptr<Connection>> open(const Config& config,
                                                   const SaidHello& hello = {});

  // From here on Ctrl-C ends a wait with kExitInterrupted, and interrupts() is not null.
  void take_interrupts();
  Interrupts* interrupts() { return interrupts_.get(); }

  // Waits for `time` between two questions about work that the server does. Ctrl-C is a Failure
  // with kExitInterrupted, or ends the program if take_interrupts() was not called.
  Outcome<bool> wait(base::Duration time);

  // True if no process serves here any more.
  bool is_server_gone() const { return workers::is_server_gone(endpoints_.command); }

  // Runs a task to its end. A refusal is a Failure. Ctrl-C, once interrupts are taken, gives the
  // task up: whether the server did what it asks for is then not known.
  template <class T>
  Outcome<T> run(workers::Task<workers::Outcome<T>> task) {
    task.start();
    Waited waited = begin_wait();
    while (!task.is_done()) {
      if (const auto ok = wait_for_task(waited); !ok) return tl::unexpected(ok.error());
    }
    workers::Outcome<T> outcome = task.take();
    if (!outcome) return fail(outcome.error());
    return std::move(*outcome);
  }
  // Works on the tasks that wait for the server. True: one of them has got on. False: there was
  // nothing to do, and it has waited for the server, for Ctrl-C, for one of `others`, or for so
  // long.
  Outcome<bool> work(std::span<bus::PollItem> others, base::Duration wait_max);

  // Asks and waits. A reply that is not ok is a Failure. No reply in time is one too: the outcome
  // is then unknown.
  template <class Answer, class Body>
  Outcome<Answer> ask(std::string_view verb, const Body& body) {
    return run(tasks_->ask<Answer>(verb, body));
  }

  // Sends a command to `session` of `agent`. `id` is the idempotency key, and also the turn's id
  // for a command that queues a turn.
  Outcome<workers::CommandReplyBody> command(const base::CommandId& id, base::SessionId session,
                                             const std::string& agent,
                                             const domain::Command& command);

  // Returns the session that a user means by `reference`. "@self" is the session whose agent calls,
  // and "@parent" its parent.
  Outcome<workers::ShowAnswer> find(const std::string& reference, bool with_texts = false);

  // Returns what was asked of the session that a user means by `reference`. If there is none,
  // people are told which one may have been meant.
  template <class T>
  Outcome<T> named(const std::string& reference, Outcome<T> answer) {
    const bool is_missing = !answer && answer.error().exit_code == kExitNotFound;
    if (is_missing) answer.error().text += meant_text(reference);
    return answer;
  }

  // Sends a command to the log as a whole, and retries until the time-out while the server is busy.
  // Returns the position of its last event, which is durable.
  Outcome<base::Position> command_server(const domain::ServerCommand& command);
  // Sends a command about notifications.
  Outcome<base::Position> command_outbox(const domain::OutboxCommand& command);
  // Sends a command about schedules.
  Outcome<workers::SchedulesReplyBody> command_schedules(const domain::SchedulesCommand& command);
  // Sends a command about rules.
  Outcome<workers::RulesReplyBody> command_rules(const domain::RulesCommand& command);
  // `agent`: of the conversation.
  Outcome<workers::ConversationReplyBody> command_conversation(
      const std::string& agent, const domain::ConversationCommand& command);
  base::CommandId fresh_command_id() { return client_->fresh_id(); }

  // Returns whoever runs this process, with its settings. It is valid as long as the connection.
  const workers::Caller& caller() const { return *caller_; }
  const Config& config() const { return config_; }
  const Endpoints& endpoints() const { return endpoints_; }
  bus::Context& context() { return context_; }
  workers::ServerClient& client() { return *client_; }
  base::Clock& clock() { return clock_; }
  base::Random& random() { return random_; }

 private:
  Connection(const Config& config, Endpoints endpoints)
      : config_(config), endpoints_(std::move(endpoints)) {}
  // How long a task has waited without a sign of the server.
  struct Waited {
    base::Duration tell_at{0};  // when it is looked whether the server is gone
    bool is_told = false;
  };
  Waited begin_wait();
  // Returns which of the agent's newest sessions may have been meant; empty: none has a name or an
  // alias that is near, or a program reads the output.
  std::string meant_text(const std::string& reference);
  Outcome<bool> wait_for_task(Waited& waited);
  // Sends a command about the log as a whole, and waits for its reply.
  template <class Reply>
  Outcome<Reply> send(const base::CommandId& id, workers::CommandBody body) {
    body.actor = caller_->actor;
    return run(tasks_->command<Reply>(id, body));
  }

  const Config& config_;
  const Endpoints endpoints_;
  base::SystemClock clock_;
  base::SystemRandom random_;
  std::unique_ptr<Interrupts> interrupts_;
  bus::Context context_;
  std::unique_ptr<bus::ClientSocket> socket_;
  std::optional<workers::ServerClient> client_;
  std::optional<workers::AsyncClient> tasks_;
  std::optional<workers::Caller> caller_;
};

}  // namespace steno
