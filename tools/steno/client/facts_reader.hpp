// Reads the facts of one level of the log, without texts, and finds times in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bus/log_reader.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

class FactsReader {
 public:
  // `connection` outlives the reader.
  FactsReader(Connection& connection, std::string level);

  // Returns a page of what is behind the position. `events_max` 0: as many as the server likes.
  Outcome<bus::LogPage> read(base::Position after, std::int64_t events_max = 0);

  // Returns the first position, from `low` on, behind which all events are of that time or later.
  // It takes as many steps as the logarithm of the log's length.
  Outcome<base::Position> find_time(base::Position low, base::Time time);

 private:
  Outcome<std::optional<base::Time>> time_behind(base::Position after);

  Connection& connection_;
  const std::string level_;
};

}  // namespace steno
