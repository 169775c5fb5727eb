// Steno as the target of a load. Every other request is a SendPrompt to one of many sessions, which
// appends TurnQueued with the prompt as its content. The others are an InterruptTurn of such a
// turn, which appends TurnInterrupted. So every accepted command appends one event, and queues stay
// as short as in real sessions, without a worker.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bus/client.hpp"
#include "eventlog/domain/command.hpp"
#include "tools/benchmarks/load.hpp"
#include "tools/benchmarks/steno_server.hpp"

namespace benchmarks {

// For a load with many requests outstanding.
constexpr std::size_t kLoadConnections = 4;

struct StenoLoadOptions {
  std::size_t connections = 1;    // used by turns
  std::size_t spawn_count = 512;  // sessions to spawn before measuring
  // Sessions that the server knows, to use instead of spawned ones. `are_ended`: each request is
  // then a KillSession, which is accepted and recorded as NothingChanged.
  std::vector<base::SessionId> sessions{};
  bool are_ended = false;
};

class StenoLoad final : public LoadTarget {
 public:
  static base::Result<std::unique_ptr<StenoLoad>> connect(Workbench& bench,
                                                          const StenoServer& server,
                                                          StenoLoadOptions options);

  base::Result<void> start(std::size_t slot) override;
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

 private:
  struct Connection {
    std::unique_ptr<bus::ClientSocket> socket;
    std::unique_ptr<bus::Client> client;
    std::vector<std::size_t> slots;  // that await their answer
  };
  struct QueuedTurn {
    std::size_t session = 0;
    base::TurnId turn;
  };
  struct Asked {  // by slot
    base::CommandId id;
    std::size_t session = 0;
    bool is_prompt = false;
  };

  StenoLoad(Workbench& bench, bool are_ended) : bench_(bench), are_ended_(are_ended) {}
  base::Result<void> spawn_sessions(std::size_t count);
  base::Result<void> send(std::size_t slot, std::size_t session, const domain::Command& command);
  base::Result<void> finish(const Asked& asked, const bus::Reply& reply);

  Workbench& bench_;
  const bool are_ended_;
  std::vector<Connection> connections_;
  std::vector<Asked> asked_;
  std::vector<base::SessionId> sessions_;
  std::size_t next_session_ = 0;
  std::deque<QueuedTurn> queued_;  // by accepted prompts, not interrupted yet
  bool was_prompt_ = false;        // the previous request
  std::size_t requests_ = 0;
  std::size_t request_bytes_ = 0;  // of all
  std::size_t reply_bytes_ = 0;    // of all
  // The first and last log position that replies named since the sessions exist, and the number of
  // accepted commands, each of which should have appended one event.
  std::int64_t first_position_ = 0;
  std::int64_t last_position_ = 0;
  std::int64_t accepted_ = 0;
  bool has_waited_long_ = false;  // a request may have timed out
};

}  // namespace benchmarks
