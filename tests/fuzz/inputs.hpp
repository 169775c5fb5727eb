// The inputs that a fuzz target begins with, in one file: tests/fuzz/corpus/<target>. README.md has
// the format, and ./tools/fuzz writes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"

namespace fuzz {

struct Input {
  std::string name;  // empty: it has only its number
  std::string bytes;
};

// Returns the inputs in their order, at least one. The error says which input is damaged; its
// number counts from 1.
base::Result<std::vector<Input>> unpack_inputs(std::string_view text);

// The same of a file; the error names it.
base::Result<std::vector<Input>> read_inputs(const std::filesystem::path& path);

// Returns the bytes of a file; the error names it.
base::Result<std::string> read_whole(const std::filesystem::path& path);

}  // namespace fuzz
