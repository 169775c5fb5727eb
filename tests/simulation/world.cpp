#include "tests/simulation/world.hpp"

#include <algorithm>

#include "tests/simulation/checkers.hpp"

namespace simulation {
namespace {

using base::Duration;
using base::SessionId;

constexpr Duration kTurmoil = std::chrono::seconds(20);   // of virtual time, with faults
constexpr Duration kHealing = std::chrono::seconds(120);  // at most, without
constexpr Duration kTreeDeathMax = std::chrono::milliseconds(2000);

// Workers are given up soon, so that many a lease is taken from one who still believes in it.
constexpr workers::LeaseDispatcherOptions kLeases{std::chrono::milliseconds(100),
                                                  std::chrono::milliseconds(1500)};

class VirtualClock final : public base::Clock {
 public:
  Duration boot() override { return now; }
  base::Time wall() override { return {1'700'000'000'000'000 + now.count() + skew.count()}; }

  Duration now{std::chrono::hours(1)};
  Duration skew{0};
};

// The disk takes its time; what is on its way when the server dies may or may not have arrived.
class SimCommitter final : public eventlog::Committer {
 public:
  SimCommitter(eventlog::BlockStore& store, VirtualClock& clock, base::Random& random)
      : store_(store), clock_(clock), random_(random) {}

  bool is_idle() const override { return !block_; }
  void submit(eventlog::SealedBlock block) override {
    block_ = std::move(block);
    due_ = clock_.now + Duration{200 + random_.below(20'000)};
  }
  std::optional<eventlog::CommitOutcome> poll() override {
    if (!block_ || clock_.now < due_) return std::nullopt;
    auto outcome = eventlog::commit(store_, nullptr, *block_);
    eventlog::CommitOutcome done{std::move(outcome), std::move(*block_)};
    block_.reset();
    return done;
  }
  // The process dies. True when a block was lost.
  bool crash() {
    if (!block_) return false;
    if (random_.chance(50)) {
      eventlog::commit(store_, nullptr, *block_);
      return false;
    }
    return true;
  }

 private:
  eventlog::BlockStore& store_;
  VirtualClock& clock_;
  base::Random& random_;
  std::optional<eventlog::SealedBlock> block_;
  Duration due_{0};
};

struct World;

class SimLocks final : public workers::LeaseLocks {
 public:
  explicit SimLocks(World& world) : world_(world) {}
  bool is_worker_alive() override;
  bool has_worker_ended(std::int64_t pid) override;
  bool is_session_held(SessionId session) override;

 private:
  World& world_;
};

// One life of the server process.
struct ServerLife {
  explicit ServerLife(World& world);

  SimLocks locks;
  eventlog::StreamIndex index;
  eventlog::SnapshotStore snapshots;
  SimCommitter committer;
  eventlog::InlineLoader loader;
  workers::InlineContentLoader contents;
  workers::QueryService service;
  workers::InlineQueryPort queries;
  std::unique_ptr<bus::ServerSocket> command_socket;
  std::unique_ptr<bus::ServerSocket> worker_socket;
  std::unique_ptr<bus::PublisherSocket> feed_socket;
  workers::Server server;
};

// One life of a worker process.
struct WorkerLife {
  WorkerLife(World& world, int number);

  SimLauncher launcher;
  workers::EngineWorker worker;
  std::unique_ptr<bus::ClientSocket> socket;
  workers::WorkerLink link;
};

struct KnownSession {
  SessionId session;
  base::TurnId turn;  // the last one that was asked for
};

// Sends one command after the other and keeps what it was told.
struct ClientActor {
  ClientActor(World& world, int number, int commands);

  void do_work(World& world);
  bool is_done() const { return left_ == 0 && !asked_; }

 private:
  workers::CommandBody choose(World& world, SessionId& session);

  std::unique_ptr<bus::ClientSocket> socket_;
  bus::Client client_;
  int left_;
  std::optional<base::CommandId> asked_;
  SessionId session_;
  std::vector<KnownSession> known_;
};

struct World {
  explicit World(const Scenario& s);

  Outcome run();
  void step();
  void inject_faults();
  void crash_server();
  void check_acknowledged(const base::CommandId& command, const workers::CommandReplyBody& body);
  void follow();
  std::string unsettled();
  void finish_checks();

  Scenario scenario;
  base::SeededRandom random;
  VirtualClock clock;
  eventlog::MemoryStore store;
  std::unique_ptr<eventlog::KeyValueStore> index_rows = eventlog::make_memory_key_value_store();
  std::unique_ptr<eventlog::KeyValueStore> view_rows = eventlog::make_memory_key_value_store();
  bus::MemoryBus bus;
  LiveTrees trees;
  eventlog::LogTail birth;  // log id and epoch of the empty log
  std::unique_ptr<ServerLife> server;
  Duration server_back{0};
  std::vector<std::unique_ptr<WorkerLife>> workers;
  std::vector<Duration> worker_back;
  std::vector<std::pair<Duration, std::unique_ptr<WorkerLife>>> dying;  // trees that outlive them
  std::vector<std::unique_ptr<ClientActor>> clients;
  std::unique_ptr<bus::ClientSocket> reader_socket;
  std::unique_ptr<bus::Client> reader_client;
  std::unique_ptr<bus::ClientLogReader> reader;
  std::unique_ptr<bus::SubscriberSocket> subscriber_socket;
  std::unique_ptr<bus::Subscription> subscription;
  base::Position followed;
  bool is_calm = false;
  std::vector<Acknowledged> acknowledged;
  Outcome outcome;
};

bool SimLocks::is_worker_alive() {
  return std::any_of(world_.workers.begin(), world_.workers.end(),
                     [](const auto& worker) { return worker != nullptr; });
}

// In turmoil nobody knows, as across machines.
bool SimLocks::has_worker_ended(std::int64_t pid) {
  if (!world_.is_calm && world_.scenario.has_faults && world_.random.chance(50)) return false;
  return world_.workers[static_cast<std::size_t>(pid)] == nullptr;
}

// In turmoil the locks lie now and then, as clocks would across machines: that is what the fencing
// token is for.
bool SimLocks::is_session_held(SessionId session) {
  if (!world_.is_calm && world_.scenario.has_faults && world_.random.chance(20)) return false;
  return world_.trees.contains(session);
}

eventlog::LogTail tail_of(World& world) {
  const auto tail = eventlog::read_tail(world.store);
  return tail->position.value == 0 ? world.birth : *tail;
}

bus::LogIdentity identity_of(World& world) {
  const auto tail = tail_of(world);
  return {tail.log, {tail.epoch.counter, tail.epoch.random}};
}

projections::ProjectionSet open_views(World& world) {
  return std::move(*projections::ProjectionSet::open(*world.view_rows));
}

ServerLife::ServerLife(World& world)
    : locks(world),
      index(*world.index_rows),
      snapshots(*world.index_rows),
      committer(world.store, world.clock, world.random),
      loader((index.catch_up(world.store, world.store.tail()), world.store), index, snapshots),
      contents(world.store),
      service(identity_of(world), world.store, *world.view_rows, open_views(world), index),
      queries(service),
      command_socket(world.bus.bind_server("command")),
      worker_socket(world.bus.bind_server("worker")),
      feed_socket(world.bus.bind_publisher("feed")),
      server({world.clock, world.random, committer, loader, contents, queries, locks,
              *command_socket, *worker_socket, *feed_socket},
             {tail_of(world), {{4, 20, 65536}, 100'000, 6}, kLeases}) {}

WorkerLife::WorkerLife(World& world, int number)
    : launcher(world.random, world.trees),
      worker(launcher, {}),
      socket(world.bus.connect_client("worker", "worker-" + std::to_string(number))),
      link(worker, *socket, base::WorkerId::make(world.clock.wall(), world.random), number, {}) {}

ClientActor::ClientActor(World& world, int number, int commands)
    : socket_(world.bus.connect_client("command", "client-" + std::to_string(number))),
      client_(*socket_, world.clock, world.random, {}),
      left_(commands) {}

workers::CommandBody ClientActor::choose(World& world, SessionId& session) {
  base::Random& random = world.random;
  session::ClientCommand command;
  if (known_.empty() || random.chance(25)) {
    session = SessionId::make(world.clock.wall(), random);
    session::Spawn spawn;
    spawn.spec.engine = "scripted";
    spawn.spec.workdir = "/srv";
    spawn.spec.is_multi_turn = random.chance(70);
    spawn.prompt = "do something useful";
    if (!known_.empty() && random.chance(40)) {
      spawn.resume = known_[random.below(known_.size())].session;
      spawn.is_fork = random.chance(30);
    }
    command = spawn;
  } else {
    const KnownSession& target = known_[random.below(known_.size())];
    session = target.session;
    switch (random.below(8)) {
      case 0:
        command = session::KillSession{};
        break;
      case 1:
        command = session::CloseSession{};
        break;
      case 2:
        command = session::InterruptTurn{target.turn};
        break;
      default:
        command = session::SendPrompt{"and more", random.chance(20)};
    }
  }
  workers::CommandBody body = workers::encode_command(command);
  body.session = session;
  body.agent = "main";
  body.actor = "simulation";
  return body;
}

void ClientActor::do_work(World& world) {
  client_.do_work(world.clock.now);
  if (asked_) {
    auto reply = client_.take(*asked_);
    if (!reply) return;
    const base::CommandId command = *asked_;
    asked_.reset();
    if (!*reply) return;  // its outcome is unknown
    if ((*reply)->status != bus::ReplyStatus::ok) {
      ++world.outcome.counts.rejected;
      return;
    }
    const auto body = bus::from_body<workers::CommandReplyBody>((*reply)->body);
    world.check_acknowledged(command, *body);
    const auto known = std::find_if(known_.begin(), known_.end(),
                                    [&](const auto& k) { return k.session == session_; });
    if (known == known_.end()) {
      known_.push_back({session_, {command.bytes}});
    } else {
      known->turn = {command.bytes};
    }
    return;
  }
  if (left_ == 0) return;
  --left_;
  const workers::CommandBody body = choose(world, session_);
  const auto id =
      client_.start(workers::kVerbCommand, bus::to_body(body), std::chrono::seconds(60));
  if (id) asked_ = *id;
}

World::World(const Scenario& s) : scenario(s), random(s.seed), bus(random) {
  birth.log = base::LogId::make(clock.wall(), random);
  birth.epoch.counter = 1;
  if (scenario.has_faults) bus.set_faults({5, 5, 20, Duration{40'000}, 2});
  server = std::make_unique<ServerLife>(*this);
  for (int i = 0; i < 2; ++i) workers.push_back(std::make_unique<WorkerLife>(*this, i));
  worker_back.resize(workers.size());
  for (int i = 0; i < scenario.clients; ++i) {
    clients.push_back(std::make_unique<ClientActor>(*this, i, scenario.commands_each));
  }
  reader_socket = bus.connect_client("command", "reader");
  reader_client =
      std::make_unique<bus::Client>(*reader_socket, clock, random, bus::ClientOptions{});
  reader = std::make_unique<bus::ClientLogReader>(*reader_client, std::chrono::seconds(5));
  subscriber_socket = bus.connect_subscriber("feed", "reader", 50);
  subscription = std::make_unique<bus::Subscription>(
      *subscriber_socket, *reader, random,
      bus::SubscriptionOptions{std::string(bus::kAllLevel), {}, std::nullopt, 4096});
}

void World::check_acknowledged(const base::CommandId& command,
                               const workers::CommandReplyBody& body) {
  ++outcome.counts.accepted;
  if (body.is_repeated) ++outcome.counts.repeated;
  // Acknowledged means durable now, not soon.
  if (body.position > store.tail() && outcome.violation.empty()) {
    outcome.violation = "a command was acknowledged at position " +
                        std::to_string(body.position.value) + " before it was durable";
  }
  acknowledged.push_back({command, body.position});
}

void World::crash_server() {
  ++outcome.counts.server_crashes;
  if (server->committer.crash()) ++outcome.counts.blocks_torn_away;
  server.reset();
  server_back = clock.now + Duration{random.below(3'000'000)};
}

void World::inject_faults() {
  const bool is_syncing = server && !server->committer.is_idle();
  if (server && random.below(is_syncing ? 400 : 4'000) == 0) crash_server();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i] && random.below(12'000) == 0) {
      ++outcome.counts.worker_crashes;
      dying.emplace_back(clock.now + Duration{random.below(2'000'000)}, std::move(workers[i]));
      workers[i].reset();
      worker_back[i] = clock.now + Duration{random.below(4'000'000)};
    }
    if (random.below(4'000) == 0) {
      ++outcome.counts.partitions;
      bus.partition("worker-" + std::to_string(i), bus::PartitionDirection::both);
    }
    if (random.below(2'000) == 0) {
      bus.partition("worker-" + std::to_string(i), bus::PartitionDirection::none);
    }
  }
  if (random.below(5'000) == 0)
    clock.skew = Duration{random.below(7'200'000'000)} - std::chrono::hours(1);
}

void World::step() {
  ++outcome.counts.steps;
  clock.now += Duration{random.below(3'000)};
  bus.advance(clock.now);
  if (!is_calm && scenario.has_faults) inject_faults();
  if (!server && clock.now >= server_back) server = std::make_unique<ServerLife>(*this);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (!workers[i] && clock.now >= worker_back[i]) {
      workers[i] = std::make_unique<WorkerLife>(*this, static_cast<int>(i));
    }
  }
  std::erase_if(dying, [&](const auto& life) { return clock.now >= life.first; });

  // The seed decides who works next.
  const std::size_t actors = 2 + workers.size() + clients.size();
  const std::size_t who = random.below(actors);
  if (who == 0 || random.chance(50)) {
    if (server) server->server.do_work();
    if (server && server->server.failure() && outcome.violation.empty()) {
      outcome.violation = "the server stopped: " + base::describe(*server->server.failure());
    }
  }
  if (who == 1) {
    follow();
  } else if (who >= 2 && who < 2 + workers.size()) {
    auto& worker = workers[who - 2];
    if (worker) worker->link.do_work(clock.now);
  } else if (who >= 2 + workers.size()) {
    clients[who - 2 - workers.size()]->do_work(*this);
  }
}

// A subscriber sees the log: every event once, in order.
void World::follow() {
  reader_client->do_work(clock.now);
  subscription->do_work(clock.now);
  while (auto event = subscription->receive()) {
    if (!*event) {
      outcome.violation = "the subscription ended: " + base::describe(event->error());
      return;
    }
    if ((*event)->position != followed.next() && outcome.violation.empty()) {
      outcome.violation = "the subscriber was given position " +
                          std::to_string((*event)->position.value) + " after " +
                          std::to_string(followed.value);
    }
    followed = (*event)->position;
    if (followed > store.tail() && outcome.violation.empty()) {
      outcome.violation = "an event was published before it was durable";
    }
  }
}

// What keeps the world from having settled: somebody was not answered, or a turn has not ended.
std::string World::unsettled() {
  if (!server || !server->server.is_ready()) return "the server is not ready";
  for (const auto& client : clients) {
    if (!client->is_done()) return "a client waits for an answer";
  }
  if (followed != store.tail()) {
    return "the subscriber is at " + std::to_string(followed.value) + ", the log at " +
           std::to_string(store.tail().value);
  }
  for (const auto& [stream, state] : fold_sessions(store)) {
    if (state.turn) return "turn " + state.turn->turn.text() + " of " + stream + " runs";
    if (!state.queue.empty()) {
      return "a turn of " + stream + " is queued, " + (state.lease ? "leased" : "not leased");
    }
    if (session::is_terminal(state.status) && state.lease) {
      return "the lease of " + stream + ", which is closed, has not ended";
    }
  }
  return {};
}

void World::finish_checks() {
  if (outcome.violation.empty()) outcome.violation = check_log(store, acknowledged);
  if (outcome.violation.empty()) outcome.violation = check_projections(store, *view_rows);
  if (!outcome.violation.empty()) outcome.trace = describe_tail(store, 60);
  outcome.counts.events = store.tail().value;
  outcome.counts.leases_granted = count_events(store, session::LeaseGranted::kType);
  outcome.counts.leases_expired = count_events(store, session::LeaseExpired::kType);
  outcome.counts.turns_finished = count_events(store, session::TurnFinished::kType);
  outcome.counts.messages_lost = bus.counts().lost + bus.counts().partitioned;
}

Outcome World::run() {
  const Duration turmoil_end = clock.now + kTurmoil;
  while (clock.now < turmoil_end && outcome.violation.empty()) step();
  is_calm = true;
  bus.set_faults({});
  for (int i = 0; i < 2; ++i) {
    bus.partition("worker-" + std::to_string(i), bus::PartitionDirection::none);
  }
  const Duration healed_by = clock.now + kHealing;
  for (std::string wait = unsettled(); !wait.empty() && outcome.violation.empty();
       wait = unsettled()) {
    step();
    if (clock.now > healed_by) {
      outcome.violation =
          std::to_string(kHealing.count() / 1'000'000) + " s after all faults were healed, " + wait;
    }
  }
  finish_checks();
  return std::move(outcome);
}

}  // namespace

void add(Counts& sum, const Counts& counts) {
  std::vector<std::int64_t> values;
  Counts::fields(counts, [&](const char*, std::int64_t value) { values.push_back(value); });
  auto next = values.begin();
  Counts::fields(sum, [&](const char*, std::int64_t& value) { value += *next++; });
}

std::string describe(const Counts& counts) {
  std::string text;
  Counts::fields(counts, [&](const char* name, std::int64_t value) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
  });
  return text;
}

Outcome run(const Scenario& scenario) {
  return World(scenario).run();
}

}  // namespace simulation
