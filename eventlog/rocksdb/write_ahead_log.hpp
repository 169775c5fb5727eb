// Parses RocksDB's write-ahead log far enough to tell how it ends. RocksDB itself silently drops a
// torn record and everything behind it.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace eventlog {

// True if the bytes end inside a record or hold a damaged one.
bool is_torn(base::ByteView write_ahead_log);

// Returns the whole records, in order.
std::vector<base::Bytes> whole_records(base::ByteView write_ahead_log);
// Returns the whole records and those with a wrong checksum, in order.
std::vector<base::Bytes> all_records(base::ByteView write_ahead_log);

// Returns the payload of all records joined, including damaged and cut ones. The caller must prove
// by its own means what it finds there.
base::Bytes salvaged_payload(base::ByteView write_ahead_log);

// True if the newest file of the folder's write-ahead log is torn. An older file can be torn: a
// server was killed during a write, and the next one went on in a new file. Errors: io, refused
// when the folder or the file cannot be read, which proves nothing about its end.
base::Result<bool> has_torn_write_ahead_log(const std::string& folder);

}  // namespace eventlog
