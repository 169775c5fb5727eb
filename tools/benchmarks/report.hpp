// The results of a run, as a table for people and as JSON for programs.
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

// Returns {"commit": …, "figures": {NAME: number, …}, "absent": [peer, …]}. Rows that failed, or
// whose figure does not count, are left out.
std::string json_text(const std::vector<Measured>& measured, const std::set<std::string>& absent,
                      const std::string& commit);

}  // namespace benchmarks
