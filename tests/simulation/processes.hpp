// The processes of a simulated world: each object is one life, and destroying it is its death.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>

#include "bus/memory_bus.hpp"
#include "tests/simulation/sim_agent.hpp"
#include "tests/simulation/sim_disk.hpp"
#include "workers/runner/worker_link.hpp"
#include "workers/server/server_assembly.hpp"

namespace simulation {

constexpr std::size_t kWorkers = 2;

// Makes what delivers a server's notifications.
using MakeNotifier = std::function<std::unique_ptr<workers::Notifier>(const workers::SideStores&)>;

// The settings of a world's processes.
struct WorldSettings {
  domain::Limits limits;
  const domain::TimeZones* zones = nullptr;  // must outlive the world
  workers::KeepFor keep_for;
  workers::LeaseDispatcherOptions leases;
  workers::WorkerLinkOptions link;
  workers::AgentRunnerOptions runner;
  MakeNotifier make_notifier;  // empty: one that fails at random
};

// Short time limits, so that every limit is reached often; in one world of eight also the budget of
// a day.
WorldSettings hasty_settings(std::uint64_t seed);

// State that all processes of a world share; it outlives them.
struct Surroundings {
  explicit Surroundings(const Schedule& schedule)
      : Surroundings(schedule, hasty_settings(schedule.seed)) {}
  Surroundings(const Schedule& schedule, WorldSettings settings);

  const WorldSettings settings;
  VirtualTime time;
  Counts counts;
  base::SeededRandom disk_random;
  base::SeededRandom id_random;  // for the ids that every process makes
  base::SeededRandom bus_random;
  base::SeededRandom agent_random;
  base::SeededRandom lock_random;
  base::SeededRandom sink_random;
  SimDisk disk{time, counts};
  bus::MemoryBus bus{bus_random};
  SimAgents agents{time, agent_random, counts};
  std::set<base::Position> notified;   // notifications that reached a sink
  std::set<base::Position> delivered;  // those that are recorded as delivered
  std::string sink_fault;              // what no sink may be asked to do; empty: none was
  std::size_t queue_max;
  std::size_t streams_max;
  std::size_t inbox_max;
  bool do_locks_lie;
  bool has_hooks;
  std::map<std::string, std::int64_t> shares;  // see Schedule
  std::int64_t page_events_max;                // per page of a subscriber; 0: the server's choice
  std::vector<bool> is_worker_alive = std::vector<bool>(kWorkers, false);
  eventlog::LogTail birth;  // log id and epoch of the empty log

  eventlog::LogTail tail();
};

// Locks as on one machine. While `do_locks_lie`, locks as across machines: a held lock sometimes
// seems free, and nobody knows whether a worker has ended. The token protects against that.
class SimLocks final : public workers::LeaseLocks {
 public:
  explicit SimLocks(Surroundings& around) : around_(around) {}
  bool is_worker_alive() override;
  bool has_worker_ended(std::int64_t pid) override;
  bool is_only_worker(std::int64_t pid) override;
  bool is_session_held(base::SessionId session) override;

 private:
  Surroundings& around_;
};

// Loads as a thread of its own would: at any later moment.
class SimLoader final : public eventlog::StreamLoader {
 public:
  SimLoader(eventlog::BlockStore& log, workers::DerivedStores& derived, base::Random& random)
      : loader_(log, derived.index, derived.snapshots), random_(random) {}
  void request(const std::string& stream) override {
    ++open_;
    loader_.request(stream);
  }
  void save(const std::string& stream, eventlog::LoadedStream loaded) override {
    ++open_;
    loader_.save(stream, std::move(loaded));
  }
  std::optional<eventlog::LoadOutcome> poll() override;
  std::optional<eventlog::SaveOutcome> poll_saved() override;
  bool is_busy() const { return open_ > 0; }

 private:
  eventlog::InlineLoader loader_;
  base::Random& random_;
  int open_ = 0;
};

// Answers queries in order, at any later moment.
class SimQueryPort final : public workers::QueryPort {
 public:
  SimQueryPort(workers::QueryService& service, base::Random& random)
      : service_(service), random_(random) {}
  void submit(workers::Query query) override { asked_.push_back(std::move(query)); }
  std::optional<workers::QueryAnswer> poll() override;
  bool is_busy() const { return !asked_.empty(); }

 private:
  workers::QueryService& service_;
  base::Random& random_;
  std::deque<workers::Query> asked_;
};

// Does its work as a thread of its own would: at any later moment.
class SimLane final : public workers::Lane {
 public:
  explicit SimLane(base::Random& random) : random_(random) {}
  void submit(std::function<void()> work) override { waiting_.push_back(std::move(work)); }
  bool poll() override;

 private:
  base::Random& random_;
  std::deque<std::function<void()>> waiting_;
};

// Takes its time for a job, and again before it reports. In a world without erasures no job is ever
// done.
class SimErasures final : public workers::UpkeepPort {
 public:
  SimErasures(Surroundings& around, workers::UpkeepJobs work);
  void submit(const workers::UpkeepJob& job) override;
  std::optional<workers::UpkeepOutcome> poll() override;
  // The server dies: none, a part or all of the current job is done, and nobody is told.
  void kill();

 private:
  SimDisk& disk_;
  const VirtualTime& time_;
  base::Random& random_;
  const bool is_enabled_;
  workers::UpkeepJobs work_;
  std::optional<workers::UpkeepJob> job_;
  std::optional<workers::UpkeepOutcome> outcome_;  // not reported yet
  Duration due_{0};                                // end of the work, then moment of the report
};

// Takes its time for a delivery, and then reports what the world's sinks said.
class SimNotifier final : public workers::Notifier {
 public:
  explicit SimNotifier(Surroundings& around) : around_(around) {}
  void submit(workers::DeliveryJob job) override;
  std::optional<workers::DeliveryOutcome> poll() override;
  void submit_show(workers::ShowJob job) override { shows_.push_back(std::move(job)); }
  std::optional<workers::ShowOutcome> poll_shown() override;
  bool is_busy() const { return !jobs_.empty() || !shows_.empty(); }

 private:
  Surroundings& around_;
  std::deque<workers::DeliveryJob> jobs_;
  std::deque<workers::ShowJob> shows_;
};

// Works beside the server's loop at times that the simulator chooses. The assembly owns the ports
// that it makes.
class SimSideWork final : public workers::ServerSideWork {
 public:
  explicit SimSideWork(Surroundings& around) : around_(around) {}

  std::unique_ptr<eventlog::Committer> make_committer(const workers::ServerStores&) override;
  std::unique_ptr<eventlog::StreamLoader> make_loader(const workers::ServerStores& stores,
                                                      workers::DerivedStores& derived) override;
  std::unique_ptr<workers::Lane> make_lane(const char* name) override;
  std::unique_ptr<workers::ContentLoader> make_content_loader(
      const workers::SideStores& stores) override;
  std::unique_ptr<workers::QueryPort> make_query_port(workers::QueryService& service) override;
  std::unique_ptr<workers::UpkeepPort> make_upkeep_port(workers::UpkeepJobs jobs) override;
  std::unique_ptr<workers::Notifier> make_notifier(const workers::SideStores& stores) override;

  SimCommitter* committer = nullptr;
  SimLoader* loader = nullptr;
  SimQueryPort* queries = nullptr;
  SimErasures* erasures = nullptr;
  SimNotifier* notifier = nullptr;  // null: the settings make another one

 private:
  Surroundings& around_;
};

class ServerLife {
 public:
  // Errors as when `steno serve` opens its data folder.
  static base::Result<std::unique_ptr<ServerLife>> open(Surroundings& around, ProcessClock& clock);

  workers::Server& server() { return assembly_.server(); }
  // Kills the server; a block in flight can reach the disk or not.
  void kill() {
    side_work_.committer->kill();
    side_work_.erasures->kill();
  }
  bool is_syncing() const { return !side_work_.committer->is_idle(); }
  // Returns true while a thread beside the loop has work.
  bool is_busy() const {
    return side_work_.loader->is_busy() || side_work_.queries->is_busy() ||
           (side_work_.notifier != nullptr && side_work_.notifier->is_busy());
  }
  // Returns the world time at which the loop must run even if nothing arrives.
  Duration due(const ProcessClock& clock) const;

  ServerLife(Surroundings& around, ProcessClock& clock, const eventlog::LogTail& tail,
             std::unique_ptr<workers::DerivedStores> derived);

 private:
  SimLocks locks_;
  std::unique_ptr<bus::ServerSocket> command_socket_;
  std::unique_ptr<bus::ServerSocket> worker_socket_;
  std::unique_ptr<bus::PublisherSocket> feed_socket_;
  SimSideWork side_work_;
  workers::ServerAssembly assembly_;
};

struct WorkerLife {
  WorkerLife(Surroundings& around, ProcessClock& clock, std::size_t number);

  const base::WorkerId id;
  SimLauncher launcher;
  workers::AgentRunner worker;
  std::unique_ptr<bus::ClientSocket> socket;
  workers::WorkerLink link;
};

// Returns the name of a worker's connection, such as "worker-0", for partitions.
std::string worker_name(std::size_t number);

}  // namespace simulation
