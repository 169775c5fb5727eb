// Scripted agents in memory: the simulated twin of keepers, agent processes and their engine. Their
// lines are encoded reports, so that the worker's loop is exercised as it is, without any agent's
// protocol.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/counts.hpp"
#include "tests/simulation/schedule.hpp"
#include "tests/simulation/sim_clock.hpp"
#include "workers/agent_launcher.hpp"

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
  bool has_exited = false;           // and its worker was there to see it
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
  // Says whether the record has ended that lease; agents are given no turn under one that is over.
  void ask_about_leases(std::function<bool(const LeaseKey&)> is_over) {
    is_over_ = std::move(is_over);
  }
  // The session's lock did not keep another agent out, so that two may live at once.
  void allow_two(base::SessionId session) { may_be_two_.insert(session); }

  const std::map<LeaseKey, AgentRecord>& records() const { return records_; }
  // What an agent saw that must never be; empty: nothing.
  const std::string& violation() const { return violation_; }
  // When the next agent has something to say; none: nobody lives.
  std::optional<Duration> due() const;

 private:
  friend class SimProcess;
  SimProcess* pick(std::int64_t choice);

  const VirtualTime& time_;
  base::Random& random_;
  Counts& counts_;
  std::vector<SimProcess*> living_;       // in the order of their start
  std::map<base::SessionId, int> locks_;  // held by so many keepers
  std::map<base::SessionId, int> alive_;  // so many agents
  std::set<base::SessionId> may_be_two_;
  std::map<LeaseKey, AgentRecord> records_;
  std::map<base::TurnId, LeaseKey> begun_;  // who was given which turn
  std::string violation_;
  std::function<bool(const LeaseKey&)> is_over_ = [](const LeaseKey&) { return false; };
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
