// The list of all content indexes.
#pragma once

#include <vector>

#include "projections/content/content_index.hpp"

namespace projections {

std::vector<const ContentIndexKind*> all_content_indexes();

}  // namespace projections
