// The bytes of RocksDB's write-ahead log, as far as needed to say how it ends: RocksDB itself
// leaves out a record that is not whole, and all behind it, without a word.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace eventlog {

// Do the bytes end inside a record, or hold one that is damaged?
bool is_torn(base::ByteView write_ahead_log);

// The records that are whole, in order.
std::vector<base::Bytes> whole_records(base::ByteView write_ahead_log);
// Also those of which a checksum is wrong.
std::vector<base::Bytes> all_records(base::ByteView write_ahead_log);

// What the records hold, one behind the other, also of those that are damaged or cut short: for
// whoever knows what he looks for by its own proof.
base::Bytes salvaged_payload(base::ByteView write_ahead_log);

// Is the newest file of the folder's write-ahead log torn? An older one may be: a server was killed
// in the midst of a write, and the next one has gone on in a file of its own. Errors: io, refused
// when folder or file cannot be read, which proves nothing about its end.
base::Result<bool> has_torn_write_ahead_log(const std::string& folder);

}  // namespace eventlog
