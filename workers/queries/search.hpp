// The query for what was said in all sessions.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kSearchQuery;

}  // namespace workers
