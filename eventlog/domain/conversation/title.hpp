// The titles and labels of conversations. Both are counted in characters as a reader sees them, and
// never cut inside one. Source: R285, R286, details 2.6, rulings "Label" and "Lengths".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

constexpr std::size_t kTitleCharactersMax = 60;
constexpr std::size_t kLabelCharactersMax = 64;

// A title is made of these. Blank texts are passed over.
struct TitleSources {
  std::string_view display_name;
  std::string_view subject;
  std::string_view first_user_text;
  std::string_view session_id;
  Time updated;  // 0, or below: not known
};

// Returns the display name, else the subject, else the beginning of the first user text, on one
// line and without code blocks. Where there is none of them, it is the first 8 characters of the
// session id, with the date in UTC. None: there is no id either.
std::optional<std::string> title_of(const TitleSources& sources);

// Returns the text with a blank in place of each block of code, fences and content. A block that
// begins a line and is not closed ends with the text; of any other such fence the marks go.
std::string without_code_blocks(std::string_view text);

enum class LabelFault : std::uint8_t { none, not_text, empty, too_long };

struct ParsedLabel {
  std::string label;  // empty if it has a fault
  LabelFault fault = LabelFault::none;

  bool operator==(const ParsedLabel&) const = default;
};

// Reads one label, without the blanks around it. None is what is no text. Whether another
// conversation has it is for those who know all of an agent's labels.
ParsedLabel parse_label(std::optional<std::string_view> text);

}  // namespace domain

template <>
struct base::EnumNames<domain::LabelFault> {
  static constexpr std::string_view kNames[] = {"none", "not text", "empty", "longer than 64"};
};
