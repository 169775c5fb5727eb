// Who, beside the log itself, knows how far it has come: a checkpoint that was noted down, and the
// rows that are derived from the log. A log that was put back as a whole is found by these alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/proof/verify.hpp"

namespace steno {

// "<log>/<epoch>-<random>/<position>/<hash>": one word, to be noted down and given back.
std::string checkpoint_text(const eventlog::Checkpoint& checkpoint);
// None: the text is no checkpoint.
std::optional<eventlog::Checkpoint> parse_checkpoint(const std::string& text);

// The checkpoints of the stream index and of the projections' rows in a data folder, as far as they
// can be read. To be called before the log is opened, which a server may go on writing.
std::vector<eventlog::Witness> read_witnesses(const std::string& folder);

}  // namespace steno
