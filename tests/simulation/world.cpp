// One actor at a time does one piece of work, in an order drawn from the seed; after each step
// everything that became durable is checked.
#include "tests/simulation/world.hpp"

#include <algorithm>
#include <functional>

#include "eventlog/domain/stream_name.hpp"
#include "tests/simulation/actors.hpp"
#include "tests/simulation/checkers.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace simulation {
namespace {

constexpr Duration kStepMax = std::chrono::microseconds(400);
constexpr Duration kJumpMax =
    std::chrono::milliseconds(100);                       // processes look up at least this often
constexpr Duration kHealing = std::chrono::seconds(120);  // limit after the last fault
constexpr Duration kTurmoilMax = std::chrono::seconds(120);
constexpr Duration kGoodbyeMax = std::chrono::seconds(10);
constexpr Duration kTreeDeathMax = std::chrono::milliseconds(2000);  // for a dead worker's agents
constexpr Duration kOpenAgain = std::chrono::milliseconds(300);
constexpr std::int64_t kMoreCommands = 4;  // for each client, while the log is short
constexpr std::int64_t kDriftPpmMax = 50'000;
constexpr Duration kJumpBack = std::chrono::hours(1);

class World {
 public:
  World(const Schedule& schedule, Tracing tracing);
  Outcome run();

 private:
  struct WorkerSlot {
    std::unique_ptr<WorkerLife> life;
    ProcessClock clock;
    Duration back{0};  // time of its next start
    Duration stopped_until{0};
    bool is_leaving = false;
  };
  struct Ending {
    Duration at{0};
    std::function<void()> end;
  };

  void step();
  bool work(std::size_t actor);
  bool work_server();
  void observe();
  void move_time();
  Duration next_moment() const;
  void start_processes();
  void play_faults();
  void play(const Fault& fault);
  void play_process_fault(const Fault& fault);
  void play_surroundings_fault(const Fault& fault);
  void cut_link(const Fault& fault);
  void drift(const Fault& fault);
  void until(Duration at, std::function<void()> end) { endings_.push_back({at, std::move(end)}); }
  void kill_server(Duration back);
  void kill_worker(std::size_t number, Duration back, Duration tree_lives);
  void leave_worker(std::size_t number, Duration grace);
  void count(FaultKind kind) { ++around_.counts[name_of(kind)]; }
  bool is_turmoil_over();
  void heal();
  bool lives(base::WorkerId worker) const;
  std::string unsettled();
  void finish();

  const Schedule schedule_;
  Outcome outcome_;
  Surroundings around_;
  base::SeededRandom order_;
  LogObserver log_;
  History history_;
  Stage stage_;
  ProcessClock server_clock_;
  std::unique_ptr<ServerLife> server_;
  Duration server_back_{0};
  Duration server_stopped_until_{0};
  std::optional<Duration> kill_syncing_;  // kill at the next block in flight, for this long
  std::vector<WorkerSlot> workers_;
  std::vector<std::pair<Duration, std::unique_ptr<WorkerLife>>> dying_;  // trees of dead ones
  std::vector<std::unique_ptr<ClientActor>> clients_;
  std::vector<std::unique_ptr<SubscriberActor>> subscribers_;
  std::size_t next_fault_ = 0;
  std::vector<Ending> endings_;
  std::vector<bool> is_idle_;  // actors without work since the last change
  std::int64_t steps_ = 0;
  std::size_t told_ = 0;  // events in the trace
};

World::World(const Schedule& schedule, Tracing tracing)
    : schedule_(schedule),
      around_(schedule),
      order_(schedule.seed ^ 0x0DDBA11),
      stage_{around_,
             log_,
             history_,
             tracing == Tracing::on ? &outcome_.trace : nullptr,
             outcome_.violation,
             {}},
      server_clock_(around_.time) {
  for (std::size_t i = 0; i < kWorkers; ++i)
    workers_.push_back({nullptr, ProcessClock(around_.time)});
  around_.agents.hold_against(log_);
  start_processes();
  for (std::int64_t i = 0; i < schedule_.clients; ++i) {
    clients_.push_back(std::make_unique<ClientActor>(stage_, static_cast<std::size_t>(i),
                                                     order_.next(), schedule_.commands));
  }
  for (const std::string& level : {std::string(bus::kAllLevel), workers::agent_level("main")}) {
    const std::size_t number = subscribers_.size();
    subscribers_.push_back(std::make_unique<SubscriberActor>(
        stage_, "subscriber-" + std::to_string(number), level, schedule_.seed * 2 + number));
  }
  is_idle_.resize(1 + kWorkers + clients_.size() + subscribers_.size());
}

void World::start_processes() {
  const Duration now = around_.time.now;
  if (!server_ && now >= server_back_) {
    auto opened = ServerLife::open(around_, server_clock_);
    if (opened) {
      server_ = std::move(*opened);
      stage_.say("server starts at position " + std::to_string(around_.disk.log().tail().value));
    } else if (opened.error().code == base::ErrorCode::io) {
      ++around_.counts["starts refused by the disk"];
      server_back_ = now + kOpenAgain;
    } else {
      stage_.violate("the server cannot open its log: " + base::describe(opened.error()));
    }
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    WorkerSlot& slot = workers_[i];
    if (slot.life || now < slot.back) continue;
    slot.life = std::make_unique<WorkerLife>(around_, slot.clock, i);
    around_.is_worker_alive[i] = true;
    stage_.say(worker_name(i) + " starts");
  }
}

void World::kill_server(Duration back) {
  if (server_) server_->kill();
  server_.reset();
  server_stopped_until_ = Duration{0};
  server_back_ = around_.time.now + back;
}

void World::kill_worker(std::size_t number, Duration back, Duration tree_lives) {
  WorkerSlot& slot = workers_[number];
  if (slot.life) dying_.emplace_back(around_.time.now + tree_lives, std::move(slot.life));
  slot.life.reset();
  slot.is_leaving = false;
  slot.stopped_until = Duration{0};
  slot.back = around_.time.now + back;
  around_.is_worker_alive[number] = false;
}

// The worker ends once its agents have ended and the server knows, or is killed after the goodbye.
void World::leave_worker(std::size_t number, Duration grace) {
  WorkerSlot& slot = workers_[number];
  if (!slot.life || slot.is_leaving) return;
  count(FaultKind::leave_worker);
  slot.is_leaving = true;
  slot.life->worker.end_all(slot.clock.boot() + grace);
  until(around_.time.now + grace + kGoodbyeMax, [this, number, id = slot.life->id] {
    const WorkerSlot& late = workers_[number];
    if (late.life && late.life->id == id) kill_worker(number, Duration{0}, Duration{0});
  });
}

void World::play_faults() {
  const Duration now = around_.time.now;
  while (next_fault_ < schedule_.faults.size() && schedule_.faults[next_fault_].at <= now) {
    const Fault& fault = schedule_.faults[next_fault_++];
    stage_.say("fault " + describe(fault));
    play(fault);
    std::fill(is_idle_.begin(), is_idle_.end(), false);
  }
  for (std::size_t i = 0; i < endings_.size(); ++i) {
    if (endings_[i].at > now) continue;
    const auto end = std::move(endings_[i].end);
    endings_.erase(endings_.begin() + static_cast<std::ptrdiff_t>(i--));
    end();
  }
  if (kill_syncing_ && server_ && server_->is_syncing()) {
    count(FaultKind::kill_server_syncing);
    stage_.say("the server is killed while a block is on its way");
    kill_server(*std::exchange(kill_syncing_, std::nullopt));
  }
}

void World::play(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::fail_write:
    case FaultKind::tear_write:
    case FaultKind::fail_sync:
    case FaultKind::fail_head:
    case FaultKind::fail_rows:
      return around_.disk.arm(fault.kind);  // counted when it fires
    case FaultKind::cut_link:
    case FaultKind::trouble_bus:
    case FaultKind::fill_disk:
    case FaultKind::jump_clock:
    case FaultKind::drift_clock:
    case FaultKind::lose_power:
      count(fault.kind);
      return play_surroundings_fault(fault);
    default:
      return play_process_fault(fault);
  }
}

void World::play_process_fault(const Fault& fault) {
  const Duration end = around_.time.now + fault.length;
  const auto pick = static_cast<std::size_t>(fault.choice);
  WorkerSlot& worker = workers_[pick % workers_.size()];
  switch (fault.kind) {
    case FaultKind::kill_server:
      if (server_) count(fault.kind);
      return kill_server(fault.length);
    case FaultKind::kill_server_syncing:
      kill_syncing_ = fault.length;
      return;
    case FaultKind::kill_worker:
      if (worker.life) count(fault.kind);
      return kill_worker(pick % workers_.size(), fault.length,
                         Duration{fault.choice * 7919 % kTreeDeathMax.count()});
    case FaultKind::kill_keeper:
      return around_.agents.kill_keeper(fault.choice);
    case FaultKind::kill_agent:
      return around_.agents.kill_agent(fault.choice);
    case FaultKind::stop_agent:
      return around_.agents.stop_agent(fault.choice, end);
    case FaultKind::stop_server:
      if (server_) count(fault.kind);
      server_stopped_until_ = end;
      return;
    case FaultKind::stop_worker:
      if (worker.life) count(fault.kind);
      worker.stopped_until = end;
      return;
    case FaultKind::leave_worker:
      return leave_worker(pick % workers_.size(), fault.length);
    case FaultKind::stop_subscriber: {
      count(fault.kind);
      SubscriberActor& subscriber = *subscribers_[pick % subscribers_.size()];
      if (pick / 2 % 2 == 0) subscriber.restart();
      return subscriber.stop(end);
    }
    case FaultKind::restart_client:
      return clients_[pick % clients_.size()]->restart();
    default:
      return;
  }
}

void World::play_surroundings_fault(const Fault& fault) {
  const Duration end = around_.time.now + fault.length;
  switch (fault.kind) {
    case FaultKind::lose_power:
      kill_server(fault.length);
      for (std::size_t i = 0; i < workers_.size(); ++i) kill_worker(i, fault.length, Duration{0});
      dying_.clear();
      return around_.disk.lose_power(around_.disk_random);
    case FaultKind::fill_disk:
      return around_.disk.fill(end);
    case FaultKind::trouble_bus:
      around_.bus.set_faults({5, 5, 20, Duration{40'000}, 2});
      return until(end, [this] { around_.bus.set_faults({}); });
    case FaultKind::cut_link:
      return cut_link(fault);
    case FaultKind::jump_clock:
      return server_clock_.jump(Duration{fault.choice * 7'919'000 % (2 * kJumpBack.count())} -
                                kJumpBack);
    case FaultKind::drift_clock:
      return drift(fault);
    default:
      return;
  }
}

void World::cut_link(const Fault& fault) {
  static constexpr bus::PartitionDirection kDirections[] = {bus::PartitionDirection::both,
                                                            bus::PartitionDirection::from_peer,
                                                            bus::PartitionDirection::to_peer};
  const auto pick = static_cast<std::size_t>(fault.choice);
  std::vector<std::string> peers = {worker_name(0), worker_name(1), "client-0", "subscriber-0",
                                    "subscriber-1"};
  const std::string peer = peers[pick % peers.size()];
  around_.bus.partition(peer, kDirections[pick / 5 % 3]);
  until(around_.time.now + fault.length,
        [this, peer] { around_.bus.partition(peer, bus::PartitionDirection::none); });
}

void World::drift(const Fault& fault) {
  const auto pick = static_cast<std::size_t>(fault.choice);
  const std::size_t whose = pick % (1 + workers_.size() + clients_.size());
  ProcessClock* clock = &server_clock_;
  if (whose > workers_.size()) {
    clock = &clients_[whose - workers_.size() - 1]->clock();
  } else if (whose > 0) {
    clock = &workers_[whose - 1].clock;
  }
  clock->drift(fault.choice * 104'729 % (2 * kDriftPpmMax) - kDriftPpmMax);
  until(around_.time.now + fault.length, [clock] { clock->drift(0); });
}

bool World::work_server() {
  if (!server_ || around_.time.now < server_stopped_until_) return false;
  const bool has_worked = server_->server().do_work();
  if (server_->server().failure()) {
    ++around_.counts["servers that stopped by themselves"];
    stage_.say("the server stops: " + base::describe(*server_->server().failure()));
    kill_server(kOpenAgain);
    return true;
  }
  return has_worked || server_->is_busy();
}

bool World::work(std::size_t actor) {
  if (actor == 0) return work_server();
  actor -= 1;
  if (actor < workers_.size()) {
    WorkerSlot& slot = workers_[actor];
    if (!slot.life || around_.time.now < slot.stopped_until) return false;
    const bool has_worked = slot.life->link.do_work();
    if (slot.is_leaving && slot.life->link.may_leave()) {
      kill_worker(actor, Duration{0}, Duration{0});
      return true;
    }
    return has_worked;
  }
  actor -= workers_.size();
  if (actor < clients_.size()) return clients_[actor]->do_work();
  return subscribers_[actor - clients_.size()]->do_work();
}

// Checks everything that became durable, and adds it to the trace.
void World::observe() {
  if (log_.position() >= around_.disk.log().tail()) return;
  if (auto wrong = log_.follow(around_.disk.log()); !wrong.empty()) stage_.violate(wrong);
  if (auto wrong = log_.check_streams_agree(); !wrong.empty()) {
    stage_.violate("at position " + std::to_string(log_.position().value) + " " + wrong);
  }
  for (; told_ < log_.events().size(); ++told_) {
    const domain::RecordedEvent& event = log_.events()[told_];
    if (const auto* told = event.event.as<domain::NotificationDelivered>()) {
      if (!around_.notified.contains(told->notification)) {
        stage_.violate("a notification is recorded as delivered that reached no sink");
      }
      around_.delivered.insert(told->notification);
    }
    if (stage_.trace != nullptr) stage_.say(describe(event));
  }
}

Duration World::next_moment() const {
  Duration next = around_.time.now + kJumpMax;
  const auto at = [&](Duration moment) {
    if (moment > around_.time.now) next = std::min(next, moment);
  };
  if (const auto due = around_.bus.next_due()) at(*due);
  if (const auto due = around_.agents.due()) at(*due);
  if (server_) {
    at(std::max(server_->due(server_clock_), server_stopped_until_));
  } else {
    at(server_back_);
  }
  for (const WorkerSlot& slot : workers_) {
    at(slot.life ? std::max(slot.clock.when(slot.life->link.deadline()), slot.stopped_until)
                 : slot.back);
  }
  for (const auto& client : clients_) at(client->due());
  for (const auto& subscriber : subscribers_) at(subscriber->due());
  for (const auto& [when, life] : dying_) at(when);
  for (const Ending& ending : endings_) at(ending.at);
  if (next_fault_ < schedule_.faults.size()) at(schedule_.faults[next_fault_].at);
  return next;
}

// Moves time a little while anybody has work, or to the next moment when nobody has.
void World::move_time() {
  const bool is_quiet = std::find(is_idle_.begin(), is_idle_.end(), false) == is_idle_.end();
  if (is_quiet) {
    around_.time.now = next_moment();
    std::fill(is_idle_.begin(), is_idle_.end(), false);
  } else {
    around_.time.now += Duration{order_.below(kStepMax.count())};
  }
  const auto due = around_.bus.next_due();
  if (due && *due <= around_.time.now) std::fill(is_idle_.begin(), is_idle_.end(), false);
  around_.bus.advance(around_.time.now);
}

void World::step() {
  ++steps_;
  move_time();
  play_faults();
  start_processes();
  std::erase_if(dying_, [&](const auto& life) { return around_.time.now >= life.first; });

  // The seed decides who works next, among the actors that can have work.
  std::size_t actor = order_.below(is_idle_.size());
  while (is_idle_[actor]) actor = (actor + 1) % is_idle_.size();
  if (work(actor)) {
    std::fill(is_idle_.begin(), is_idle_.end(), false);
  } else {
    is_idle_[actor] = true;
  }
  observe();
  if (!around_.agents.violation().empty()) stage_.violate(around_.agents.violation());
  if (!around_.sink_fault.empty()) stage_.violate(around_.sink_fault);
}

bool World::is_turmoil_over() {
  if (next_fault_ < schedule_.faults.size() || !endings_.empty()) return false;
  if (!std::all_of(clients_.begin(), clients_.end(),
                   [](const auto& client) { return client->is_done(); })) {
    return false;
  }
  if (log_.position().value >= schedule_.events_min) return true;
  for (auto& client : clients_) client->ask_for_more(kMoreCommands);
  return false;
}

void World::heal() {
  stage_.say("all faults end");
  for (Ending& ending : std::exchange(endings_, {})) ending.end();
  kill_syncing_.reset();
  around_.disk.heal();
  around_.do_locks_lie = false;
  server_stopped_until_ = Duration{0};
  for (WorkerSlot& slot : workers_) slot.stopped_until = Duration{0};
}

bool World::lives(base::WorkerId worker) const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [&](const WorkerSlot& slot) { return slot.life && slot.life->id == worker; });
}

namespace {

// A run that was refused again and again is tried much later than a world lasts.
constexpr Duration kSoon = std::chrono::seconds(10);

// Returns what a conversation is about to do; empty: all rest, or wait for a time or a person.
std::string unsettled_conversation(const LogObserver& log) {
  const auto found = log.states().find(std::string(domain::kLanesStream));
  if (found == log.states().end()) return {};
  const auto& lanes = std::get<domain::LanesState>(found->second);
  const base::Time soon = log.events().back().envelope.log_time + kSoon;
  for (const auto& [id, work] : lanes.works) {
    if (!work.run) {
      if (work.due <= soon) return "a run of " + work.key + " is due";
      continue;
    }
    const auto* s = log.session(domain::session_stream(work.agent, work.run->session));
    const bool is_paused = s != nullptr && s->pause != domain::EndReason::none;
    if (!is_paused) return "a run of " + work.key + " is under way";
  }
  return {};
}

}  // namespace

// Returns the reason why the world has not settled, such as a missing answer or an open turn.
std::string World::unsettled() {
  if (!server_ || !server_->server().is_ready()) return "the server is not ready";
  for (const auto& client : clients_) {
    if (!client->is_done()) return "a client waits for an answer";
  }
  for (const auto& [stream, state] : log_.states()) {
    if (const auto* c = std::get_if<domain::ConversationState>(&state)) {
      if (c->erasure > c->erasure_completed) return "an erasure of " + stream + " is not complete";
    }
    const auto* s = std::get_if<domain::SessionState>(&state);
    if (s == nullptr) continue;
    if (s->turn) return "turn " + s->turn->turn.text() + " of " + stream + " runs";
    if (!s->queue.empty() && s->pause == domain::EndReason::none) {
      return "a turn of " + stream + " is queued, " + (s->lease ? "leased" : "not leased");
    }
    if (domain::is_terminal(s->status) && s->lease) {
      return "the lease of " + stream + ", which is closed, has not ended";
    }
    if (s->lease && !lives(s->lease->worker)) {
      return stream + " is leased to a worker that is gone";
    }
    if (s->erasure > s->erasure_completed) {
      return "the erasure of event " + std::to_string(s->erasure.value) + " of " + stream +
             " is not complete";
    }
  }
  if (auto wait = unsettled_conversation(log_); !wait.empty()) return wait;
  for (const auto& subscriber : subscribers_) {
    if (!subscriber->has_seen(around_.disk.log().tail())) {
      return "a subscriber of " + subscriber->level() + " has not seen the log's end";
    }
  }
  return {};
}

namespace {

void count_limits(Counts& counts, const std::vector<domain::RecordedEvent>& events) {
  for (const domain::RecordedEvent& recorded : events) {
    const auto* closed = recorded.event.as<domain::SessionClosed>();
    const auto* asked = recorded.event.as<domain::InterruptRequested>();
    using domain::EndReason;
    const EndReason reason = closed != nullptr  ? closed->reason
                             : asked != nullptr ? asked->reason
                                                : EndReason::none;
    const auto* answered = recorded.event.as<domain::AskAnswered>();
    if (answered != nullptr && answered->basis == domain::AskBasis::rule) {
      ++counts["asks answered by a rule"];
    }
    if (answered != nullptr && answered->basis == domain::AskBasis::earlier) {
      ++counts["answers given to a later process"];
    }
    if (answered != nullptr && answered->basis == domain::AskBasis::hook) {
      ++counts[answered->point == domain::HookPoint::none ? "asks answered by a hook"
               : answered->point == domain::HookPoint::pre_tool_use
                   ? "calls that hooks answered"
                   : "prompts that hooks answered"];
    }
    const auto* told = recorded.event.as<domain::NotificationRequested>();
    if (told != nullptr && !told->parent_key->empty()) ++counts["ends of tasks told"];
    const auto* returned = recorded.event.as<domain::TurnReturned>();
    if (returned != nullptr && returned->attempts > 0) ++counts["turns that are tried again"];
    const auto* ended = recorded.event.as<domain::TurnInterrupted>();
    if (ended != nullptr && ended->reason == EndReason::expired) ++counts["prompts dropped"];
    if (reason == EndReason::idle) ++counts["sessions that waited too long"];
    const auto* paused = recorded.event.as<domain::QueuePaused>();
    if (paused != nullptr && paused->reason == EndReason::daily_budget) {
      ++counts["prompts that wait for the next day"];
    }
    if (asked == nullptr) continue;
    if (reason == EndReason::daily_budget) ++counts["turns over the budget of a day"];
    if (reason == EndReason::max_tool_calls) ++counts["turns with too many calls"];
    if (reason == EndReason::run_timeout) ++counts["turns that ran too long"];
    if (reason == EndReason::repeated_calls) ++counts["turns that repeated a call"];
  }
}

}  // namespace

void World::finish() {
  const auto check = [&](const std::string& wrong) {
    if (!wrong.empty() && outcome_.violation.empty()) stage_.violate(wrong);
  };
  check(check_history(history_, log_));
  check(check_reads(history_, log_.events()));
  check(check_outputs(log_.events(), around_.agents.records()));
  check(check_answers(log_.events()));
  check(check_costs(log_.events(), log_.states(), around_.agents.records()));
  check(check_budgets(log_.events(), log_.states(), around_.settings.limits.daily_budget));
  check(check_tasks(log_.events(), log_.states(), around_.agents.records()));
  check(check_prompts(log_.events()));
  check(check_injections(log_.events(), around_.agents.records()));
  check(check_asks(log_.events(), around_.agents.records()));
  check(check_schedules(log_.events()));
  check(check_messages(log_.events(), log_.states()));
  check(check_tasks_told(log_.events()));
  check(check_parents(log_.events()));
  check(check_pacing(log_.events(), around_.settings.limits.told_per_minute));
  check(check_contents(around_.disk.log(), log_.events(), log_.states()));
  for (const auto& subscriber : subscribers_) {
    check(check_level(log_.events(), subscriber->level(), subscriber->given()));
  }
  if (log_.position().value < schedule_.events_min) {
    check("the world ended with " + std::to_string(log_.position().value) + " events");
  }
  check(check_projections(around_.disk.log(), around_.disk.view_rows()));
  Counts& counts = around_.counts;
  counts["steps"] = steps_;
  counts["events"] = log_.position().value;
  for (const auto& [type, number] : log_.types()) counts["event " + type] += number;
  counts["texts that expired"] =
      std::count_if(log_.events().begin(), log_.events().end(), [](const RecordedEvent& recorded) {
        const auto* erased = recorded.event.as<domain::ContentErased>();
        return erased != nullptr && erased->reason == domain::ErasureReason::retention;
      });
  count_limits(counts, log_.events());
  const bus::MemoryFaultCounts& bus = around_.bus.counts();
  counts["messages lost"] = bus.lost;
  counts["messages doubled"] = bus.duplicated;
  counts["messages delayed"] = bus.delayed;
  counts["messages reordered"] = bus.reordered;
  counts["messages cut off"] = bus.partitioned;
  counts["messages dropped for slow subscribers"] = bus.dropped;
  counts["messages refused by full queues"] = bus.refused;
  for (const auto& subscriber : subscribers_) counts["gaps in the feed"] += subscriber->gaps();
  outcome_.counts = counts;
}

Outcome World::run() {
  while (!is_turmoil_over() && around_.time.now < kTurmoilMax && outcome_.violation.empty()) step();
  heal();
  const Duration healed_by = around_.time.now + kHealing;
  for (std::string wait = unsettled(); !wait.empty() && outcome_.violation.empty();
       wait = unsettled()) {
    step();
    if (around_.time.now > healed_by) {
      stage_.violate(std::to_string(kHealing.count() / 1'000'000) +
                     " s after all faults had ended, " + wait);
    }
  }
  finish();
  return std::move(outcome_);
}

}  // namespace

Outcome run(const Schedule& schedule, Tracing tracing) {
  return World(schedule, tracing).run();
}

}  // namespace simulation
