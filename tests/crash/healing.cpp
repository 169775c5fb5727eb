// Each wait asks the server or the log again and again, and names what is missing when its time is
// over.
#include "tests/crash/healing.hpp"

#include <algorithm>

#include "tests/crash/agent_owners.hpp"

namespace crash {

Result<bool> wait_for_worker(StenoServer& server, Load& load) {
  const auto is_reached = [&]() -> Result<bool> {
    const auto status =
        load.query<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{}, kHealMax);
    if (!status) return tl::unexpected(status.error());
    const auto worker = server.worker();
    return worker && status->worker_pids == std::vector<std::int64_t>{worker->pid};
  };
  return load.wait_until("the living worker to be registered, and no other", kHealMax, is_reached);
}

Result<Duration> wait_for_owners(StenoServer& server, Load& load, LogWatch& log, Duration since) {
  base::SystemClock clock;
  std::string text;
  const auto is_reached = [&]() -> Result<bool> {
    const auto worker = server.worker();
    // The processes are listed first, so that the log read after them has their leases.
    const auto marked = marked_processes(server.lock_folder());
    if (auto ok = log.catch_up(load); !ok) return tl::unexpected(ok.error());
    text = describe_unowned(marked, worker ? worker->pid : 0, log.sessions());
    return text.empty();
  };
  const auto owned = load.wait_until("an owner of each agent process",
                                     since + kOwnerlessMax - clock.boot(), is_reached);
  if (owned) return clock.boot() - since;
  base::Error error = owned.error();
  error.text += ":\n" + text;
  return tl::unexpected(std::move(error));
}

Result<bool> wait_for_quiet(Load& load, LogWatch& log, Duration limit) {
  return load.wait_until("the end of every session", limit, [&]() -> Result<bool> {
    if (auto ok = log.catch_up(load); !ok) return tl::unexpected(ok.error());
    return std::all_of(log.sessions().begin(), log.sessions().end(), [](const auto& entry) {
      const domain::SessionState& s = entry.second;
      return domain::is_terminal(s.status) && !s.lease && !s.turn && s.queue.empty();
    });
  });
}

}  // namespace crash
