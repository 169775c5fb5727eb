// A whole Steno in one thread on a virtual clock: server, two workers, clients and a subscriber,
// over a bus and a disk that fail as one seed decides. The same seed gives the same run everywhere.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bus/client.hpp"
#include "bus/memory_bus.hpp"
#include "bus/subscription.hpp"
#include "eventlog/memory_store.hpp"
#include "tests/simulation/sim_agent.hpp"
#include "workers/server.hpp"
#include "workers/worker_link.hpp"

namespace simulation {

struct Scenario {
  std::uint64_t seed = 1;
  int clients = 3;
  int commands_each = 12;
  bool has_faults = true;  // crashes, lost messages, partitions
};

// How often what happened: a run that reaches nothing proves nothing.
struct Counts {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  std::int64_t repeated = 0;  // answered from the record
  std::int64_t server_crashes = 0;
  std::int64_t blocks_torn_away = 0;  // on their way to the disk when the server died, and lost
  std::int64_t worker_crashes = 0;
  std::int64_t partitions = 0;
  std::int64_t leases_granted = 0;
  std::int64_t leases_expired = 0;
  std::int64_t turns_finished = 0;
  std::int64_t events = 0;
  std::int64_t messages_lost = 0;
  std::int64_t steps = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("accepted", self.accepted);
    visit("rejected", self.rejected);
    visit("repeated", self.repeated);
    visit("server_crashes", self.server_crashes);
    visit("blocks_torn_away", self.blocks_torn_away);
    visit("worker_crashes", self.worker_crashes);
    visit("partitions", self.partitions);
    visit("leases_granted", self.leases_granted);
    visit("leases_expired", self.leases_expired);
    visit("turns_finished", self.turns_finished);
    visit("events", self.events);
    visit("messages_lost", self.messages_lost);
    visit("steps", self.steps);
  }
};

void add(Counts& sum, const Counts& counts);
// "accepted 12, rejected 3, …"
std::string describe(const Counts& counts);

struct Outcome {
  std::string violation;  // empty: every check held
  std::string trace;      // of a violation: the end of the log
  Counts counts;
};

Outcome run(const Scenario& scenario);

}  // namespace simulation
