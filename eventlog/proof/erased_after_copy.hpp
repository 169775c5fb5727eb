// The erasures that reached a copy of a log after it was made. The copy's own log ends before the
// ContentErased events that would record them, so a file beside it does. A log that is restored
// from the copy records them again as events.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eventlog/domain/version_ranges.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

struct LaterErasure {
  std::string stream;
  domain::VersionRanges events;

  bool operator==(const LaterErasure&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("stream", &LaterErasure::stream);
    visit("events", &LaterErasure::events);
  }
};

// The content of the file, as one msgpack map.
struct LaterErasures {
  std::vector<LaterErasure> erasures;  // one for each stream

  bool operator==(const LaterErasures&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("erasures", &LaterErasures::erasures);
  }
};

// Reads the file; no file means that nothing was erased. Errors: io; damaged when it cannot be
// decoded.
Result<LaterErasures> read_later_erasures(const std::string& path);

// Merges more erasures into the file; durable on return.
Result<void> add_later_erasures(const std::string& path, const std::vector<LaterErasure>& more,
                                Disk& disk = system_disk());

// Erasures that a log made of the copy must still record: per stream, events up to `versions` that
// `recorded` does not already list. A stream that holds nothing erasable is left out.
LaterErasures unrecorded(const LaterErasures& later,
                         const std::map<std::string, base::StreamVersion>& versions,
                         const std::map<std::string, domain::VersionRanges>& recorded);

}  // namespace eventlog
