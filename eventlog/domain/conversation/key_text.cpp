// The channels are those of OpenClaw in January 2026. The list decides only how a sender's prefix
// and a key with a dash are read; messages of other channels have keys of the same forms.
#include "eventlog/domain/conversation/key_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::array<std::string_view, 18> kChannels = {
    "bluebubbles", "discord", "googlechat",     "imessage", "line",     "matrix",
    "mattermost",  "msteams", "nextcloud-talk", "nostr",    "signal",   "slack",
    "telegram",    "tlon",    "twitch",         "webchat",  "whatsapp", "zalo"};

constexpr std::pair<std::string_view, std::string_view> kAliases[] = {{"gchat", "googlechat"},
                                                                      {"google-chat", "googlechat"},
                                                                      {"imsg", "imessage"},
                                                                      {"teams", "msteams"}};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_id_char(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-';
}

bool is_normal_id(std::string_view id) {
  return !id.empty() && id.size() <= kKeyIdMax && is_letter_or_digit(id.front()) &&
         std::all_of(id.begin(), id.end(), is_id_char);
}

std::string normal_id(std::string_view text, std::string_view fallback) {
  std::string word = key_word(text);
  if (is_normal_id(word)) return word;
  std::string id;
  bool is_gap = false;
  for (const char c : word) {
    if (is_id_char(c)) {
      id += c;
    } else if (!is_gap) {
      id += '-';
    }
    is_gap = !is_id_char(c);
  }
  id.erase(id.begin(), std::find_if(id.begin(), id.end(), is_letter_or_digit));
  while (id.ends_with('-')) id.pop_back();
  id.resize(std::min(id.size(), kKeyIdMax));
  return id.empty() ? std::string(fallback) : id;
}

}  // namespace

std::string key_word(std::string_view text) {
  return small_letters(trimmed(text));
}

KeyTexts split_key(std::string_view key) {
  KeyTexts parts;
  while (!key.empty()) {
    const std::size_t colon = std::min(key.find(':'), key.size());
    const std::string_view part = trimmed(key.substr(0, colon));
    if (!part.empty()) parts.push_back(part);
    key.remove_prefix(std::min(colon + 1, key.size()));
  }
  return parts;
}

std::string join_key(std::span<const std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    if (!key.empty()) key += ':';
    key += part;
  }
  return key;
}

std::string key_id(std::string_view text) {
  const std::string word = key_word(text);
  return join_key(split_key(word));
}

bool is_thread_word(std::string_view part) {
  const std::string word = key_word(part);
  return word == "thread" || word == "topic";
}

std::size_t place_part_count(std::span<const std::string_view> parts) {
  for (std::size_t mark = 1; mark + 1 < parts.size(); ++mark) {
    if (is_thread_word(parts[mark])) return mark;
  }
  return parts.size();
}

std::string normal_agent_id(std::string_view text) {
  return normal_id(text, kMainAgent);
}

std::string normal_account_id(std::string_view text) {
  return normal_id(text, kDefaultAccount);
}

std::string channel_word(std::string_view text) {
  std::string word = key_word(text);
  for (const auto& [alias, name] : kAliases) {
    if (word == alias) return std::string(name);
  }
  return word;
}

bool is_channel_word(std::string_view word) {
  return std::find(kChannels.begin(), kChannels.end(), word) != kChannels.end();
}

std::string_view channel_before_dash(std::string_view word) {
  for (const std::string_view channel : kChannels) {
    if (word.starts_with(channel) && word.size() > channel.size() + 1 &&
        word[channel.size()] == '-') {
      return word.substr(0, channel.size());
    }
  }
  return {};
}

}  // namespace domain
