// Asks and commands a server without waiting, in the words of its protocol. Whoever owns a loop
// drives it: the command line waits for one answer at a time, a gateway serves many askers at once.
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

// The reason why a request has no answer: an error on the way to the server and back, a reply that
// is not ok, or one that is not understood. After an error busy or timeout the outcome is unknown.
using Unanswered = std::variant<base::Error, bus::Reply, BadAnswer>;

template <class Answer>
using Answered = tl::expected<Answer, Unanswered>;

struct ServerClientOptions {
  std::string name;      // of the program, for the server's list of peers
  std::string scope{};   // the one agent that it acts for; empty: all
  std::string endpoint;  // for the texts of errors
};

// Used by one thread.
class ServerClient {
 public:
  // All references outlive it. `socket` is connected to the server's command endpoint.
  ServerClient(bus::ClientSocket& socket, base::Clock& clock, base::Random& random,
               const ServerClientOptions& options);

  base::CommandId fresh_id() { return base::CommandId::make(clock_.wall(), random_); }

  // Start a request, which is sent again under its id until it is answered, for at most `timeout`
  // from the next do_work() on. `id` is the idempotency key: of a command that opens a session,
  // also the session's id; of one that queues a turn, also the turn's. Errors as of
  // bus::Client::start.
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

  // Returns the answer when it is there, and once.
  template <class Answer>
  std::optional<Answered<Answer>> take(const base::CommandId& id) {
    auto reply = take_reply(id);
    if (!reply) return std::nullopt;
    if (!*reply) return tl::unexpected(std::move(reply->error()));
    auto answer = bus::from_body<Answer>((*reply)->body);
    if (!answer) return tl::unexpected(Unanswered(BadAnswer{std::move(answer.error())}));
    return std::move(*answer);
  }
  // The same for an answer whose body does not matter.
  std::optional<Answered<bus::Reply>> take_reply(const base::CommandId& id);
  // Gives up on a request; its answer will be dropped.
  void forget(const base::CommandId& id) { client_.forget(id); }

  // One duty cycle at boot time `now`; returns how much it did.
  int do_work(base::Duration now) { return client_.do_work(now); }
  base::Duration next_timer() const { return client_.next_timer(); }
  bus::Pollable& socket() { return client_.socket(); }
  bool wants_write() const { return client_.wants_write(); }
  // Who answered HELLO; none: nobody has yet.
  const std::optional<bus::Welcome>& welcome() const { return client_.welcome(); }
  // For readers of the log, which ask through it.
  bus::Client& client() { return client_; }

 private:
  base::Clock& clock_;
  base::Random& random_;
  bus::Client client_;
};

}  // namespace workers
