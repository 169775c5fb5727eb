// Asks and commands a server without waiting, in the words of its protocol. The owner of a loop
// drives it. The command line waits for one answer at a time; a gateway serves many askers at once.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "bus/client.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/queries.hpp"

namespace workers {

// A server of another release replied with a body that does not fit; the request was accepted.
struct BadAnswer {
  base::Error error;
};

// The reason why a request has no answer: an error of the connection, a reply that is not ok, or a
// reply that is not understood. After the errors busy and timeout the outcome is unknown.
using Unanswered = std::variant<base::Error, bus::Reply, BadAnswer>;

template <class Answer>
using Answered = tl::expected<Answer, Unanswered>;

struct ServerClientOptions {
  std::string name;      // the program's, for the server's list of peers
  std::string scope{};   // the one agent that it acts for; empty: all agents
  std::string endpoint;  // named in errors
  bus::Role role = bus::Role::client;
};

// Used by one thread.
class ServerClient {
 public:
  // All references outlive it. `socket` is connected to the server's command endpoint.
  ServerClient(bus::ClientSocket& socket, base::Clock& clock, base::Random& random,
               const ServerClientOptions& options);

  base::CommandId fresh_id() { return base::CommandId::make(clock_.wall(), random_); }

  // Starts a request with an encoded body. Errors: those of bus::Client::start.
  base::Result<base::CommandId> start(const base::CommandId& id, std::string_view verb,
                                      base::RawValue body, base::Duration timeout) {
    return client_.start(id, verb, std::move(body), timeout);
  }
  // Starts a request. It is sent again under its id until it is answered, for at most `timeout`
  // after the next do_work(). `id` is the idempotency key. It is also the id of the session that
  // the command opens, or of the turn that it queues. Errors: those of bus::Client::start.
  base::Result<base::CommandId> command(const base::CommandId& id, const std::string& actor,
                                        const std::string& agent, base::SessionId session,
                                        const domain::Command& command, base::Duration timeout);
  // Commands the log as a whole.
  base::Result<base::CommandId> command(const base::CommandId& id, const std::string& actor,
                                        const domain::ServerCommand& command,
                                        base::Duration timeout);
  template <class Body>
  base::Result<base::CommandId> ask(std::string_view verb, const Body& body,
                                    base::Duration timeout) {
    return client_.start(fresh_id(), verb, bus::to_body(body), timeout);
  }

  // Returns the answer once, when it is there.
  template <class Answer>
  std::optional<Answered<Answer>> take(const base::CommandId& id) {
    auto reply = take_reply(id);
    if (!reply) return std::nullopt;
    if (!*reply) return tl::unexpected(std::move(reply->error()));
    auto answer = bus::from_body<Answer>((*reply)->body);
    if (!answer) return tl::unexpected(Unanswered(BadAnswer{std::move(answer.error())}));
    return std::move(*answer);
  }
  // Returns the reply without reading its body.
  std::optional<Answered<bus::Reply>> take_reply(const base::CommandId& id);
  // Gives up on a request; its answer will be dropped.
  void forget(const base::CommandId& id) { client_.forget(id); }

  // One duty cycle at boot time `now`; returns how much it did.
  int do_work(base::Duration now) { return client_.do_work(now); }
  base::Duration next_timer() const { return client_.next_timer(); }
  bus::Pollable& socket() { return client_.socket(); }
  bool wants_write() const { return client_.wants_write(); }
  // Returns the server's answer to HELLO. No value: the server has not answered yet.
  const std::optional<bus::Welcome>& welcome() const { return client_.welcome(); }
  // Returns the client that readers of the log ask through.
  bus::Client& client() { return client_; }

 private:
  base::Clock& clock_;
  base::Random& random_;
  bus::Client client_;
};

}  // namespace workers
