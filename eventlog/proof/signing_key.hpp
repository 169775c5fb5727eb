// The key that a server signs anchors with: in a file of its own in the data folder, which no copy
// of the log takes along.
#pragma once

#include <string>

#include "eventlog/base/signing.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// Reads the key; makes one where there is none, 0600 and durable when this returns. Errors: refused
// when the file is open to others or may not be read; damaged when it is no key; io.
Result<base::SigningKey> open_signing_key(const std::string& path, base::Random& random,
                                          Disk& disk = system_disk());

}  // namespace eventlog
