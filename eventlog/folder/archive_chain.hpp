// Reads several logs as one, each of which ends where the next one begins: archives, and the log
// that they were made of.
#pragma once

#include <memory>
#include <vector>

#include "eventlog/store/block_store.hpp"

namespace eventlog {

// Chains the parts, which can come in any order; a part that adds nothing to a later one is left
// out. At each seam, checks that a part's first block names the hash of the block before it. Every
// call that would change a part fails with `refused`. Errors: not_found, naming the events that no
// part holds; wrong_log when two parts do not belong together; the stores'.
Result<std::unique_ptr<BlockStore>> chain_stores(std::vector<std::unique_ptr<BlockStore>> parts);

// Checks that the first block of `after` follows the last one of `before`. Errors: wrong_log; the
// stores'.
Result<void> check_seam(BlockStore& before, BlockStore& after);

}  // namespace eventlog
