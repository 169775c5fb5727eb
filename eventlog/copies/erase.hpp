// Takes the content of single events out of a log. Facts, and with them the chain, stay as they
// are. What was taken out is in the store's files until BlockStore::scrub has been there.
#pragma once

#include <string>

#include "eventlog/domain/version_ranges.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

// Removes the content of these events of the stream, as far as the index has come, and adds to the
// scope where it lay. Done again, also after a part of it, it has the same outcome. Errors: the
// stores'; damaged when a content block cannot be read.
Result<bool> erase_content(BlockStore& store, StreamIndex& index, const std::string& stream,
                           const domain::VersionRanges& events, ScrubScope& scope);

// What the keys of all chunks of one content begin with.
Bytes chunk_prefix(const std::string& stream, const Hash& digest);

}  // namespace eventlog
