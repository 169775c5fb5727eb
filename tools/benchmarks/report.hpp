// What was measured, for people and for programs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/benchmarks/row.hpp"

namespace benchmarks {

struct Measured {
  Row row;
  base::Result<Figure> figure;
};

std::string table_text(const std::vector<Measured>& measured, const std::set<std::string>& absent);

// {"commit": …, "figures": {NAME: number, …}, "absent": [peer, …]}: rows that could not be
// measured, or whose figure does not count, are not there.
std::string json_text(const std::vector<Measured>& measured, const std::set<std::string>& absent,
                      const std::string& commit);

}  // namespace benchmarks
