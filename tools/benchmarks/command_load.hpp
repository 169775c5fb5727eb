// Commands to Steno's server as a load, over several connections that are used by turns. Every
// accepted command must append one event, which check_appended() proves.
#pragma once

#include <memory>
#include <vector>

#include "bus/client.hpp"
#include "tools/benchmarks/load.hpp"
#include "tools/benchmarks/steno_server.hpp"
#include "workers/protocol/commands.hpp"

namespace benchmarks {

// For a load with many requests outstanding.
constexpr std::size_t kLoadConnections = 4;

class CommandLoad : public LoadTarget {
 public:
  base::Result<void> advance(std::vector<std::size_t>& done) override;
  base::Result<void> wait(int timer_fd) override;

  // Checks that every accepted command appended its one event: positions are dense, and nobody else
  // appends. Call it when nothing is outstanding.
  base::Result<void> check_appended() const;

  // The average sizes of requests and replies on the wire.
  std::size_t request_bytes() const { return request_bytes_ / requests_; }
  std::size_t reply_bytes() const { return reply_bytes_ / requests_; }
  // Returns how many requests were sent again because their answer was late.
  std::int64_t resend_count() const;

 protected:
  explicit CommandLoad(Workbench& bench) : bench_(bench) {}
  base::Result<void> connect(const StenoServer& server, std::size_t connections);
  // Sends the command from a free slot; its actor is filled in.
  base::Result<void> send(std::size_t slot, const base::CommandId& id, workers::CommandBody body);
  // Returns the id of the slot's last command.
  const base::CommandId& id_in(std::size_t slot) const { return ids_[slot]; }
  // Called with the answer to the slot's command, which must be counted. Error: it was refused.
  virtual base::Result<void> finish(std::size_t slot, const bus::Reply& reply) = 0;
  // Counts the answer if it is an acceptance, which has a body of that type.
  template <class Body>
  base::Result<void> count(const bus::Reply& reply) {
    if (reply.status != bus::ReplyStatus::ok) return refused(reply);
    const auto body = bus::from_body<Body>(reply.body);
    if (!body) return tl::unexpected(body.error());
    if (body->is_repeated) return base::failure(base::ErrorCode::conflict, "not a new command");
    note(reply, body->position);
    return {};
  }
  // Forgets what was counted so far.
  void count_anew();

  Workbench& bench_;

 private:
  struct Connection {
    std::unique_ptr<bus::ClientSocket> socket;
    std::unique_ptr<bus::Client> client;
    std::vector<std::size_t> slots;  // that await their answer
  };

  static base::Result<void> refused(const bus::Reply& reply);
  void note(const bus::Reply& reply, base::Position position);

  std::vector<Connection> connections_;
  std::vector<base::CommandId> ids_;  // by slot
  std::size_t requests_ = 0;
  std::size_t request_bytes_ = 0;  // of all
  std::size_t reply_bytes_ = 0;    // of all
  // The first and last log position that replies named, and the number of accepted commands, each
  // of which should have appended one event.
  std::int64_t first_position_ = 0;
  std::int64_t last_position_ = 0;
  std::int64_t accepted_ = 0;
  bool has_waited_long_ = false;  // a request may have timed out
};

}  // namespace benchmarks
