// The bytes of RocksDB's write-ahead log, as verify and salvage read them.
#include "eventlog/rocksdb/write_ahead_log.hpp"

#include "tests/fuzz/fuzz.hpp"

// The whole input is the log.
void fuzz::run(ByteView in) {
  const Bytes payload = eventlog::salvaged_payload(in);
  require(payload.size() <= in.size(), "what is salvaged was there");
  Bytes joined;
  for (const Bytes& record : eventlog::whole_records(in)) joined += record;
  require(joined.size() <= payload.size(), "whole records are part of it");
  require(eventlog::all_records(in).size() >= eventlog::whole_records(in).size(),
          "damaged records come on top");
  if (!eventlog::is_torn(in)) require(joined == payload, "what is not torn is records, all of it");
}
