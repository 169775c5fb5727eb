// The query for the sessions that need a person.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kAttentionQuery;

}  // namespace workers
