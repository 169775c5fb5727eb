// The mark of a name: 24 bits of its hash. Facts hold it in place of a name that was made from a
// prompt. Live sessions can be told apart and found by it, yet no file holds the prompt's words
// once they are erased. Names with different marks differ. Many names share a mark, so a name of
// several words cannot be recovered from it; a wrong guess can be detected.
#pragma once

#include <cstdint>
#include <string_view>

namespace domain {

constexpr int kNameMarkBits = 24;

// Returns a mark from 1 to 2^24; where a mark is stored, 0 means "no name". The function never
// changes: its results are in facts.
std::int64_t name_mark(std::string_view name);

}  // namespace domain
