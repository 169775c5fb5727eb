// Several logs, each of which ends where the next one begins, as one to be read: archives, and the
// log that they were made of.
#pragma once

#include <memory>
#include <vector>

#include "eventlog/store/block_store.hpp"

namespace eventlog {

// Parts in any order; those that hold nothing that a later one does not hold too are left out. Of
// the seams it is proved that each part's first block names the hash of the one before. Whatever
// would change something is refused. Errors: not_found, naming the events that are in none of them;
// wrong_log when two parts do not belong together; the stores'.
Result<std::unique_ptr<BlockStore>> chain_stores(std::vector<std::unique_ptr<BlockStore>> parts);

}  // namespace eventlog
