// Checks what was asked field by field.
#include "eventlog/domain/conversation/subagent_spawn.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

constexpr std::string_view kThinkingLevels[] = {"off", "minimal", "low", "medium", "high"};
constexpr std::pair<std::string_view, std::string_view> kThinkingAliases[] = {
    {"on", "low"}, {"min", "minimal"}, {"mid", "medium"}, {"med", "medium"}, {"max", "high"}};

std::string listed(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "" : ", ") + choice;
  return text.empty() ? "none" : text;
}

auto refuse(SpawnFault fault, std::string text, std::vector<std::string> choices = {}) {
  return tl::unexpected(SpawnRefusal{fault, std::move(text), std::move(choices)});
}

std::string requester_key(const SpawnRequester& requester) {
  const std::string_view key = trimmed(requester.key);
  if (!key.empty() && key_word(key) != kMainKey) return std::string(key);
  return requester.keys.scope == KeyScope::global ? std::string(kGlobalKey)
                                                  : normal_main_key(requester.keys.main_key);
}

// Returns the agents that the list names, in its order; `is_any` is set if it has a star.
std::vector<std::string> named_agents(const std::vector<std::string>& allowed, bool& is_any) {
  std::vector<std::string> agents;
  for (const std::string& one : allowed) {
    const std::string_view name = trimmed(one);
    is_any = is_any || name == "*";
    if (name.empty() || name == "*") continue;
    std::string agent = normal_agent_id(name);
    if (std::find(agents.begin(), agents.end(), agent) == agents.end()) agents.push_back(agent);
  }
  return agents;
}

// Returns the level; empty: there is none such.
std::string thinking_level(std::string_view text) {
  std::string word = key_word(text);
  for (const auto& [alias, level] : kThinkingAliases) {
    if (word == alias) word = level;
  }
  const bool is_level = std::find(std::begin(kThinkingLevels), std::end(kThinkingLevels), word) !=
                        std::end(kThinkingLevels);
  return is_level ? word : std::string();
}

std::string_view first_said(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (!trimmed(text).empty()) return trimmed(text);
  }
  return {};
}

}  // namespace

base::Result<AcceptedSpawn, SpawnRefusal> check_spawn(const SpawnAsked& asked,
                                                      const SpawnLimits& limits,
                                                      const SpawnRequester& requester) {
  AcceptedSpawn spawn;
  spawn.task = trimmed(asked.task);
  if (spawn.task.empty()) {
    return refuse(SpawnFault::no_task, "the task is empty; say what the subagent is to do");
  }
  if (parse_key_parts(requester.key).place == KeyKind::subagent) {
    return refuse(SpawnFault::from_subagent,
                  "a subagent cannot give tasks to subagents; do the task in this session");
  }
  const auto key = parse_session_key(key_word(requester.key));
  const std::string own_agent = normal_agent_id(key ? key->agent : requester.keys.agent);
  const std::string_view agent = trimmed(asked.agent);
  spawn.agent = agent.empty() ? own_agent : normal_agent_id(agent);
  bool is_any = false;
  std::vector<std::string> agents = named_agents(limits.allowed_agents, is_any);
  const bool is_named = std::find(agents.begin(), agents.end(), spawn.agent) != agents.end();
  if (spawn.agent != own_agent && !is_any && !is_named) {
    std::string text = "the agent " + own_agent + " cannot give tasks to " + spawn.agent +
                       "; allowed: " + listed(agents);
    return refuse(SpawnFault::agent, std::move(text), std::move(agents));
  }
  if (!trimmed(asked.thinking).empty()) {
    spawn.thinking = thinking_level(asked.thinking);
    if (spawn.thinking.empty()) {
      std::vector<std::string> levels(std::begin(kThinkingLevels), std::end(kThinkingLevels));
      std::string text =
          "'" + cut_fact(asked.thinking) + "' is no level of thinking; accepted: " + listed(levels);
      return refuse(SpawnFault::thinking, std::move(text), std::move(levels));
    }
  }
  if (limits.live_max > 0 && requester.live >= limits.live_max) {
    return refuse(SpawnFault::limit, "this session has " + std::to_string(requester.live) +
                                         " live subagents, and at most " +
                                         std::to_string(limits.live_max) +
                                         " are allowed; wait until one of them has ended");
  }
  spawn.requester = requester_key(requester);
  spawn.channel = trimmed(requester.channel);
  spawn.label = trimmed(asked.label);
  spawn.model = first_said({asked.model, limits.agent_model, limits.default_model});
  if (asked.timeout) spawn.timeout = std::max(*asked.timeout, base::Duration{0});
  spawn.cleanup = asked.cleanup;
  return spawn;
}

}  // namespace domain
