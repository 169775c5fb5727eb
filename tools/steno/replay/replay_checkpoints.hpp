// Checkpoints outside the log that tell how far it has come: one that was noted down, and those of
// the derived rows. Only they reveal a log that was put back as a whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/proof/verify.hpp"

namespace steno {

// Returns one word to note down and give back: "<log>/<epoch>-<random>/<position>/<hash>".
std::string checkpoint_text(const eventlog::Checkpoint& checkpoint);
// Returns nothing if the text is not a checkpoint.
std::optional<eventlog::Checkpoint> parse_checkpoint(const std::string& text);

// Returns the checkpoints of the stream index and of the projections' rows in a data folder, as far
// as they can be read. Call it before opening the log, since a server can go on writing it.
std::vector<eventlog::Witness> read_witnesses(const std::string& folder);

}  // namespace steno
