// The query for what agents ask of people.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kAsksQuery;

}  // namespace workers
