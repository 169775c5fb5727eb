// Aligned columns of safe text.
#pragma once

#include <string>
#include <vector>

namespace steno {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  std::size_t columns_max = 60;  // longer cells are cut
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as columns; each is made safe for a terminal, so any text may be given.
  void add(std::vector<std::string> cells);
  // Titles and rows, a line feed after each, columns two blanks apart, no blanks at a line's end.
  std::string text() const;
  bool is_empty() const { return rows_.empty(); }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace steno
