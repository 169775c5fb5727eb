// Whether anything is sent to the place of a conversation: the conversation's own setting decides,
// else the first rule that matches, else the policy's default, else it is allowed. Each decision
// says what made it. Source: R121-R124, R140; ruling "Send policy".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/conversation/chat_type.hpp"

namespace domain {

enum class SendAction : std::uint8_t { allow, deny };

// Reads "allow" or "deny", whatever its case and the blanks around it. None: it is another word.
std::optional<SendAction> parse_send_action(std::string_view text);

// Matches where all that it names is so; one that names nothing matches everywhere.
struct SendRule {
  std::string channel;                // empty: any
  std::optional<ChatType> chat_type;  // none: any
  std::string key_prefix;             // of the whole session key; empty: any
  SendAction action = SendAction::allow;

  bool operator==(const SendRule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("channel", &SendRule::channel);
    visit("chat_type", &SendRule::chat_type);
    visit("key_prefix", &SendRule::key_prefix);
    visit("action", &SendRule::action);
  }
};

struct SendPolicy {
  std::vector<SendRule> rules;
  std::optional<SendAction> otherwise;  // where no rule matches

  bool operator==(const SendPolicy&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rules", &SendPolicy::rules);
    visit("default", &SendPolicy::otherwise);
  }
};

// A conversation, and what is known of where it is held.
struct SendSubject {
  std::optional<SendAction> setting;  // its own; none: it inherits
  std::string key;                    // in its canonical form, thus in small letters
  // In falling order of weight. Blank ones are passed over, and the key says the rest.
  std::vector<std::string> channels;  // of the message, of the entry, of the last route
  std::optional<ChatType> chat_type;
};

enum class SendBasis : std::uint8_t { setting, rule, policy_default, none };

struct SendDecision {
  SendAction action = SendAction::allow;
  SendBasis basis = SendBasis::none;
  std::size_t rule = 0;  // its number, from 1 on; 0: no rule decided
  // The rules were compared with these two. Where one is not known, no rule that names it matches.
  std::string channel;
  std::optional<ChatType> chat_type;
  std::string why;  // one sentence, for people

  bool operator==(const SendDecision&) const = default;
};

SendDecision resolve_send(const SendPolicy& policy, const SendSubject& subject);

enum class SendMode : std::uint8_t { unknown, inherit, allow, deny };

// Reads an owner's message /send on|off|inherit. `unknown`: it is this command, with no such word.
// None: it is no such command, but a message like any other.
std::optional<SendMode> parse_send_command(std::string_view text);

}  // namespace domain

template <>
struct base::EnumNames<domain::SendAction> {
  static constexpr std::string_view kNames[] = {"allow", "deny"};
};
template <>
struct base::EnumNames<domain::SendBasis> {
  static constexpr std::string_view kNames[] = {"setting", "rule", "default", "none"};
};
template <>
struct base::EnumNames<domain::SendMode> {
  static constexpr std::string_view kNames[] = {"unknown", "inherit", "allow", "deny"};
};
