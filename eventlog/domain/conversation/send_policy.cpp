// Rules are compared with words in small letters, and channels by the names that they are known
// under.
#include "eventlog/domain/conversation/send_policy.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

std::string_view verb_of(SendAction action) {
  return action == SendAction::allow ? "allows" : "denies";
}

std::optional<ChatType> chat_type_of(KeyKind place) {
  if (place == KeyKind::dm) return ChatType::dm;
  if (place == KeyKind::group) return ChatType::group;
  if (place == KeyKind::channel) return ChatType::channel;
  return std::nullopt;
}

// Fills in what the rules are compared with.
void find_place(const SendSubject& subject, SendDecision& decision) {
  const KeyParts parts = parse_key_parts(subject.key);
  for (const std::string& channel : subject.channels) {
    if (decision.channel.empty()) decision.channel = channel_word(channel);
  }
  if (decision.channel.empty()) decision.channel = channel_word(parts.channel);
  decision.chat_type = subject.chat_type ? subject.chat_type : chat_type_of(parts.place);
}

bool matches(const SendRule& rule, const SendSubject& subject, const SendDecision& place) {
  const std::string channel = channel_word(rule.channel);
  return (channel.empty() || channel == place.channel) &&
         (!rule.chat_type || rule.chat_type == place.chat_type) &&
         subject.key.starts_with(key_word(rule.key_prefix));
}

// Returns "channel slack, key prefix agent:ops:".
std::string conditions_of(const SendRule& rule) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text.append(text.empty() ? "" : ", ").append(name).append(value);
  };
  add("channel ", channel_word(rule.channel));
  add("chat type ", rule.chat_type ? base::enum_name(*rule.chat_type) : "");
  add("key prefix ", key_word(rule.key_prefix));
  return text.empty() ? "every conversation" : text;
}

}  // namespace

std::optional<SendAction> parse_send_action(std::string_view text) {
  return base::parse_enum<SendAction>(key_word(text));
}

SendDecision resolve_send(const SendPolicy& policy, const SendSubject& subject) {
  SendDecision decision;
  find_place(subject, decision);
  const auto decide = [&](SendAction action, SendBasis basis, std::string why) {
    decision.action = action;
    decision.basis = basis;
    decision.why = std::move(why);
    return decision;
  };
  if (subject.setting) {
    return decide(
        *subject.setting, SendBasis::setting,
        "The conversation's own setting " + std::string(verb_of(*subject.setting)) + " sending.");
  }
  for (const SendRule& rule : policy.rules) {
    ++decision.rule;
    if (!matches(rule, subject, decision)) continue;
    return decide(
        rule.action, SendBasis::rule,
        "Rule " + std::to_string(decision.rule) + " of " + std::to_string(policy.rules.size()) +
            " " + std::string(verb_of(rule.action)) + " sending (" + conditions_of(rule) + ").");
  }
  decision.rule = 0;
  if (policy.otherwise) {
    return decide(*policy.otherwise, SendBasis::policy_default,
                  "No rule matches, and the policy's default " +
                      std::string(verb_of(*policy.otherwise)) + " sending.");
  }
  return decide(SendAction::allow, SendBasis::none,
                "No rule matches and the policy has no default, so sending is allowed.");
}

std::optional<SendMode> parse_send_command(std::string_view text) {
  constexpr std::string_view kCommand = "/send";
  // A command ends with its line.
  std::string_view line = trimmed(text);
  line = trimmed(line.substr(0, line.find('\n')));
  const std::string small = small_letters(line);
  if (!small.starts_with(kCommand)) return std::nullopt;
  std::string_view rest = std::string_view(small).substr(kCommand.size());
  std::string_view word = trimmed(rest);
  if (word.size() == rest.size() && !rest.empty() && rest.front() != ':') return std::nullopt;
  if (word.starts_with(':')) word = trimmed(word.substr(1));
  if (word == "on" || word == "allow") return SendMode::allow;
  if (word == "off" || word == "deny") return SendMode::deny;
  if (word == "inherit" || word == "default" || word == "reset") return SendMode::inherit;
  const bool is_word =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_word ? std::optional(SendMode::unknown) : std::nullopt;
}

}  // namespace domain
