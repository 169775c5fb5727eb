// Reads the number of inputs, then for each a line with its size and its name, its bytes and a line
// feed.
#include "tests/fuzz/inputs.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

namespace fuzz {
namespace {

using base::ErrorCode;
using base::failure;

// Takes the next line off `text`, without its line feed.
std::optional<std::string_view> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// Takes a number off the beginning of `line`.
std::optional<std::size_t> next_number(std::string_view& line) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{}) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return number;
}

std::optional<Input> next_input(std::string_view& text) {
  auto name = next_line(text);
  if (!name) return std::nullopt;
  const auto size = next_number(*name);
  if (!size || *size >= text.size() || text[*size] != '\n') return std::nullopt;
  if (!name->empty() && (name->front() != ' ' || name->size() == 1)) return std::nullopt;
  if (!name->empty()) name->remove_prefix(1);
  Input input{std::string(*name), std::string(text.substr(0, *size))};
  text.remove_prefix(*size + 1);
  return input;
}

}  // namespace

base::Result<std::vector<Input>> unpack_inputs(std::string_view text) {
  auto line = next_line(text);
  const auto count = line ? next_number(*line) : std::nullopt;
  if (!count || *line != " inputs") {
    return failure(ErrorCode::damaged, "not a file of inputs: it must begin with '<n> inputs'");
  }
  if (*count == 0) return failure(ErrorCode::damaged, "there is no input");
  std::vector<Input> all;
  while (all.size() < *count) {
    auto input = next_input(text);
    if (!input) {
      return failure(ErrorCode::damaged, "input " + std::to_string(all.size() + 1) + " of " +
                                             std::to_string(*count) + " is damaged");
    }
    all.push_back(std::move(*input));
  }
  if (text.empty()) return all;
  return failure(ErrorCode::damaged, "there are bytes behind the last input");
}

base::Result<std::string> read_whole(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || !std::filesystem::is_regular_file(path, ignored)) {
    return failure(ErrorCode::not_found, "not a file that can be read", path.string());
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

base::Result<std::vector<Input>> read_inputs(const std::filesystem::path& path) {
  const auto text = read_whole(path);
  if (!text) return tl::unexpected(text.error());
  auto all = unpack_inputs(*text);
  if (!all) all.error().where = path.string();
  return all;
}

}  // namespace fuzz
