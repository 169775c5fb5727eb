// Sessions whose agents are real processes: scripted agents, each under its keeper. They are given
// prompts at an even pace, as many people would give them, and are counted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/benchmarks/one_command.hpp"

namespace benchmarks {

// The turns so far of all sessions that live or have failed.
struct TurnCounts {
  std::int64_t finished = 0;
  std::int64_t failed = 0;     // failed sessions included
  std::int64_t under_way = 0;  // turns that run
};

// A period in which some sessions took a turn each.
struct PacedTurns {
  std::size_t sessions = 0;
  Latencies acks;               // one for each prompt
  Nanoseconds took{0};          // from the first prompt until the last one's acceptance
  std::size_t processes = 0;    // agents that lived then
  Nanoseconds last_turn_in{0};  // from then until all turns had finished
  Nanoseconds server_cpu{0};
  Nanoseconds worker_cpu{0};

  double p99_over_p50() const { return seconds(acks.p99()) / seconds(acks.p50()); }
  // True if p99 of the acceptances is at most ten times p50, and all turns had finished ten seconds
  // after the last one.
  bool has_held() const;
};

// "1000 sessions: prompts are accepted after p50 … (3.1 times); …"
std::string describe(const PacedTurns& turns);

class AgentSessions {
 public:
  // `server` has a worker, and must outlive this. Agents work in `workdir`.
  static base::Result<std::unique_ptr<AgentSessions>> connect(Workbench& bench,
                                                              const StenoServer& server,
                                                              const std::string& workdir);

  // Spawns this many sessions with the prompt, one after another.
  base::Result<void> spawn(std::size_t count, const std::string& prompt);
  // Takes over sessions of kLogAgent that the server knows already.
  void adopt(const std::vector<base::SessionId>& sessions) { sessions_ = sessions; }
  // Gives each of the first `count` sessions one prompt within `period`, evenly spread, and waits
  // for all turns. An answer's time counts from the sending of its prompt, or from when that was
  // due if the answer before was late. Error timeout: turns had not finished a minute after the
  // last prompt.
  base::Result<PacedTurns> take_turns(std::size_t count, Nanoseconds period);
  // Kills sessions until `count` are left, and waits until their agents have gone.
  base::Result<void> kill_down_to(std::size_t count, Nanoseconds timeout);

  static constexpr Nanoseconds kLookEvery = std::chrono::milliseconds(100);
  // Waits until that many turns have finished in all. Errors: timeout; conflict: a turn failed.
  base::Result<void> wait_for_turns(std::int64_t finished, Nanoseconds timeout,
                                    Nanoseconds look_every = kLookEvery);
  base::Result<TurnCounts> count_turns();
  // Returns the number of agents that live, each under a keeper of the server's worker.
  std::size_t count_processes() const;
  // Returns the memory that one agent and its keeper do not share with others (Private_Clean and
  // Private_Dirty of smaps_rollup), in bytes; 0 if there is none.
  double private_bytes_of_one() const;

 private:
  AgentSessions(Workbench& bench, const StenoServer& server, std::unique_ptr<OneCommand> one,
                std::string workdir)
      : bench_(bench), server_(server), one_(std::move(one)), workdir_(std::move(workdir)) {}

  Workbench& bench_;
  const StenoServer& server_;
  std::unique_ptr<OneCommand> one_;
  const std::string workdir_;
  std::vector<base::SessionId> sessions_;
  std::size_t spawned_ = 0;
};

// Waits until the moment. Error timeout: the run was stopped.
base::Result<void> wait_until(Nanoseconds moment);

// Returns a prompt as long as a usual one. Its turn has two tool calls and an answer.
std::string usual_prompt();

}  // namespace benchmarks
