// The first text that is not blank names the group; one that is no channel's and no user's gets
// "g-".
#include "eventlog/domain/conversation/group_name.hpp"

#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

bool is_kept(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         (c != '-' && std::string_view("#@._+").find(c) != std::string_view::npos);
}

// Each run of other characters becomes one dash; dashes and dots at the ends are left out.
std::string token_of(std::string_view text) {
  std::string token;
  for (const char c : key_word(text)) {
    if (is_kept(c)) {
      token += c;
    } else if (!token.ends_with('-')) {
      token += '-';
    }
  }
  const std::size_t first = token.find_first_not_of("-.");
  if (first == std::string::npos) return {};
  return token.substr(first, token.find_last_not_of("-.") - first + 1);
}

std::string_view first_given(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (const std::string_view given = trimmed(text); !given.empty()) return given;
  }
  return {};
}

}  // namespace

std::string group_display_name(const GroupNaming& naming) {
  const std::string_view channel = trimmed(naming.group_channel);
  const std::string_view space = trimmed(naming.space);
  std::string label(first_given({channel, naming.subject, space, naming.id, naming.key}));
  if (!channel.empty() && !space.empty()) {
    label = std::string(space) + (channel.starts_with('#') ? "" : "#") + std::string(channel);
  }
  std::string token = token_of(label);
  if (channel.empty()) token.erase(0, token.find_first_not_of('#'));
  const bool is_plain = !token.empty() && !token.starts_with('@') && !token.starts_with("g-") &&
                        token.find('#') == std::string::npos;
  if (is_plain) token.insert(0, "g-");
  std::string name = key_word(naming.provider);
  if (name.empty()) name = "group";
  return token.empty() ? name : name + ":" + token;
}

}  // namespace domain
