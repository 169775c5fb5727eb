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

  // Adds a row with as many cells as columns. Each cell is made safe for a terminal, so any text is
  // allowed.
  void add(std::vector<std::string> cells);
  // Returns titles and rows, one a line, columns two blanks apart, without blanks at a line's end.
  std::string text() const;
  bool is_empty() const { return rows_.empty(); }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace steno
