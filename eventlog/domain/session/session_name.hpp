// Names of sessions: which ones can be given, and how a name is made when none is given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace domain {

constexpr std::size_t kNameBytesMax = 64;

// Returns why a name cannot be given, and what can be; none if it can.
std::optional<std::string> name_fault(std::string_view name);

// Returns the first three telling words of the prompt, joined by "-"; "session" if there are none.
std::string name_from_prompt(std::string_view prompt);

// Returns `words`, followed by "-2", "-3", … from number 2 on. `number` counts from 1.
std::string numbered_name(const std::string& words, std::int64_t number);

// True if the name would be taken for an id or an alias.
bool is_other_reference(std::string_view name);

// Returns the first of the numbered names that is no other reference and for which `is_taken(name)`
// is false.
template <class IsTaken>
std::string unique_name(const std::string& words, IsTaken&& is_taken) {
  for (std::int64_t number = 1;; ++number) {
    std::string name = numbered_name(words, number);
    if (!is_other_reference(name) && !is_taken(name)) return name;
  }
}

// Returns the name with that mark that was made from the prompt; none if this release makes no such
// name from it.
std::optional<std::string> made_name(std::string_view prompt, std::int64_t mark);

}  // namespace domain
