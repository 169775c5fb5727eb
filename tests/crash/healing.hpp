// Waiting until everything works again after the server, its worker or keepers were killed.
#pragma once

#include "tests/crash/load.hpp"
#include "tests/crash/log_watch.hpp"
#include "tests/crash/steno_server.hpp"

namespace crash {

// The longest time that an agent's process may be without an owner.
constexpr Duration kOwnerlessMax = std::chrono::seconds(2);
constexpr Duration kHealMax = std::chrono::seconds(20);
// The limit for anything else that a test waits for.
constexpr Duration kStepMax = std::chrono::seconds(20);

// Returns once the living worker, and no other, is registered with the running server.
Result<bool> wait_for_worker(StenoServer& server, Load& load);

// Returns once every agent process has an owner, with the time that this took since `since` (boot
// time). Error: it took more than kOwnerlessMax; the text names the processes.
Result<Duration> wait_for_owners(StenoServer& server, Load& load, LogWatch& log, Duration since);

// Returns once every session has ended and nothing runs for it.
Result<bool> wait_for_quiet(Load& load, LogWatch& log, Duration limit);

}  // namespace crash
