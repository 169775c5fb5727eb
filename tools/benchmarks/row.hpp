// A row of the table of figures: its name, its goal, and the function that measures it. To add a
// row, add a file with such a function and a line in rows.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"

namespace benchmarks {

class Workbench;

enum class GoalKind { at_most, at_least, none };

struct Figure {
  std::optional<double> value;     // none: the peer is absent
  std::vector<std::string> raw{};  // the raw measurements, one line each
  std::string void_because{};      // not empty: why it does not count; for people only
};

struct Row {
  std::string_view name;
  std::string_view unit;  // of the value; "x": a ratio
  GoalKind kind = GoalKind::at_most;
  double goal = 0;
  // An error means that nothing could be measured; everything it started has then ended.
  base::Result<Figure> (*measure)(Workbench& bench) = nullptr;
};

const std::vector<Row>& rows();

}  // namespace benchmarks
