// Names of sessions: which ones may be given, and how those are made that nobody gave.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace domain {

constexpr std::size_t kNameBytesMax = 64;

// Why a name cannot be given, and what can; none: it can be.
std::optional<std::string> name_fault(std::string_view name);

// The first three telling words of the prompt, joined by "-"; "session" when there are none.
std::string name_from_prompt(std::string_view prompt);

// `words`, or with "-2", "-3", … behind it. `number`: from 1.
std::string numbered_name(const std::string& words, std::int64_t number);

// It would be taken for an id or an alias before it is taken for a name.
bool is_other_reference(std::string_view name);

// The first of the numbered names that is no reference of another kind and for which
// `is_taken(name)` is false.
template <class IsTaken>
std::string unique_name(const std::string& words, IsTaken&& is_taken) {
  for (std::int64_t number = 1;; ++number) {
    std::string name = numbered_name(words, number);
    if (!is_other_reference(name) && !is_taken(name)) return name;
  }
}

// The name with that mark which was made from the prompt; none: this release makes none such of it.
std::optional<std::string> made_name(std::string_view prompt, std::int64_t mark);

}  // namespace domain
