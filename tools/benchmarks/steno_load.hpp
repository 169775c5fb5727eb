// Steno as the target of a load. Every other request is a SendPrompt to one of many sessions, which
// appends TurnQueued with the prompt as its content. The others are an InterruptTurn of such a
// turn, which appends TurnInterrupted. So every accepted command appends one event, and queues stay
// as short as in real sessions, without a worker.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "eventlog/domain/command.hpp"
#include "tools/benchmarks/command_load.hpp"

namespace benchmarks {

struct StenoLoadOptions {
  std::size_t connections = 1;    // used by turns
  std::size_t spawn_count = 512;  // sessions to spawn before measuring
  // Sessions that the server knows, to use instead of spawned ones. `are_ended`: each request is
  // then a KillSession, which is accepted and recorded as NothingChanged.
  std::vector<base::SessionId> sessions{};
  bool are_ended = false;
};

class StenoLoad final : public CommandLoad {
 public:
  static base::Result<std::unique_ptr<StenoLoad>> connect(Workbench& bench,
                                                          const StenoServer& server,
                                                          StenoLoadOptions options);

  base::Result<void> start(std::size_t slot) override;

 private:
  struct QueuedTurn {
    std::size_t session = 0;
    base::TurnId turn;
  };
  struct Asked {  // by slot
    std::size_t session = 0;
    bool is_prompt = false;
  };

  StenoLoad(Workbench& bench, bool are_ended) : CommandLoad(bench), are_ended_(are_ended) {}
  base::Result<void> spawn_sessions(std::size_t count);
  base::Result<void> ask(std::size_t slot, std::size_t session, const domain::Command& command);
  base::Result<void> finish(std::size_t slot, const bus::Reply& reply) override;

  const bool are_ended_;
  std::vector<Asked> asked_;
  std::vector<base::SessionId> sessions_;
  std::size_t next_session_ = 0;
  std::deque<QueuedTurn> queued_;  // by accepted prompts, not interrupted yet
  bool was_prompt_ = false;        // the previous request
};

}  // namespace benchmarks
