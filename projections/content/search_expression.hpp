// A query in the language of FTS5, in which each word and phrase is quoted. Pure.
#pragma once

#include <string>
#include <vector>

#include "projections/content/search_query.hpp"

namespace projections {

std::string expression_of(const std::vector<SearchGroup>& groups);

// Returns "(a, b)" for the parts a and b by ", ".
std::string joined(const std::vector<std::string>& parts, std::string_view by);

}  // namespace projections
