// How tools write a file anew that they must not lose: under another name, synced, renamed over the
// old one, and the folder synced.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"

namespace benchmarks {

// Durable when it returns. Error io: the old file may still be there.
base::Result<void> replace_file(const std::string& folder, const std::string& name,
                                const std::string& text);

}  // namespace benchmarks
