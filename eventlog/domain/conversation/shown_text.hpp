// Texts as a reader sees them: white space, and characters that several code points make, such as a
// letter with its accents or an emoji of several parts. Nothing here cuts inside such a character.
// Any bytes are taken: one that is not UTF-8 counts as a character of its own. The rules are those
// of Unicode's grapheme clusters as far as marks, joiners, selectors, modifiers and flags go.
#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace domain {

constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

// Takes the next code point off any bytes; U+FFFD for a byte that is not UTF-8. The text must not
// be empty.
char32_t take_any_code_point(std::string_view& text);

// True for what Unicode calls white space, and for U+FEFF, which starts some files.
bool is_white_space(char32_t c);
// Returns the text without white space at both ends.
std::string_view trimmed(std::string_view text);
// Returns the text on one line: trimmed, with one blank for each run of white space. The walk ends
// once the result has more than `bytes_max`.
std::string one_line(std::string_view text, std::size_t bytes_max = kAnyLength);
// Returns the text in small letters.
std::string small_letters(std::string_view text);

// Returns the beginning of the text: at most so many characters, which have at most so many bytes.
std::string_view first_shown(std::string_view text, std::size_t characters,
                             std::size_t bytes_max = kAnyLength);

}  // namespace domain
