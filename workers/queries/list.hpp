// The query `list`: a page of sessions.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kListQuery;

}  // namespace workers
