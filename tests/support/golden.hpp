// Golden files: bytes that were written once and must be readable for ever, kept as lines of
// hexadecimal in tests/golden. With STENO_WRITE_GOLDEN=1 in the environment a missing one is
// written; an existing one is never changed.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "eventlog/base/bytes.hpp"

#include "eventlog/base/text_bytes.hpp"

namespace support {

inline std::filesystem::path golden_path(const std::string& name) {
  return std::filesystem::path(STENO_SOURCE_DIR) / "tests/golden" / name;
}

inline base::Bytes from_hex(const std::string& text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string digits;
  for (char c : text) {
    if (c != '\n' && c != ' ') digits += c;
  }
  base::Bytes bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(digits[i]) << 4 | digit(digits[i + 1])));
  }
  return bytes;
}

// Returns the file's bytes, or nothing if the file is missing. `sample` makes the bytes for a
// missing file, if writing is asked for.
template <class Sample>
std::optional<base::Bytes> golden(const std::string& name, Sample&& sample) {
  constexpr std::size_t kLine = 80;
  const auto path = golden_path(name);
  const char* write = std::getenv("STENO_WRITE_GOLDEN");
  if (!std::filesystem::exists(path) && write != nullptr && std::string_view(write) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path);
    const std::string hex = base::to_hex(sample());
    for (std::size_t at = 0; at < hex.size(); at += kLine) out << hex.substr(at, kLine) << '\n';
  }
  std::ifstream in(path);
  if (!in) return std::nullopt;
  std::stringstream text;
  text << in.rdbuf();
  return from_hex(text.str());
}

// Returns the bytes of a worked example in a README: the block of code whose first line begins with
// `start`, each line up to its first two spaces.
inline base::Bytes readme_example(const std::string& readme, const std::string& start) {
  std::ifstream in(std::filesystem::path(STENO_SOURCE_DIR) / readme);
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  const std::size_t fence = all.find("```\n" + start);
  if (fence == std::string::npos) return {};
  std::istringstream lines(all.substr(fence + 4, all.find("```", fence + 4) - fence - 4));
  std::string digits;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    digits += line.substr(0, line.find("  "));
  }
  return from_hex(digits);
}

}  // namespace support
