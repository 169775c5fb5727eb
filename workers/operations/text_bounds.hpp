// How much text an answer or a refusal can have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workers/operations/caller.hpp"

namespace workers {

// Characters of an answer's text: of a message that all chats take, and of a part of a model's
// context that leaves room for its work.
constexpr std::size_t kChatCharactersMax = 3'900;
constexpr std::size_t kTextCharactersMax = 20'000;

constexpr std::size_t characters_max(Reader reader) {
  return reader == Reader::person ? kChatCharactersMax : kTextCharactersMax;
}

// Returns the code points of UTF-8.
std::size_t characters_of(std::string_view text);

// Returns the beginning of what a caller said, on one line, for a message about it.
std::string shown(std::string_view said);

// Returns the beginning of a prompt on one line.
std::string prompt_beginning(const std::string& prompt, std::size_t columns_max);

// Columns of a prompt's beginning beside what else is said of its session.
constexpr std::size_t kPromptColumnsMax = 80;

}  // namespace workers
