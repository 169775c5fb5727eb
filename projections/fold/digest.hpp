// One hash over all rows of a projection. Equal digests prove that a live projection and a rebuilt
// one hold the same rows.
#pragma once

#include "eventlog/base/hash.hpp"
#include "projections/fold/rows.hpp"

namespace projections {

// Returns the BLAKE2b-256 over key and value of each row in the order of keys; the checkpoint is
// not a row. `rows` must be a snapshot, or a store whose rows of this projection nobody writes
// meanwhile. Error: that of `rows`.
Result<base::Hash> digest(eventlog::ReadableRows& rows, std::string_view projection);

}  // namespace projections
