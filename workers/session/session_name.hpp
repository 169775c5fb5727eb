// Names of sessions: which ones may be given, and how those are made that nobody gave.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace session {

constexpr std::size_t kNameBytesMax = 64;

// Why a name cannot be given, and what can; none: it can be.
std::optional<std::string> name_fault(std::string_view name);

// The first three telling words of the prompt, joined by "-"; "session" when there are none.
std::string name_from_prompt(std::string_view prompt);

// `words`, or with the first of -2, -3, … behind it that is no reference of another kind and not
// taken. `is_taken` is asked of one after the other.
std::string unique_name(const std::string& words,
                        const std::function<bool(const std::string&)>& is_taken);

// The name with that mark which was made from the prompt; none: this release makes none such of it.
std::optional<std::string> made_name(std::string_view prompt, std::int64_t mark);

}  // namespace session
