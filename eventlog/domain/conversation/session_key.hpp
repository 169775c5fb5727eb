// The key of a conversation: `agent:<agentId>:<rest>`, in small letters, at least three parts
// between colons that are not blank. A key that a user gives is read in all its forms, and has one
// canonical form. Only `global` and `unknown` stand without an agent. Source: details 2.3, rulings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/conversation/key_text.hpp"

namespace domain {

constexpr std::string_view kMainKey = "main";
constexpr std::string_view kGlobalKey = "global";
constexpr std::string_view kUnknownKey = "unknown";

// An agent's id, an account's, and ids of a group and a thread that channels make fit well.
constexpr std::size_t kSessionKeyBytesMax = 512;

struct SessionKey {
  std::string agent;
  std::string rest;  // its parts, joined by colons

  bool operator==(const SessionKey&) const = default;
};

// Returns the parts as they are given, blank ones left out. None: it names no agent and a rest.
std::optional<SessionKey> parse_session_key(std::string_view text);
std::string format_session_key(std::string_view agent, std::string_view rest);

// Returns the normal id of the agent that the key names; "main" if it names none.
std::string agent_of_key(std::string_view key);

// Whether each sender's direct messages belong to an agent, or all of them to one conversation.
enum class KeyScope : std::uint8_t { per_sender, global };

// The settings by which the keys that users give are read.
struct KeySettings {
  KeyScope scope = KeyScope::per_sender;
  std::string main_key{kMainKey};  // the rest of an agent's main conversation; blank: "main"
  std::string agent{kMainAgent};   // the default agent

  bool operator==(const KeySettings&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("scope", &KeySettings::scope);
    visit("main_key", &KeySettings::main_key);
    visit("agent", &KeySettings::agent);
  }
};

// Returns the rest that the setting means.
std::string normal_main_key(std::string_view main_key);
// Returns the key of the agent's main conversation.
std::string main_session_key(std::string_view agent, std::string_view main_key = kMainKey);
// The same for the default agent; "global" where that is the scope.
std::string main_session_key(const KeySettings& settings);

// Returns the key under which a conversation is kept. A key without an agent is the default
// agent's, `main` means the main key, and `<channel>-<group>` is written out as a group, with a
// thread behind it or without. None: the text is blank, or begins with `agent:` and lacks a part.
// A canonical key stays as it is.
std::optional<std::string> canonical_key(std::string_view text, const KeySettings& settings);

// Returns the rest of a key with an agent, and any other text trimmed.
std::string request_key(std::string_view key);

// Returns a rest of the form `<channel>-<group>` as `<channel>:group:<group>`, with the thread that
// follows it; any other as it is. The rest is in small letters.
std::string with_group_form(std::string_view rest);

// Returns the key before its last `:thread:` or `:topic:`; none if it has no thread.
std::optional<std::string> thread_parent(std::string_view key);

// Returns why a text cannot be a session key, and what to do; none: it can.
std::optional<std::string> session_key_fault(std::string_view text);

}  // namespace domain

template <>
struct base::EnumNames<domain::KeyScope> {
  static constexpr std::string_view kNames[] = {"per-sender", "global"};
};
