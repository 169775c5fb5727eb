// A TOML file of settings, one level deep, as texts.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/result.hpp"

namespace steno {

enum class FileValueKind { text, integer, decimal, boolean, list, other };

struct FileSetting {
  std::string key;
  FileValueKind kind = FileValueKind::other;
  std::string text;               // of a text, number or boolean
  std::vector<std::string> list;  // of a list of texts
  std::int64_t line = 0;
};

// Errors: not_found; invalid, with the line, where it is not TOML; io.
base::Result<std::vector<FileSetting>> read_config_file(const std::string& path);

}  // namespace steno
