// The words of the wire, and the older one for `dm`.
#include "eventlog/domain/conversation/chat_type.hpp"

#include "eventlog/domain/conversation/key_text.hpp"

namespace domain {

std::optional<ChatType> parse_chat_type(std::string_view text) {
  const std::string word = key_word(text);
  return word == "direct" ? ChatType::dm : base::parse_enum<ChatType>(word);
}

}  // namespace domain
