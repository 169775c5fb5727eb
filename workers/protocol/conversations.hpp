// The query about conversations.
#pragma once

#include <string>
#include <vector>

#include "bus/frames.hpp"
#include "projections/views/conversation_list.hpp"

namespace workers {

constexpr std::string_view kVerbConversations = "conversations";  // → ConversationsAnswer

// The query has a QueryBody. With a session key for `reference` the answer is that one alone; else
// `limit`, `active_since` and `filter` say which are listed.
struct ConversationsAnswer {
  base::Position position;  // the position that the answer is made at
  std::vector<projections::ConversationShown> conversations;  // those that changed last first
  bool has_more = false;  // ask again before the last one of these

  bool operator==(const ConversationsAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &ConversationsAnswer::position);
    visit("conversations", &ConversationsAnswer::conversations);
    visit("has_more", &ConversationsAnswer::has_more);
  }
};

}  // namespace workers
