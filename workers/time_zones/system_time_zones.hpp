// The time zones of this machine, as the IANA database on its disk has them.
#pragma once

#include "eventlog/domain/time_zones.hpp"

namespace workers {

// Can be used by any thread. A zone that the database has not is unknown; without a database all
// are, but for UTC.
class SystemTimeZones final : public domain::TimeZones {
 public:
  bool has(const std::string& zone) const override;
  std::chrono::minutes local(const std::string& zone, base::Time at) const override;
  domain::ShownAt moments(const std::string& zone, std::chrono::minutes local) const override;
};

}  // namespace workers
