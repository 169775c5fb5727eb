// Reads a TOML file of settings and tables of settings, as texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"

namespace steno {

enum class FileValueKind { text, integer, decimal, boolean, list, table, tables, other };

struct FileSetting {
  // The names of the tables that it stands in, from the outside. Of an array of tables each has its
  // number for a name, from 0.
  std::vector<std::string> table{};
  std::string key;
  FileValueKind kind = FileValueKind::other;
  std::string text;               // of a text, number or boolean
  std::vector<std::string> list;  // of a list of texts
  std::int64_t line = 0;
};

// Returns the settings in `text`, each table before what it holds; `path` only appears in errors.
// Error invalid, with the line, if the text is not TOML.
base::Result<std::vector<FileSetting>> parse_config(std::string_view text, const std::string& path);

// Errors: not_found; io; invalid as above.
base::Result<std::vector<FileSetting>> read_config_file(const std::string& path);

}  // namespace steno
