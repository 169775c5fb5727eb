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

std::string Table::text(std::size_t columns_max) const {
  constexpr std::size_t kBetween = 2;
  constexpr std::size_t kShortest = 8;  // no column is cut to less
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_of(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, columns_of(row[i]));
    widths.push_back(width);
    shown.push_back(i);
  }
  const auto is_too_wide = [&] {
    std::size_t all = 0;
    for (const std::size_t i : shown) all += widths[i] + kBetween;
    return columns_max > 0 && all > columns_max + kBetween;
  };
  for (std::size_t i = columns_.size(); i-- > 0 && is_too_wide();) {
    if (columns_[i].can_go) std::erase(shown, i);
  }
  while (is_too_wide()) {
    const auto widest = std::max_element(shown.begin(), shown.end(), [&](auto one, auto other) {
      return widths[one] < widths[other];
    });
    if (widths[*widest] <= kShortest) break;
    --widths[*widest];
  }
  std::string text;
  const auto add_line = [&](const auto& cell_at, const auto& color_at) {
    std::string line;
    for (const std::size_t i : shown) {
      const std::string cell = cut_to_columns(cell_at(i), widths[i]);
      const std::string blanks(widths[i] - columns_of(cell), ' ');
      const int color = color_at(i);
      const std::string colored =
          color == 0 ? cell : "\x1b[" + std::to_string(color) + "m" + cell + "\x1b[0m";
      if (i != shown.front()) line += std::string(kBetween, ' ');
      line += columns_[i].align == Align::right ? blanks + colored : colored + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t i) -> const std::string& { return columns_[i].title; },
           [](std::size_t) { return 0; });
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    add_line([&](std::size_t i) -> const std::string& { return rows_[row][i]; },
             [&](std::size_t i) {
               const auto found = colors_.find({row, i});
               return found == colors_.end() ? 0 : found->second;
             });
  }
  return text;
}

void Fields::add(const std::string& name, const std::string& value) {
  if (!value.empty()) groups_.back().lines.emplace_back(name, value);
}

std::string Fields::text(bool has_color) const {
  std::size_t width = 0;
  for (const Group& group : groups_) {
    for (const auto& [name, value] : group.lines) width = std::max(width, name.size());
  }
  std::string text;
  for (const auto& [title, lines] : groups_) {
    if (lines.empty()) continue;
    if (!text.empty()) text += "\n";
    if (!title.empty()) text += (has_color ? "\x1b[1m" + title + "\x1b[22m" : title) + "\n";
    for (const auto& [name, value] : lines) {
      text += name + std::string(width - name.size() + 2, ' ') + safe_line(value) + "\n";
    }
  }
  return text;
}

}  // namespace steno
