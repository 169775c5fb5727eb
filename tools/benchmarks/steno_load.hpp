// Steno as the target of a load. Every request is a SendPrompt to one of many sessions, whose turns
// wait for a worker that never comes: each one accepted appends one event, TurnQueued, with the
// prompt as its content, which is what a server is mostly asked to do.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bus/client.hpp"
#include "tools/benchmarks/load.hpp"
#include "tools/benchmarks/steno_server.hpp"
#include "workers/session/commands.hpp"

namespace benchmarks {

// The median prompt of real sessions has 98 characters.
constexpr std::size_t kPromptBytes = 98;

class StenoLoad final : public LoadTarget {
 public:
  // Requests go over so many connections by turns.
  static base::Result<std::unique_ptr<StenoLoad>> connect(Workbench& bench,
                                                          const StenoServer& server,
                                                          std::size_t connections);

  // Spawns sessions until so many more prompts can be queued: not a part of what is measured.
  base::Result<bool> make_room(std::size_t prompts);

  base::Result<bool> start(std::size_t slot) override;
  base::Result<bool> advance(std::vector<std::size_t>& done) override;
  base::Result<bool> wait(int timer_fd) override;

  // That every accepted command appended what it should have: positions are dense, and nobody else
  // appends. Call when nothing is outstanding.
  base::Result<bool> check_appended() const;

  // What one request and one reply have on the wire.
  std::size_t request_bytes() const { return request_bytes_; }
  std::size_t reply_bytes() const { return reply_bytes_; }
  // Requests that were sent a second time because their answer was late.
  std::int64_t resend_count() const;

 private:
  struct Connection {
    std::unique_ptr<bus::ClientSocket> socket;
    std::unique_ptr<bus::Client> client;
    std::vector<std::size_t> slots;  // that await their answer
  };
  struct Target {
    base::SessionId session;
    std::size_t room = 0;  // prompts that its queue still takes
  };

  explicit StenoLoad(Workbench& bench) : bench_(bench) {}
  base::Result<bool> send(std::size_t slot, base::SessionId session,
                          const session::ClientCommand& command);
  base::Result<bool> finish(const bus::Reply& reply);
  base::Result<bool> spawn(std::size_t count);

  Workbench& bench_;
  std::vector<Connection> connections_;
  std::vector<base::CommandId> ids_;  // by slot
  std::deque<Target> targets_;        // those in front are in use, the others spare
  std::size_t next_target_ = 0;
  std::size_t room_ = 0;  // of all targets
  std::size_t request_bytes_ = 0;
  std::size_t reply_bytes_ = 0;
  // Of the log: the last one that a reply named, and the number of events that all accepted
  // commands together should have appended to it.
  std::int64_t last_position_ = 0;
  std::int64_t expected_position_ = 0;
  bool has_waited_long_ = false;  // a request may have timed out
};

}  // namespace benchmarks
