// A program and its arguments as one text, with a shell's quotes but no other shell syntax.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steno {

// Splits at blanks. '…' and "…" hold blanks together; a backslash takes the next character
// literally, except within '…'. No value: a quote is not closed, or the text ends in a backslash.
std::optional<std::vector<std::string>> split_words(std::string_view text);
// Returns the text that split_words turns into these words.
std::string join_words(const std::vector<std::string>& words);
// Returns the word in quotes as a shell needs them: none, if it has only A-Z a-z 0-9 / . _ and -.
std::string shell_word(std::string_view word);

}  // namespace steno
