// A program and its arguments as one text, with quotes as a shell has them but nothing else of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steno {

// Words are separated by blanks; '…' and "…" hold blanks together, a backslash takes the next
// character as it is (not within '…'). No value: a quote is not closed.
std::optional<std::vector<std::string>> split_words(std::string_view text);
// The text that split_words turns into these words.
std::string join_words(const std::vector<std::string>& words);

}  // namespace steno
