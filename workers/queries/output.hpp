// The query `output`: what a session's agent said and did.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kOutputQuery;

}  // namespace workers
