// A session key in its parts: the kind of conversation that its rest says, and who or what it is
// with. A rest of no known form is `other`: a name that a user gave. Source: details 2.3.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/session_key.hpp"

namespace domain {

enum class KeyKind : std::uint8_t {
  main,      // <mainKey>
  dm,        // dm:<id>, <channel>:dm:<id>, <channel>:<account>:dm:<id>
  group,     // <channel>:group:<id>, <channel>-<id>
  channel,   // <channel>:channel:<id>
  thread,    // <place>:thread:<thread>
  topic,     // <place>:topic:<thread>
  subagent,  // subagent:<id>
  cron,      // cron:<id>
  acp,       // acp:<id>
  openai,    // openai:<id>, openai-user:<id>
  wizard,    // wizard-<id>
  hook,      // hook:<id>
  node,      // node-<id>, node:<id>
  global,    // global, without an agent
  unknown,   // unknown, without an agent
  other,
};

// A key in its parts, all in small letters. Those that its form does not have are empty.
struct KeyParts {
  KeyKind kind = KeyKind::other;
  KeyKind place = KeyKind::other;  // what a thread is in; for others the kind
  std::string agent;
  std::string channel;
  std::string account;
  std::string id;
  std::string thread;  // the last one's id

  bool operator==(const KeyParts&) const = default;
};

KeyParts parse_key_parts(std::string_view key, std::string_view main_key = kMainKey);

struct GroupKey {
  std::string channel;
  ChatType type = ChatType::group;  // group or channel
  std::string id;                   // with the thread in it, as in "c1:thread:9"

  bool operator==(const GroupKey&) const = default;
};

// None: the key is not of a group, a channel, or a thread in one.
std::optional<GroupKey> parse_group_key(std::string_view key);
// Returns the rest: <channel>:<type>:<id>.
std::string format_group_key(const GroupKey& group);

}  // namespace domain

template <>
struct base::EnumNames<domain::KeyKind> {
  static constexpr std::string_view kNames[] = {
      "main", "dm",     "group",  "channel", "thread", "topic",  "subagent", "cron",
      "acp",  "openai", "wizard", "hook",    "node",   "global", "unknown",  "other"};
};
