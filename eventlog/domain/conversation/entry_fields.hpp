// The settings of a conversation that people, chats and programs give it, under the names of the
// documents. Each is a text in one canonical form; a new one is a row of the table. Source:
// R092-R102; details 2.6.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

enum class FieldKind : std::uint8_t { text, word, flag, number, labels };

struct EntryField {
  std::string_view name;  // "sendPolicy"
  FieldKind kind = FieldKind::text;
  std::string_view help;  // what it is, for people
  // Of the kind `word`: those that are accepted, each with other words for it behind it.
  std::span<const std::string_view> words{};
  std::int64_t most = 0;  // of a number
  // A text, or each label, has at most so many characters as a reader sees them, and so many bytes.
  std::size_t characters = 256;
  std::size_t bytes = 1'024;
  std::int64_t least = 0;  // of a number
};

// By name; a field that is empty is not there.
using EntryFields = std::map<std::string, std::string>;

std::span<const EntryField> entry_fields();
// Returns null if there is no such field.
const EntryField* find_entry_field(std::string_view name);

// Returns the text in the field's canonical form. Error: why it cannot be, and what is accepted. A
// text that is blank is refused: a field is cleared by its name.
base::Result<std::string, std::string> field_text(const EntryField& field, std::string_view text);

// Returns the labels of a field of that kind.
std::vector<std::string> labels_of(std::string_view field);

// Returns the field's text; empty: it is not there.
std::string_view field_of(const EntryFields& fields, std::string_view name);

}  // namespace domain
