// Each binding that could match is given its width; the first of the smallest width wins.
#include "eventlog/domain/conversation/routing.hpp"

#include <algorithm>
#include <set>

#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::string_view kAnyAccount = "*";

std::string account_of(std::string_view text) {
  const std::string_view account = trimmed(text);
  return std::string(account.empty() ? kDefaultAccount : account);
}

// True for texts that are equal but for white space around them, and are not blank.
bool is_same(std::string_view a, std::string_view b) {
  return !trimmed(a).empty() && trimmed(a) == trimmed(b);
}

// None, as a width: the binding is not for such a message.
RouteMatch match(const Binding& binding, const MessageSource& source) {
  const std::string channel = channel_word(binding.channel);
  if (channel.empty() || channel != channel_word(source.channel)) return RouteMatch::none;
  const std::string account = account_of(binding.account);
  const bool is_any_account = account == kAnyAccount;
  if (!is_any_account && account != account_of(source.account)) return RouteMatch::none;
  if (binding.peer && source.peer && binding.peer->kind == source.peer->kind &&
      is_same(binding.peer->id, source.peer->id)) {
    return RouteMatch::peer;
  }
  if (is_same(binding.guild, source.guild)) return RouteMatch::guild;
  if (is_same(binding.team, source.team)) return RouteMatch::team;
  // A binding for something nearer is not for the rest of its account.
  if (binding.peer || !binding.guild.empty() || !binding.team.empty()) return RouteMatch::none;
  return is_any_account ? RouteMatch::channel : RouteMatch::account;
}

std::string listed_agent(std::string_view bound, const std::vector<AgentEntry>& agents) {
  const auto is_bound = [id = normal_agent_id(bound)](const AgentEntry& agent) {
    return normal_agent_id(agent.id) == id;
  };
  const bool is_known = agents.empty() || std::any_of(agents.begin(), agents.end(), is_bound);
  if (trimmed(bound).empty() || !is_known) return default_agent(agents);
  return normal_agent_id(bound);
}

// Returns the account that the binding names for the channel; empty: it names none.
std::string named_account(const Binding& binding, std::string_view channel) {
  const std::string word = channel_word(channel);
  const std::string_view account = trimmed(binding.account);
  if (word.empty() || word != channel_word(binding.channel)) return {};
  return account.empty() || account == kAnyAccount ? std::string() : normal_account_id(account);
}

}  // namespace

AgentRoute route_message(const MessageSource& source, const RoutingSettings& settings) {
  AgentRoute route;
  std::string_view bound;
  for (const Binding& binding : settings.bindings) {
    const RouteMatch by = match(binding, source);
    if (by >= route.matched_by) continue;
    route.matched_by = by;
    bound = binding.agent;
  }
  route.agent = listed_agent(bound, settings.agents);
  route.channel = channel_word(source.channel);
  route.account = account_of(source.account);
  route.main_session_key = main_session_key(route.agent);
  PeerPlace place{route.agent, route.channel, route.account, source.peer.value_or(Peer{})};
  if (source.peer && key_id(source.peer->id).empty()) place.peer.id = kUnknownKey;
  route.session_key = peer_session_key(place, {settings.dm_scope, settings.identity_links});
  return route;
}

std::string default_agent(const std::vector<AgentEntry>& agents) {
  if (agents.empty()) return std::string(kMainAgent);
  const auto marked = std::find_if(agents.begin(), agents.end(),
                                   [](const AgentEntry& agent) { return agent.is_default; });
  return normal_agent_id(marked == agents.end() ? agents.front().id : marked->id);
}

std::vector<std::string> bound_accounts(const std::vector<Binding>& bindings,
                                        std::string_view channel) {
  std::set<std::string> accounts;
  for (const Binding& binding : bindings) {
    if (std::string account = named_account(binding, channel); !account.empty()) {
      accounts.insert(std::move(account));
    }
  }
  return {accounts.begin(), accounts.end()};
}

std::optional<std::string> bound_account_of(std::string_view agent,
                                            const std::vector<Binding>& bindings,
                                            std::string_view channel) {
  for (const Binding& binding : bindings) {
    if (normal_agent_id(binding.agent) != normal_agent_id(agent)) continue;
    if (std::string account = named_account(binding, channel); !account.empty()) return account;
  }
  return std::nullopt;
}

}  // namespace domain
