// The query `show`: one session.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kShowQuery;

}  // namespace workers
