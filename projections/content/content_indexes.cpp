// A further content index is a line here.
#include "projections/content/content_indexes.hpp"

#include "projections/content/search_index.hpp"

namespace projections {

std::vector<const ContentIndexKind*> all_content_indexes() {
  return {&kSearchIndex};
}

}  // namespace projections
