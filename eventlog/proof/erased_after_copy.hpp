// What was erased from a copy of a log after the copy was made. The copy's own log ends before the
// ContentErased that would say so; therefore a file beside it does, and a log that is restored from
// the copy says it with events again.
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

// The file, as one msgpack map.
struct LaterErasures {
  std::vector<LaterErasure> erasures;  // one a stream

  bool operator==(const LaterErasures&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("erasures", &LaterErasures::erasures);
  }
};

// No file: nothing was erased. Errors: io; damaged when it cannot be read as such.
Result<LaterErasures> read_later_erasures(const std::string& path);

// Adds to what the file says; durable when it returns.
Result<bool> add_later_erasures(const std::string& path, const std::vector<LaterErasure>& more,
                                Disk& disk = system_disk());

// What a log that is made of the copy has to put on its record: of each stream the events that it
// has, which is up to the version given, and which its record does not name as erased yet.
LaterErasures unrecorded(const LaterErasures& later,
                         const std::map<std::string, base::StreamVersion>& versions,
                         const std::map<std::string, domain::VersionRanges>& recorded);

}  // namespace eventlog
