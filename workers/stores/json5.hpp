// Reads JSON5 (json5.org, 1.0.0) as JSON. A text that is cut off or damaged is read as far as it
// goes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace workers {

// The members of an object, in their order.
struct Json5Members {
  std::vector<std::pair<std::string, std::string>> members;  // name, and value as JSON
  std::string fault;           // why it was read no further; empty: all of it was read
  std::size_t line = 0;        // of the fault, from 1
  std::size_t read_bytes = 0;  // up to the end of the last member
};

// Reads a text that is one object. Infinity and NaN, which JSON does not have, become null.
Json5Members read_json5_object(std::string_view text);

}  // namespace workers
