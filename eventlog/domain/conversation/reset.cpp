// A trigger comes first, then the policy of the conversation.
#include "eventlog/domain/conversation/reset.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

// Names the reset that was due first.
SessionStart start_of(const Freshness& fresh, Time updated, Time now) {
  if (fresh.is_fresh) return SessionStart::continued;
  const bool is_daily = fresh.daily_reset_at && updated < *fresh.daily_reset_at;
  const bool is_idle = fresh.idle_expires_at && now > *fresh.idle_expires_at;
  if (is_daily && is_idle) {
    return *fresh.idle_expires_at < *fresh.daily_reset_at ? SessionStart::idle
                                                          : SessionStart::daily;
  }
  return is_daily ? SessionStart::daily : SessionStart::idle;
}

bool is_number(std::string_view name) {
  if (name.empty() || name.find_first_not_of("+0123456789 -().") != std::string_view::npos) {
    return false;
  }
  return name.front() == '+' || (name.front() >= '0' && name.front() <= '9');
}

// Returns the name in the form in which names are compared.
std::string sender_word(std::string_view text) {
  const std::string word = key_word(text);
  std::string_view name = word;
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos && is_channel_word(channel_word(name.substr(0, colon)))) {
    name.remove_prefix(colon + 1);
  }
  // A number of WhatsApp, with that of the device: "15550100:0@s.whatsapp.net".
  if (name.ends_with("@s.whatsapp.net")) name = name.substr(0, name.find_first_of(":@"));
  if (name.starts_with('@')) name.remove_prefix(1);
  std::string compared(name);
  if (is_number(name)) std::erase_if(compared, [](char c) { return c < '0' || c > '9'; });
  return compared;
}

}  // namespace

MessageStart on_message(const ResetSettings& settings, const ArrivedMessage& message,
                        std::optional<Time> updated, const LocalMoment& moment) {
  MessageStart start;
  start.display_name = trimmed(message.thread.label);
  if (message.is_authorised) start.remainder = reset_remainder(settings, message.text);
  if (start.remainder) {
    start.start = SessionStart::trigger;
  } else if (!updated) {
    start.start = SessionStart::first;
  } else {
    const bool is_thread = is_in_thread(message.key, message.thread);
    const ResetType type = reset_type(message.key, message.is_group, is_thread);
    const ResetPolicy policy = reset_policy(settings, type, message.channel);
    start.start = start_of(freshness(policy, *updated, moment), *updated, moment.now);
  }
  return start;
}

bool is_authorised(std::span<const std::string> allowed, std::span<const std::string> sender) {
  if (allowed.empty()) return true;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) {
    const std::string word = sender_word(one);
    if (word == "*") return true;
    return !word.empty() && std::any_of(sender.begin(), sender.end(), [&](const std::string& name) {
      return sender_word(name) == word;
    });
  });
}

}  // namespace domain
