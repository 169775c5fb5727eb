// The words by which lists show and filter conversations, and a user's text told apart: a key or a
// session's id. Source: details 2.6.
#pragma once

#include <optional>
#include <string_view>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/session_key.hpp"

namespace domain {

// The kind of a listed conversation.
enum class ListKind : std::uint8_t { direct, group, global, unknown };
ListKind list_kind(std::string_view key, std::optional<ChatType> type = std::nullopt);

// The kind that agents' tools filter by.
enum class ToolKind : std::uint8_t { main, group, cron, hook, node, other };
ToolKind tool_kind(std::string_view key, const KeySettings& settings, ListKind listed);

// True if the text has the form of a session id: a UUID.
bool looks_like_session_id(std::string_view text);
// True if the text has the form of a key. One that has neither form is tried as a session id.
bool looks_like_session_key(std::string_view text, std::string_view main_key = kMainKey);

}  // namespace domain

template <>
struct base::EnumNames<domain::ListKind> {
  static constexpr std::string_view kNames[] = {"direct", "group", "global", "unknown"};
};
template <>
struct base::EnumNames<domain::ToolKind> {
  static constexpr std::string_view kNames[] = {"main", "group", "cron", "hook", "node", "other"};
};
