// Aligned columns of safe text.
#pragma once

#include <string>
#include <utility>
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

// Names and values in two columns, without titles.
class Fields {
 public:
  // Leaves out a field without a value.
  void add(const std::string& name, const std::string& value);
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace steno
