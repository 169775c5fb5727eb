// Whether a conversation can give a task to a subagent, and what the run is then made of. Pure
// checks on what was asked, the settings, and the conversation that asks.
// Source: details 2.6 (sessions_spawn) and 2.12, the vectors subagent.spawn.
#pragma once

#include "eventlog/base/result.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/conversation/subagent_run.hpp"

namespace domain {

// As the agent asked for it. An empty field was not given.
struct SpawnAsked {
  std::string task{};
  std::string label{};
  std::string agent{};
  std::string model{};
  std::string thinking{};
  std::optional<base::Duration> timeout{};  // 0 or less: none
  RunCleanup cleanup = RunCleanup::keep;
};

struct SpawnLimits {
  // The other agents to which the one that asks can give tasks, by its settings; "*" is any.
  std::vector<std::string> allowed_agents{};
  std::string agent_model{};    // of subagents of the agent that asks; empty: the next one
  std::string default_model{};  // of subagents of all agents; empty: the agent's own
  std::int64_t live_max = 0;    // so many runs of one conversation can be live; 0: any number

  bool operator==(const SpawnLimits&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("allowed_agents", &SpawnLimits::allowed_agents);
    visit("agent_model", &SpawnLimits::agent_model);
    visit("default_model", &SpawnLimits::default_model);
    visit("live_max", &SpawnLimits::live_max);
  }
};

struct SpawnRequester {
  std::string key{};      // its session key, as it calls itself; empty: the main one
  std::string channel{};  // where it was asked from
  std::int64_t live = 0;  // its runs that have not ended
  KeySettings keys{};
};

enum class SpawnFault : std::uint8_t {
  no_task,
  from_subagent,  // subagents have no subagents
  agent,          // the other agent is not allowed
  thinking,       // no such level
  limit,          // as many runs are live as can be
};

struct SpawnRefusal {
  SpawnFault fault = SpawnFault::no_task;
  std::string text{};
  std::vector<std::string> choices{};  // what is accepted instead, for `agent` and `thinking`
};

// The run to start. Its key is subagent_key(agent, id), its lane is that of subagents, and its own
// replies go to nobody.
struct AcceptedSpawn {
  std::string agent{};
  std::string requester{};
  std::string channel{};
  std::string task{};
  std::string label{};
  std::string model{};     // to be set before the run starts; empty: the agent's own
  std::string thinking{};  // empty: the agent's own
  std::optional<base::Duration> timeout{};  // 0: none; not set: the server's, kSubagentTimeout
  RunCleanup cleanup = RunCleanup::keep;

  bool operator==(const AcceptedSpawn&) const = default;
};

base::Result<AcceptedSpawn, SpawnRefusal> check_spawn(const SpawnAsked& asked,
                                                      const SpawnLimits& limits,
                                                      const SpawnRequester& requester);

// The outcome of setting the model.
enum class ModelAnswer : std::uint8_t {
  applied,
  refused,  // there is no such model, or it is not allowed
  failed,   // of another cause
};
// A run whose model was refused goes on with the agent's own, and the answer warns of it.
constexpr bool goes_on_after(ModelAnswer answer) {
  return answer != ModelAnswer::failed;
}

}  // namespace domain

template <>
struct base::EnumNames<domain::SpawnFault> {
  static constexpr std::string_view kNames[] = {"no_task", "from_subagent", "agent", "thinking",
                                                "limit"};
};
