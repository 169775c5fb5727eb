// The query `stats`: counts and costs.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kStatsQuery;

}  // namespace workers
