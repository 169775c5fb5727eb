// The kind of place in which a conversation is held, as its channel says it: with one person, in a
// group, or in one channel of a server with many. `direct` is read as `dm`. Source: the rulings.
#pragma once

#include <optional>
#include <string_view>

#include "eventlog/base/fields.hpp"

namespace domain {

enum class ChatType : std::uint8_t { dm, group, channel };

// Reads the word, whatever its case and the blanks around it. None: it is no chat type.
std::optional<ChatType> parse_chat_type(std::string_view text);

}  // namespace domain

template <>
struct base::EnumNames<domain::ChatType> {
  static constexpr std::string_view kNames[] = {"dm", "group", "channel"};
};
