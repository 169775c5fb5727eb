// Query `conversations`: one conversation by its key, or those that changed last.
#pragma once

#include "workers/queries/query.hpp"

namespace workers {

extern const QueryKind kConversationsQuery;

}  // namespace workers
