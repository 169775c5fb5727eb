// The key with which a server signs anchors. It is in a file of its own in the data folder, and no
// copy of the log includes it.
#pragma once

#include <string>

#include "eventlog/base/signing.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// Reads the key. If there is none, makes one, with mode 0600 and durable on return. Errors: refused
// when the file is open to others or cannot be read; damaged when it is no key; io.
Result<base::SigningKey> open_signing_key(const std::string& path, base::Random& random,
                                          Disk& disk = system_disk());

}  // namespace eventlog
