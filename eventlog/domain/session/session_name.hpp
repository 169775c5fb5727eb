// Names of sessions: which ones can be given, and how a name is made when none is given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace domain {

constexpr std::size_t kNameBytesMax = 64;

// Returns why a name cannot be given, and what can be; none if it can.
std::optional<std::string> name_fault(std::string_view name);

// Returns the first three telling words of the prompt, joined by "-"; "session" if there are none.
std::string name_from_prompt(std::string_view prompt);

// Returns the words of the name that is made for a spawn.
template <class Spawn>
std::string words_of_name(const Spawn& spawn) {
  return spawn.name_like.empty() ? name_from_prompt(spawn.prompt) : spawn.name_like;
}

// Returns `words`, followed by "-2", "-3", … from number 2 on. `number` counts from 1.
std::string numbered_name(const std::string& words, std::int64_t number);

// True if the name would be taken for an id or an alias.
bool is_other_reference(std::string_view name);

// The numbers of names made from one prompt: more than there are live sessions.
constexpr std::int64_t kNameNumberMax = 1 << 16;
// So many numbers are tried one after the other. Beyond them a gap may stay unused.
constexpr std::int64_t kNameNumbersInTurn = 16;

// Returns the number of a numbered name that is no other reference and for which `is_taken(name)`
// is false: the lowest up to kNameNumbersInTurn, else one that two looks for each of its bits find,
// since most numbers below the highest are taken. It is below kNameNumberMax as long as possible.
template <class IsTaken>
std::int64_t free_number(const std::string& words, IsTaken&& is_taken) {
  const auto is_free = [&](std::int64_t number) {
    const std::string name = numbered_name(words, number);
    return !is_other_reference(name) && !is_taken(name);
  };
  for (std::int64_t number = 1; number <= kNameNumbersInTurn; ++number) {
    if (is_free(number)) return number;
  }
  std::int64_t taken = kNameNumbersInTurn;
  std::int64_t free = 2 * taken;
  while (free < kNameNumberMax && !is_free(free)) {
    taken = free;
    free *= 2;
  }
  if (free == kNameNumberMax) {
    free = kNameNumbersInTurn + 1;
    while (!is_free(free)) ++free;
    return free;
  }
  while (free - taken > 1) {
    const std::int64_t middle = taken + (free - taken) / 2;
    (is_free(middle) ? free : taken) = middle;
  }
  return free;
}

// Returns the name with that mark that was made of the words; none if this release makes no such
// name of them. `number` 0: unknown, so that all are looked at.
std::optional<std::string> marked_name(const std::string& words, std::int64_t mark,
                                       std::int64_t number);
// The same, of the words of a prompt.
std::optional<std::string> made_name(std::string_view prompt, std::int64_t mark,
                                     std::int64_t number);

}  // namespace domain
