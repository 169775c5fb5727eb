// The mark of a name: 24 bits of it. Facts hold it in place of a name that was made from a prompt,
// so that live sessions can be told apart by their names and found by them, and yet no file holds
// the prompt's words once they are erased. Two names differ when their marks do. Many names share a
// mark, so a name of several words cannot be had back from it; that a guess is wrong can be told.
#pragma once

#include <cstdint>
#include <string_view>

namespace domain {

constexpr int kNameMarkBits = 24;

// From 1 to 2^24; 0 stands for "no name" where a mark is kept. It never changes: it is in facts.
std::int64_t name_mark(std::string_view name);

}  // namespace domain
