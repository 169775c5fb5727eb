// A row of the table of figures: its name, its goal, and the function that measures it. A further
// row is one more file with such a function and one more line in rows.cpp.
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
  std::optional<double> value;     // none: what it is compared with is absent
  std::vector<std::string> raw{};  // the measurements behind it, one line each
  std::string void_because{};      // not empty: why it does not count; for people only
};

struct Row {
  std::string_view name;
  std::string_view unit;  // of the value; "x": a ratio
  GoalKind kind = GoalKind::at_most;
  double goal = 0;
  // An error means that nothing could be measured; whatever it started has ended by then.
  base::Result<Figure> (*measure)(Workbench& bench) = nullptr;
};

const std::vector<Row>& rows();

}  // namespace benchmarks
