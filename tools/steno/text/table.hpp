// Aligned columns of safe text.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace steno {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  std::size_t columns_max = 60;  // longer cells are cut
  bool can_go = false;           // it is left out first where there is no room for all
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Adds a row with as many cells as columns. Each cell is made safe for a terminal, so any text is
  // allowed.
  void add(std::vector<std::string> cells);
  // Shows a cell of the last row in a colour, a number of SGR; call it where has_color() says so.
  void color(std::size_t column, int number) { colors_[{rows_.size() - 1, column}] = number; }
  // Returns titles and rows, one a line, columns two blanks apart, without blanks at a line's end.
  // Lines wider than so many columns are avoided: columns that can go are left out, the last one
  // first, then the widest ones are cut. 0: any width.
  std::string text(std::size_t columns_max = 0) const;
  bool is_empty() const { return rows_.empty(); }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::map<std::pair<std::size_t, std::size_t>, int> colors_;  // by row and column
};

// Names and values in two columns. They can stand in groups, each below its title.
class Fields {
 public:
  // What is added from here on is of a group with this title. A group without fields is left out.
  void begin(const std::string& title) { groups_.push_back({title, {}}); }
  // Leaves out a field without a value.
  void add(const std::string& name, const std::string& value);
  // `has_color`: titles are bold.
  std::string text(bool has_color = false) const;

 private:
  struct Group {
    std::string title;  // empty: it has none
    std::vector<std::pair<std::string, std::string>> lines;
  };
  std::vector<Group> groups_{1};
};

}  // namespace steno
