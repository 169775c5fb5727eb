// Takes the content of single events out of a log. Facts, and with them the chain, stay as they
// are. The removed content is still in the store's files until BlockStore::scrub has returned.
#pragma once

#include <string>

#include "eventlog/domain/version_ranges.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

// Removes the content of these events of the stream, as far as the index has come, and adds its
// place to the scope. Idempotent, also after a partial run. Errors: the stores'; damaged when a
// content block cannot be read.
Result<void> erase_content(BlockStore& store, StreamIndex& index, const std::string& stream,
                           const domain::VersionRanges& events, ScrubScope& scope);

// Returns the prefix of the keys of all chunks of one content.
Bytes chunk_prefix(const std::string& stream, const Hash& digest);

}  // namespace eventlog
