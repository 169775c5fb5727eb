// The query `read`: a page of a level of the log.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kReadLogQuery;

}  // namespace workers
