// Lease locks that are held, until the test says otherwise.
#pragma once

#include "workers/reactors/lease_dispatcher.hpp"

namespace support {

struct ToldLeaseLocks final : workers::LeaseLocks {
  bool is_worker_alive() override { return is_worker_held; }
  bool has_worker_ended(std::int64_t) override { return !is_worker_held; }
  bool is_only_worker(std::int64_t) override { return is_only; }
  bool is_session_held(base::SessionId) override { return is_held; }

  bool is_worker_held = true;
  bool is_only = true;
  bool is_held = true;
};

}  // namespace support
