// How many files the server may have open, and who gets how many of them.
#pragma once

#include <cstdint>

#include "eventlog/base/result.hpp"

namespace steno {

struct OpenFiles {
  std::int64_t limit = 0;  // of the process: as many as its hard limit allows
  // Peers are given descriptors below this one: half of all. The rest are for the log's own files.
  std::int64_t peers_below = 0;
};

// The least limit that a server starts with: its own files, and some peers.
constexpr std::int64_t kOpenFilesMin = 128;

// What follows from the hard limit. Error refused: too few.
base::Result<OpenFiles> share_open_files(std::int64_t hard);

// Raises this process's soft limit to its hard one. Errors: as above; io.
base::Result<OpenFiles> claim_open_files();

// How many this process may have open now.
std::int64_t soft_open_files();

// The soft limit for this process and those that it starts; one above the hard limit is that one.
void set_open_files(std::int64_t soft);

}  // namespace steno
