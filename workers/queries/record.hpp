// The query "record": all events of one session, with their whole texts, for whoever writes them
// elsewhere.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kRecordQuery;

}  // namespace workers
