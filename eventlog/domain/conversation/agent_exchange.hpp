// Messages between agents: who can reach whom, how long an exchange goes on, and the words by which
// an agent ends it or keeps its result to itself. Source: details 2.6 (sessions_send).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/fields.hpp"

namespace domain {

constexpr std::string_view kAnnounceSkip = "ANNOUNCE_SKIP";
constexpr std::string_view kReplySkip = "REPLY_SKIP";

// True if the reply is the word and nothing else; its case counts.
bool is_announce_skip(std::string_view reply);
bool is_reply_skip(std::string_view reply);

constexpr std::int64_t kExchangeTurnsMax = 5;
// Returns how many replies two agents can exchange: the setting, from 0 to kExchangeTurnsMax, which
// is also the default.
std::int64_t exchange_turns(std::optional<std::int64_t> setting);

struct AgentAccess {
  bool is_enabled = false;
  // Patterns of ids, of which both agents must match one. A star stands for any characters, and
  // with one the case does not matter; without one the id must be the same. Empty: all agents.
  std::vector<std::string> allow{};

  bool operator==(const AgentAccess&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("enabled", &AgentAccess::is_enabled);
    visit("allow", &AgentAccess::allow);
  }
};
// True if the one agent can reach sessions of the other. Each can reach its own.
bool can_reach(const AgentAccess& access, std::string_view from, std::string_view to);

}  // namespace domain
