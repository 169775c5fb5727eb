// How deeply a JSON text is nested: readers that descend by recursion are given no deeper one.
#pragma once

#include <algorithm>
#include <string_view>

namespace base {

// Texts of people and programs stay far below it.
constexpr int kJsonDepthMax = 200;

// Returns the most brackets that are open at once, those within texts left out. Takes any bytes.
inline int json_depth(std::string_view json) {
  int depth = 0;
  int most = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_text = !is_text;
    } else if (!is_text && (c == '{' || c == '[')) {
      most = std::max(most, ++depth);
    } else if (!is_text && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return most;
}

}  // namespace base
