// Ids are trimmed and put in small letters; an empty one never becomes an empty part of a key.
#include "eventlog/domain/conversation/peer_key.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "eventlog/domain/conversation/key_text.hpp"

namespace domain {
namespace {

std::string or_unknown(const std::string& word) {
  return word.empty() ? std::string(kUnknownKey) : word;
}

std::string key_of(std::initializer_list<std::string_view> parts) {
  return join_key(std::span(parts.begin(), parts.size()));
}

// Splits the name of a known channel off an id. Empty: it has none in front.
std::string take_channel(std::string& id) {
  const std::size_t colon = id.find(':');
  if (colon == std::string::npos) return {};
  std::string channel = channel_word(std::string_view(id).substr(0, colon));
  if (!is_channel_word(channel)) return {};
  id.erase(0, colon + 1);
  return channel;
}

bool is_phone_channel(std::string_view channel) {
  return channel.empty() || channel == "whatsapp" || channel == "signal" || channel == "imessage";
}

// Returns the number with a plus and without the blanks and signs between its digits. None: the
// text is no number.
std::optional<std::string> phone_number(std::string_view text) {
  std::string number = "+";
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number += c;
    } else if (std::string_view("+ -().").find(c) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  return number.size() > 1 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::string> linked_name(const std::vector<IdentityLink>& links,
                                       std::string_view channel, std::string_view peer) {
  const std::string place = channel_word(channel);
  std::string id = key_id(peer);
  // A sender can call itself "telegram:111" on a channel where names are free.
  if (std::string rest = id; !place.empty() && take_channel(rest) == place) id = rest;
  if (id.empty()) return std::nullopt;
  const auto is_peer = [&](const std::string& linked) {
    const std::string word = key_word(linked);
    std::string rest = word;
    const std::string of = take_channel(rest);
    if (!of.empty() && !place.empty()) return of == place && rest == id;
    return word == id || word == place + ":" + id;
  };
  for (const IdentityLink& link : links) {
    std::string name = key_id(link.name);
    if (!name.empty() && std::any_of(link.peers.begin(), link.peers.end(), is_peer)) return name;
  }
  return std::nullopt;
}

std::string peer_session_key(const PeerPlace& place, const PeerSettings& settings) {
  const std::string agent = normal_agent_id(place.agent);
  const std::string channel = or_unknown(key_id(place.channel));
  std::string id = key_id(place.peer.id);
  if (place.peer.kind != ChatType::dm) {
    return key_of({"agent", agent, channel, base::enum_name(place.peer.kind), or_unknown(id)});
  }
  if (settings.dm_scope == DmScope::main || id.empty()) {
    return main_session_key(agent, settings.main_key);
  }
  if (auto name = linked_name(settings.identity_links, place.channel, id)) id = std::move(*name);
  if (settings.dm_scope == DmScope::per_peer) return key_of({"agent", agent, "dm", id});
  if (settings.dm_scope == DmScope::per_channel_peer) {
    return key_of({"agent", agent, channel, "dm", id});
  }
  return key_of({"agent", agent, channel, normal_account_id(place.account), "dm", id});
}

ThreadKey thread_session_key(std::string_view base, std::string_view thread,
                             std::optional<std::string> parent, bool has_suffix) {
  const std::string id = key_id(thread);
  if (id.empty()) return {std::string(base), std::nullopt};
  std::string key(base);
  if (has_suffix) key += ":thread:" + id;
  return {std::move(key), std::move(parent)};
}

std::optional<GroupKey> group_of_sender(const Sender& sender) {
  const std::string from = key_word(sender.from);
  const bool is_whatsapp_group = from.ends_with("@g.us");
  const bool is_in_channel = from.find(":channel:") != std::string::npos;
  const bool is_group = is_in_channel || is_whatsapp_group ||
                        from.find(":group:") != std::string::npos ||
                        (sender.type && *sender.type != ChatType::dm);
  if (!is_group) return std::nullopt;
  std::string id = from;
  GroupKey group{take_channel(id), ChatType::group, {}};
  const bool has_channel = !group.channel.empty();
  if (!has_channel) group.channel = channel_word(sender.provider);
  if (group.channel.empty() && is_whatsapp_group) group.channel = "whatsapp";
  const KeyTexts parts = split_key(id);
  const auto named = parts.empty() ? std::nullopt : parse_chat_type(parts.front());
  const bool is_type_named = has_channel && named && *named != ChatType::dm;
  if (is_type_named) {
    group.type = *named;
  } else if (is_in_channel || sender.type == ChatType::channel) {
    group.type = ChatType::channel;
  }
  group.id = join_key(std::span(parts).subspan(is_type_named ? 1 : 0));
  if (group.channel.empty() || group.id.empty()) return std::nullopt;
  return group;
}

std::string sender_bucket(const Sender& sender, KeyScope scope) {
  if (scope == KeyScope::global) return std::string(kGlobalKey);
  if (const auto group = group_of_sender(sender)) return format_group_key(*group);
  const std::string from = key_word(sender.from);
  std::string id = from;
  std::string channel = take_channel(id);
  if (channel.empty()) channel = channel_word(sender.provider);
  const auto number = is_phone_channel(channel) ? phone_number(id) : std::nullopt;
  return number ? *number : or_unknown(from);
}

std::string sender_session_key(const Sender& sender, const KeySettings& settings) {
  const auto group = group_of_sender(sender);
  if (settings.scope == KeyScope::global || !group) return main_session_key(settings);
  return format_session_key(normal_agent_id(settings.agent), format_group_key(*group));
}

}  // namespace domain
