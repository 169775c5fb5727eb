// The list of all kinds of queries.
#pragma once

#include <span>

#include "workers/queries/query.hpp"

namespace workers {

std::span<const QueryKind* const> query_kinds();
// Returns null if there is no such verb.
const QueryKind* find_query(std::string_view verb);

}  // namespace workers
