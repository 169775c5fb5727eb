// Cuts texts at columns of a terminal.
#include "workers/operations/text_bounds.hpp"

#include <algorithm>

#include "workers/text/terminal_text.hpp"

namespace workers {

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string shown(std::string_view said) {
  constexpr std::size_t kColumnsMax = 60;
  return cut_to_columns(safe_line(said), kColumnsMax);
}

std::string prompt_beginning(const std::string& prompt, std::size_t columns_max) {
  return cut_to_columns(safe_line(prompt), columns_max);
}

}  // namespace workers
