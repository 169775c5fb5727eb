// Scripted agents in memory: the simulated form of keepers, agent processes and their engine. Their
// lines are encoded reports, so the worker's loop runs as it is, without any agent's protocol.
#pragma once

#include <functional>
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

// An agent's actions under one lease, as the agent itself knows them.
struct AgentRecord {
  std::vector<std::string> outputs;               // every text that it said, in order
  std::map<base::TurnId, base::NanoUsd> spent{};  // for each turn
  int tasks = 0;  // that run, or with whose end the agent has not dealt
  std::map<base::TurnId, std::vector<std::string>> heard{};  // prompts for each turn, in order
  std::vector<std::string> ran{};                            // calls of requests that were granted
  bool has_cut_off_subagents = false;  // some ended with it, in a call of the model
};

// An agent that follows a script does this with a prompt. It runs a tool, tells half of its cost
// after half of its time, and speaks at the end.
struct TurnPlan {
  Duration takes{0};
  std::string says;  // empty: nothing
  base::NanoUsd costs;
  bool fails = false;     // its result is an error
  bool is_quiet = false;  // it runs no tool, so that it says nothing until the end
};
using Script = std::function<TurnPlan(base::ByteView prompt)>;

// All agents of a world, on every machine: the living ones, the holders of session locks, and all
// output. Outlives every process.
class SimAgents {
 public:
  SimAgents(const VirtualTime& time, base::Random& random, Counts& counts)
      : time_(time), random_(random), counts_(counts) {}

  bool holds_lock(base::SessionId session) const { return locks_.contains(session); }
  // True if a keeper that starts now gets the session's lock, or cannot see who holds it.
  bool lets_in(base::SessionId session) const;
  // Each of these picks one live agent; without one nothing happens.
  void kill_keeper(std::int64_t choice);
  void kill_agent(std::int64_t choice);
  void stop_agent(std::int64_t choice, Duration until);
  // Prompts to agents are compared with this record, which must outlive the agents.
  void hold_against(const LogObserver& log) { log_ = &log; }
  // From now on agents ask now and then.
  void let_ask(bool does) { asks_ = does; }
  // From now on agents do as the script says, and never fail by themselves. Prompts can be any.
  void follow(Script script) { script_ = std::move(script); }
  bool has_script() const { return script_ != nullptr; }
  // The session's lock seemed free to the server, so its leases up to now are believed to have
  // ended. A keeper that has one of them, now or later, keeps nobody out.
  void overlook(base::SessionId session);

  const std::map<LeaseKey, AgentRecord>& records() const { return records_; }
  // The first impossible thing that an agent saw; empty: none.
  const std::string& violation() const { return violation_; }
  // Returns when the next agent acts; nothing if no agent will.
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
  bool asks_ = false;
  std::vector<SimProcess*> living_;                           // in the order of their start
  std::map<base::SessionId, int> locks_;                      // number of keepers that hold each
  std::map<base::SessionId, base::FencingToken> overlooked_;  // leases up to that token
  std::map<LeaseKey, AgentRecord> records_;
  // The lease under which each turn began, each attempt at it, and each rest of it.
  std::map<std::pair<base::TurnId, std::int64_t>, LeaseKey> begun_;
  std::map<std::string, std::vector<std::string>> transcripts_;  // messages, by agent session
  std::int64_t messages_ = 0;
  // The questions that agents' own sessions wait for. The next process of each asks its own again.
  std::map<std::string, std::int64_t> deferred_;
  std::map<base::SessionId, int> beginnings_;    // agent sessions that were begun for it
  std::map<std::string, base::NanoUsd> totals_;  // of the agents' own sessions, as last saved
  std::string violation_;
  const LogObserver* log_ = nullptr;
  Script script_;  // empty: agents act at random
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

// Returns the prompt of the turn that the command with that id asks for; agents check theirs.
std::string prompt_of(base::TurnId turn);
// The prompts that the server sends by itself: for a schedule, and to a subagent's parent.
constexpr std::string_view kSchedulePrompt = "as every time";
constexpr std::string_view kParentPrompt = "your subagent has ended";

}  // namespace simulation
