// The kind of a row follows from the key's place, so that a thread is listed as what it is in.
#include "eventlog/domain/conversation/key_listing.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/key_kind.hpp"

namespace domain {

ListKind list_kind(std::string_view key, std::optional<ChatType> type) {
  const KeyParts parts = parse_key_parts(key);
  if (parts.kind == KeyKind::global) return ListKind::global;
  if (parts.kind == KeyKind::unknown) return ListKind::unknown;
  const bool is_group = (type && *type != ChatType::dm) || parts.place == KeyKind::group ||
                        parts.place == KeyKind::channel;
  return is_group ? ListKind::group : ListKind::direct;
}

ToolKind tool_kind(std::string_view key, const KeySettings& settings, ListKind listed) {
  const KeyKind place = parse_key_parts(key, settings.main_key).place;
  const bool is_global_main = place == KeyKind::global && settings.scope == KeyScope::global;
  if (place == KeyKind::main || is_global_main) return ToolKind::main;
  if (place == KeyKind::cron) return ToolKind::cron;
  if (place == KeyKind::hook) return ToolKind::hook;
  if (place == KeyKind::node) return ToolKind::node;
  const bool is_group =
      listed == ListKind::group || place == KeyKind::group || place == KeyKind::channel;
  return is_group ? ToolKind::group : ToolKind::other;
}

bool looks_like_session_id(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  const std::string word = key_word(text);
  return std::equal(word.begin(), word.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    return form == '-' ? c == '-' : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

bool looks_like_session_key(std::string_view text, std::string_view main_key) {
  const KeyParts parts = parse_key_parts(text, main_key);
  return parts.kind != KeyKind::other || !parts.agent.empty() ||
         key_word(text).starts_with("agent:");
}

}  // namespace domain
