// Looks at each "@" that is not within a word, as an address has it.
#include "workers/text/file_mention.hpp"

#include <algorithm>

namespace workers {
namespace {

bool is_of_word(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || c == '+';
}

// Returns the end of the mention that begins at `at`; quotes can hold blanks.
std::size_t end_of(std::string_view prompt, std::size_t at) {
  const bool is_quoted = prompt.substr(at + 1).starts_with('"');
  const std::size_t end =
      is_quoted ? prompt.find('"', at + 2) : prompt.find_first_of(" \t\r\n", at + 1);
  return std::min(end, prompt.size());
}

}  // namespace

std::string_view file_mention(std::string_view prompt) {
  for (std::size_t at = prompt.find('@'); at != std::string_view::npos;
       at = prompt.find('@', at + 1)) {
    if (at > 0 && is_of_word(prompt[at - 1])) continue;
    const std::string_view word = prompt.substr(at, end_of(prompt, at) - at);
    if (word.find_first_of("/~\\") != std::string_view::npos) return word;
  }
  return {};
}

}  // namespace workers
