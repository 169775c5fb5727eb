// Port: what the clocks of a place show. Times are what the clock shows; local times are whole
// minutes since 1970-01-01 00:00 as the local clock shows them.
#pragma once

#include <optional>
#include <string>

#include "eventlog/base/time.hpp"

namespace domain {

// The moments at which a local clock shows a minute.
struct ShownAt {
  base::Time first;  // if it is skipped: the moment at which the clock jumped over it
  std::optional<base::Time> second;  // the clock was set back, and shows it again
  bool is_skipped = false;
};

class TimeZones {
 public:
  virtual ~TimeZones() = default;
  // True if `zone` is known, as "Europe/Berlin" is. The other functions take known zones only.
  virtual bool has(const std::string& zone) const = 0;
  virtual std::chrono::minutes local(const std::string& zone, base::Time at) const = 0;
  virtual ShownAt moments(const std::string& zone, std::chrono::minutes local) const = 0;
};

}  // namespace domain
