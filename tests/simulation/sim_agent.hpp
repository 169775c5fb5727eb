// Scripted agents in memory: the simulated twin of keepers, agent processes and their engine. Their
// lines are encoded reports, so that the worker's loop is exercised as it is, without any agent's
// protocol.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/counts.hpp"
#include "tests/simulation/log_observer.hpp"
#include "tests/simulation/schedule.hpp"
#include "tests/simulation/sim_clock.hpp"
#include "workers/runner/agent_launcher.hpp"

namespace simulation {

class SimProcess;

struct LeaseKey {
  base::SessionId session;
  base::FencingToken token;
  auto operator<=>(const LeaseKey&) const = default;
};

// What an agent did under one lease, as the agent itself knows it.
struct AgentRecord {
  std::vector<std::string> outputs;  // each text that it said, in order
};

// All agents of a world, on whichever machine: who lives, who holds which session's lock, and what
// was said. Outlives every process.
class SimAgents {
 public:
  SimAgents(const VirtualTime& time, base::Random& random, Counts& counts)
      : time_(time), random_(random), counts_(counts) {}

  bool holds_lock(base::SessionId session) const { return locks_.contains(session); }
  // A keeper that starts now gets the session's lock, or lives where it cannot see it.
  bool lets_in(base::SessionId session) const;
  // Each picks one of those that live; nothing happens when there is none.
  void kill_keeper(std::int64_t choice);
  void kill_agent(std::int64_t choice);
  void stop_agent(std::int64_t choice, Duration until);
  // What agents are given is held against the record. It must outlive this.
  void hold_against(const LogObserver& log) { log_ = &log; }
  // The session's lock seemed free to the server: whoever holds it, or was to be started under a
  // lease up to now, keeps nobody out, and is believed to have ended.
  void overlook(base::SessionId session);

  const std::map<LeaseKey, AgentRecord>& records() const { return records_; }
  // What an agent saw that must never be; empty: nothing.
  const std::string& violation() const { return violation_; }
  // When the next agent has something to say; none: nobody lives.
  std::optional<Duration> due() const;

 private:
  friend class SimProcess;
  SimProcess* pick(std::int64_t choice);
  bool is_overlooked(const LeaseKey& key) const;
  void violate(std::string text) {
    if (violation_.empty()) violation_ = std::move(text);
  }

  const VirtualTime& time_;
  base::Random& random_;
  Counts& counts_;
  std::vector<SimProcess*> living_;                           // in the order of their start
  std::map<base::SessionId, int> locks_;                      // held by so many keepers
  std::map<base::SessionId, base::FencingToken> overlooked_;  // leases up to that token
  std::map<LeaseKey, AgentRecord> records_;
  std::map<base::TurnId, LeaseKey> begun_;  // who was given which turn
  std::string violation_;
  const LogObserver* log_ = nullptr;
};

class SimLauncher final : public workers::AgentLauncher {
 public:
  SimLauncher(SimAgents& agents, base::Random& random) : agents_(agents), random_(random) {}
  base::Result<workers::LaunchedAgent> launch(const workers::DirectiveBody& directive) override;
  void clean_up(base::SessionId) override {}

 private:
  SimAgents& agents_;
  base::Random& random_;
};

// The prompt of the turn that the command with that id asks for; agents check what they are given.
std::string prompt_of(base::TurnId turn);

}  // namespace simulation
