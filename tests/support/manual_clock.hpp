// A clock that shows the time set by the test.
#pragma once

#include "eventlog/base/time.hpp"

namespace support {

struct ManualClock final : base::Clock {
  base::Duration boot() override { return now; }
  base::Time wall() override { return {now.count()}; }

  base::Duration now = std::chrono::seconds(1);
};

}  // namespace support
