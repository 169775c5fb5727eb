// Where the log begins, and what lies before it.
#pragma once

#include <string>

#include "tools/steno/connection/connection.hpp"
#include "workers/protocol/copies.hpp"

namespace steno {

// Returns the archive of the beginning that the log does not hold any more; `through` 0: it holds
// all.
Outcome<workers::ArchiveRow> archived_beginning(Connection& connection);

// Returns "the log begins at position 12; what was before is in the archive NAME in FOLDER".
std::string beginning_text(const workers::ArchiveRow& archive);

}  // namespace steno
