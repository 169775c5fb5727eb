// The facts that the domain needs of a text's characters, without a library: which ones are shown,
// and which ones words are made of. The rest of Unicode's rules is the business of those who print.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace domain {

// Takes the next code point off well-formed UTF-8. The text must not be empty.
char32_t take_code_point(std::string_view& text);
// Appends a code point as UTF-8.
void append_code_point(std::string& text, char32_t c);

// Tabs, line ends, escapes, and marks that turn the direction of the text around them.
bool is_control(char32_t c);
// True for characters that are shown as nothing.
bool is_blank(char32_t c);
// True for letters and digits of all scripts, and for marks upon them: for all that is no blank, no
// control character, and in no block of punctuation or symbols.
bool is_word_char(char32_t c);
// Returns the small letter of a Latin, Greek or Cyrillic capital; any other character as it is.
char32_t small_letter(char32_t c);

// Returns why a text cannot be a prompt, and what to do; none: it can.
std::optional<std::string> prompt_fault(std::string_view prompt);

}  // namespace domain
