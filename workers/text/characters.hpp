// Characters as a reader sees them (grapheme clusters): a letter with its accents, an emoji of
// several parts. Texts are counted in them, and never cut inside one. A byte that is not UTF-8
// counts as one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace workers {

std::size_t characters_in(std::string_view text);

// Returns how many bytes the first `characters` have; all, if there are no more.
std::size_t bytes_of(std::string_view text, std::size_t characters);

// Returns the beginning of the text, with "…" behind it if it is longer.
std::string first_characters(std::string_view text, std::size_t characters);
// Returns the end of the text, with "…" before it if it is longer.
std::string last_characters(std::string_view text, std::size_t characters);

// Returns how many bytes of the text make a piece of at most so many characters, at least one. It
// ends behind a paragraph, else behind a line, else behind a word, if one of these ends in the
// piece's second half.
std::size_t piece_of(std::string_view text, std::size_t characters);

}  // namespace workers
