// One number for all rows of a projection: equal digests prove that a live projection and one that
// was rebuilt hold the same rows.
#pragma once

#include "eventlog/base/hash.hpp"
#include "projections/rows.hpp"

namespace projections {

// BLAKE2b-256 over key and value of each row in the order of keys; the checkpoint is not a row.
// Nobody may write the projection's rows meanwhile. Error: the store's.
Result<base::Hash> digest(eventlog::KeyValueStore& store, std::string_view projection);

}  // namespace projections
