// Changes one key in the text of a TOML file, and leaves all else as it is: comments, order, blank
// lines, the form of other values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"

namespace steno {

// A key with the names of the tables that it stands in, from the outside.
using KeyPath = std::vector<std::string>;

// Returns a text as a TOML string. The text must be UTF-8.
std::string toml_string(std::string_view text);

// Returns the text with the key set to a value in TOML. A key that is there keeps its place; a new
// one comes behind the others of its table, and a new table at the end. `path` only appears in
// errors. Errors: invalid, with the line, if the text is not TOML; refused, if the key stands where
// only a person can change it, as in an inline table.
base::Result<std::string> with_key(std::string_view text, const KeyPath& key,
                                   const std::string& value, const std::string& path);

// Returns the text without the lines of the key; none: it is not there. Errors as above.
base::Result<std::optional<std::string>> without_key(std::string_view text, const KeyPath& key,
                                                     const std::string& path);

}  // namespace steno
