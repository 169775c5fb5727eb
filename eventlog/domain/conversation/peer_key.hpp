// The keys of conversations with those whom messages come from: a person, a group, a channel, or a
// thread in one. Names of persons and groups come from outside; colons in them stay. Source:
// details 2.3.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/session_key.hpp"

namespace domain {

// How far direct messages of an agent are told apart. All in one conversation; by person; by
// channel and person; by channel, account and person.
enum class DmScope : std::uint8_t { main, per_peer, per_channel_peer, per_account_channel_peer };

// One person, known by several ids. An id of a known channel has its name in front, as in
// "telegram:111"; it never matches the same text from another channel.
struct IdentityLink {
  std::string name;
  std::vector<std::string> peers;

  bool operator==(const IdentityLink&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &IdentityLink::name);
    visit("peers", &IdentityLink::peers);
  }
};

struct PeerSettings {
  DmScope dm_scope = DmScope::main;
  std::vector<IdentityLink> identity_links;  // the first that matches counts
  std::string main_key{kMainKey};

  bool operator==(const PeerSettings&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("dm_scope", &PeerSettings::dm_scope);
    visit("identity_links", &PeerSettings::identity_links);
    visit("main_key", &PeerSettings::main_key);
  }
};

struct Peer {
  ChatType kind = ChatType::dm;
  std::string id;

  bool operator==(const Peer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("kind", &Peer::kind);
    visit("id", &Peer::id);
  }
};

// Where a message comes to.
struct PeerPlace {
  std::string agent;
  std::string channel;
  std::string account;
  Peer peer;
};

// A person without an id has the agent's main conversation. A group without one is "unknown", and
// so is a channel without a name.
std::string peer_session_key(const PeerPlace& place, const PeerSettings& settings);

// The name of the link that has the person's id on the channel; none: no link has it.
std::optional<std::string> linked_name(const std::vector<IdentityLink>& links,
                                       std::string_view channel, std::string_view peer);

struct ThreadKey {
  std::string key;
  std::optional<std::string> parent;  // whose history the thread begins with

  bool operator==(const ThreadKey&) const = default;
};

// `has_suffix` is false where the base is the thread's own place already. A blank thread is none,
// and has no parent.
ThreadKey thread_session_key(std::string_view base, std::string_view thread,
                             std::optional<std::string> parent, bool has_suffix = true);

// A message's sender as its channel writes it: "+15550100", "telegram:group:-100:topic:7".
struct Sender {
  std::string from;
  std::optional<ChatType> type;
  std::string provider;  // the channel that it came by; empty: not said
};

// None: the sender is one person, or the channel of the group is not known.
std::optional<GroupKey> group_of_sender(const Sender& sender);

// Returns what a sender's messages are counted under, without an agent: the group, else the phone
// number, else the id.
std::string sender_bucket(const Sender& sender, KeyScope scope);

// Returns the sender's key: a group's own, and one for all persons.
std::string sender_session_key(const Sender& sender, const KeySettings& settings);

}  // namespace domain

template <>
struct base::EnumNames<domain::DmScope> {
  static constexpr std::string_view kNames[] = {"main", "per-peer", "per-channel-peer",
                                                "per-account-channel-peer"};
};
