// A text of the search index with all that is known of it: a row of `message`, and the stream that
// it refers to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventlog/base/hash.hpp"
#include "eventlog/base/ids.hpp"

namespace projections {

struct SearchMessage {
  base::Position position;
  std::string stream;
  std::int64_t version = 0;
  std::int64_t time = 0;
  std::int64_t speaker = 0;
  std::string tool;
  std::string_view text;  // of whoever makes or reads the row

  // Covers all of them, so that no row is taken for another.
  std::int64_t checksum() const {
    std::string all;
    for (const std::int64_t number : {position.value, version, time, speaker}) {
      all += std::to_string(number) + " ";
    }
    for (const std::string& name : {stream, tool}) {
      all += std::to_string(name.size()) + " " + name;
    }
    return static_cast<std::int64_t>(base::xxh3(all.append(text)));
  }
};

}  // namespace projections
