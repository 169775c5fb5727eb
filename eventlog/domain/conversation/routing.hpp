// Which agent a message is for, and under which key. Bindings are tried from the nearest to the
// widest: the sender, its guild, its team, the channel's account, the whole channel; else the
// default agent. The order of bindings counts among those of one width only. Source: details 2.3.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/conversation/peer_key.hpp"

namespace domain {

// An agent of the settings.
struct AgentEntry {
  std::string id;
  bool is_default = false;

  bool operator==(const AgentEntry&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("id", &AgentEntry::id);
    visit("default", &AgentEntry::is_default);
  }
};

// Messages for an agent. Channels are compared without case, ids and accounts with it.
struct Binding {
  std::string agent;
  std::string channel;  // blank: it never matches
  std::string account;  // "*": any; blank: "default"
  std::optional<Peer> peer{};
  std::string guild{};
  std::string team{};

  bool operator==(const Binding&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &Binding::agent);
    visit("channel", &Binding::channel);
    visit("account", &Binding::account);
    visit("peer", &Binding::peer);
    visit("guild", &Binding::guild);
    visit("team", &Binding::team);
  }
};

struct RoutingSettings {
  std::vector<AgentEntry> agents;  // empty: any agent can be bound
  std::vector<Binding> bindings;
  DmScope dm_scope = DmScope::main;
  std::vector<IdentityLink> identity_links;

  bool operator==(const RoutingSettings&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agents", &RoutingSettings::agents);
    visit("bindings", &RoutingSettings::bindings);
    visit("dm_scope", &RoutingSettings::dm_scope);
    visit("identity_links", &RoutingSettings::identity_links);
  }
};

// Where a message comes from.
struct MessageSource {
  std::string channel;
  std::string account{};
  std::optional<Peer> peer{};
  std::string guild{};
  std::string team{};
};

enum class RouteMatch : std::uint8_t { peer, guild, team, account, channel, none };

struct AgentRoute {
  std::string agent;
  std::string channel;
  std::string account;
  std::string session_key;
  std::string main_session_key;  // of the same agent
  RouteMatch matched_by = RouteMatch::none;

  bool operator==(const AgentRoute&) const = default;
};

// The keys say "main" whatever the main key of the settings is; canonical_key makes it that one. A
// binding to an agent that is not listed leads to the default agent.
AgentRoute route_message(const MessageSource& source, const RoutingSettings& settings);

// Returns the first agent that is marked as the default, else the first one, else "main".
std::string default_agent(const std::vector<AgentEntry>& agents);

// Returns the accounts of the channel that bindings name, each once, in order of their names.
std::vector<std::string> bound_accounts(const std::vector<Binding>& bindings,
                                        std::string_view channel);

// Returns the first account of the channel that a binding of the agent names; none: none does.
std::optional<std::string> bound_account_of(std::string_view agent,
                                            const std::vector<Binding>& bindings,
                                            std::string_view channel);

}  // namespace domain

template <>
struct base::EnumNames<domain::RouteMatch> {
  static constexpr std::string_view kNames[] = {"binding.peer",    "binding.guild",
                                                "binding.team",    "binding.account",
                                                "binding.channel", "default"};
};
