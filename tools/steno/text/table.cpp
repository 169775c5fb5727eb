// Measures columns as a terminal shows them, not bytes.
#include "tools/steno/text/table.hpp"

#include <algorithm>

#include "workers/text/terminal_text.hpp"

namespace steno {

using workers::columns_of;
using workers::cut_to_columns;
using workers::safe_line;

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = cut_to_columns(safe_line(cells[i]), columns_[i].columns_max);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_of(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, columns_of(row[i]));
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_at(i);
      const std::string blanks(widths[i] - columns_of(cell), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::right ? blanks + cell : cell + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) {
    add_line([&](std::size_t i) -> const std::string& { return row[i]; });
  }
  return text;
}

void Fields::add(const std::string& name, const std::string& value) {
  if (!value.empty()) lines_.emplace_back(name, value);
}

std::string Fields::text() const {
  std::size_t width = 0;
  for (const auto& [name, value] : lines_) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : lines_) {
    text += name + std::string(width - name.size() + 2, ' ') + safe_line(value) + "\n";
  }
  return text;
}

}  // namespace steno
