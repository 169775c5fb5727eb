// The word that a mistyped one may have been meant for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace steno {

// What is further apart is another word.
constexpr std::size_t kLettersApartMax = 2;

// Returns the edit distance: the least number of letters to insert, remove or change.
std::size_t letters_apart(std::string_view a, std::string_view b);

// Returns the one of `known` that the fewest letters tell from `word`: at most two inserted,
// removed or changed ones, and at most half as many as the word has. Empty: none is that near.
std::string nearest_word(std::string_view word, std::span<const std::string> known);

}  // namespace steno
