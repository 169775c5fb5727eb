// Divides the files that the server can have open between its peers and its log.
#pragma once

#include <cstdint>

#include "eventlog/base/result.hpp"

namespace steno {

struct OpenFiles {
  std::int64_t limit = 0;  // of the process: its hard limit
  // Peers get descriptors below this one: half of all. The rest are for the log's own files.
  std::int64_t peers_below = 0;
};

// The least limit that a server starts with: enough for its own files and some peers.
constexpr std::int64_t kOpenFilesMin = 128;

// Returns the shares under that hard limit. Error refused: it is too low.
base::Result<OpenFiles> share_open_files(std::int64_t hard);

// Raises this process's soft limit to its hard one. Errors: as above; io.
base::Result<OpenFiles> claim_open_files();

// Returns this process's soft limit; 0 if it cannot be read.
std::int64_t soft_open_files();
// Returns how many agents can live at once below a worker with that soft limit.
std::int64_t agents_within(std::int64_t soft);

// Sets the soft limit of this process and of those that it starts, at most to the hard limit. Best
// effort.
void set_open_files(std::int64_t soft);

}  // namespace steno
