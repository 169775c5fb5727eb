// Puts the product's own server and worker on the simulated bus, disk and clock, with short time
// limits, so that every limit is reached often.
#include "tests/simulation/processes.hpp"

#include <algorithm>

#include "eventlog/log/tail_proof.hpp"
#include "tests/support/fixed_time_zones.hpp"
#include "workers/rules/pattern_matcher.hpp"

namespace simulation {
namespace {

// Workers are given up early, so that many leases are taken from a worker that still believes in
// its own.
constexpr workers::LeaseDispatcherOptions kLeases{std::chrono::milliseconds(100),
                                                  std::chrono::milliseconds(1500),
                                                  std::chrono::milliseconds(1500)};
// Proportions as in the product: a worker notices its own silence before the server gives it up.
constexpr workers::WorkerLinkOptions kLink{
    std::chrono::milliseconds(100), std::chrono::milliseconds(50), std::chrono::milliseconds(500),
    std::chrono::minutes(30)};
constexpr base::Duration kResendAfter = std::chrono::milliseconds(400);
constexpr domain::Limits kLimits{4, 20, 65536};  // few, so that they are reached

constexpr base::NanoUsd kDailyBudget{30'000'000};
constexpr base::NanoUsd kDailyBudgetUnreached{1'000'000'000'000};
constexpr std::int64_t kToldPerMinute = 3;
constexpr std::int64_t kSmallPage = 4;
constexpr unsigned kLieWorkerPercent = 50;
constexpr unsigned kLieSessionPercent = 20;
constexpr unsigned kThreadReadyPercent = 40;
constexpr std::uint64_t kErasureUsMax = 1'000'000;  // long, so that many servers die within it
constexpr std::uint64_t kErasureToldUsMax = 200'000;
constexpr unsigned kSinkFailsPercent = 30;
constexpr unsigned kBehindPercent = 10;
constexpr std::size_t kErasingMax = 4;  // steps before an erasure is killed

// Short enough that some content expires before the world has settled.
constexpr workers::KeepFor kKeepFor{std::chrono::seconds(4), base::Duration{0},
                                    std::chrono::seconds(8)};

// Returns a different seed for each of the world's generators.
std::uint64_t derived(std::uint64_t seed, std::uint64_t number) {
  base::SeededRandom random(seed * 16 + number);
  return random.next();
}

// A task of an agent that was stopped for long is given up now and then.
workers::AgentRunnerOptions runner_options() {
  workers::AgentRunnerOptions options;
  options.task_wait = std::chrono::milliseconds(500);
  options.silence_max = std::chrono::milliseconds(150);
  options.resend_after = kResendAfter;
  return options;
}

}  // namespace

// True if the worlds of the seed have hooks.
bool has_hooks(std::uint64_t seed) {
  return seed % 4 == 1;
}

// One hook at each point that agents of the simulation come to. What it answers follows from the
// step: asked again, it says the same.
workers::HookOptions simulated_hooks() {
  using domain::HookPoint;
  workers::Hook hook;
  hook.name = "gate";
  hook.points = {HookPoint::session_start, HookPoint::user_prompt_submit, HookPoint::pre_tool_use,
                 HookPoint::permission_request};
  hook.builtin = workers::BuiltinHook::allow;
  static const workers::HookTable kTable(std::vector{hook});
  workers::HookOptions options;
  options.table = &kTable;
  options.ask = [](const workers::HookStep& step) {
    const base::Hash hash = base::blake2b(step.session.text() + std::to_string(step.ask));
    const int drawn = static_cast<unsigned char>(base::view(hash).front()) % 100;
    workers::StepOutcome outcome;
    outcome.runs = {{"gate", domain::HookOutcome::passed, base::Duration{1}, {}}};
    const bool decides = step.point == HookPoint::pre_tool_use ||
                         (step.point == HookPoint::permission_request && drawn < 40);
    if (decides) {
      outcome.verdict = drawn % 3 == 0 ? domain::AskVerdict::denied : domain::AskVerdict::granted;
    }
    if (outcome.verdict == domain::AskVerdict::denied) outcome.text = "no";
    return outcome;
  };
  return options;
}

WorldSettings hasty_settings(std::uint64_t seed) {
  WorldSettings settings;
  settings.limits = kLimits;
  settings.limits.daily_budget = seed % 8 == 0 ? kDailyBudget : kDailyBudgetUnreached;
  settings.limits.sinks.fill(true);
  settings.limits.sinks[static_cast<std::size_t>(domain::NotificationTarget::hook)] =
      has_hooks(seed);
  settings.limits.told_per_minute = seed % 8 == 5 ? kToldPerMinute : 0;
  static const support::FixedTimeZones zones({}, {});
  settings.zones = &zones;
  settings.keep_for = kKeepFor;
  settings.leases = kLeases;
  settings.link = kLink;
  settings.runner = runner_options();
  return settings;
}

Surroundings::Surroundings(const Schedule& schedule, WorldSettings with)
    : settings(std::move(with)),
      disk_random(derived(schedule.seed, 1)),
      id_random(derived(schedule.seed, 2)),
      bus_random(derived(schedule.seed, 3)),
      agent_random(derived(schedule.seed, 4)),
      lock_random(derived(schedule.seed, 5)),
      sink_random(derived(schedule.seed, 6)),
      queue_max(static_cast<std::size_t>(schedule.queue_max)),
      streams_max(static_cast<std::size_t>(schedule.streams_max)),
      inbox_max(static_cast<std::size_t>(schedule.inbox_max)),
      do_locks_lie(schedule.has_lying_locks),
      has_hooks(simulation::has_hooks(schedule.seed) && schedule.shares.contains("AnswerAsk")),
      shares(schedule.shares),
      page_events_max(schedule.seed % 2 == 0 ? kSmallPage : 0) {
  birth.log = base::LogId::make({1}, id_random);
  birth.epoch.counter = 1;
  agents.let_ask(shares.contains("AnswerAsk"));
}

eventlog::LogTail Surroundings::tail() {
  const auto tail = eventlog::read_tail(disk.log());
  return tail->position.value == 0 ? birth : *tail;
}

bool SimLocks::is_worker_alive() {
  return std::find(around_.is_worker_alive.begin(), around_.is_worker_alive.end(), true) !=
         around_.is_worker_alive.end();
}

bool SimLocks::has_worker_ended(std::int64_t pid) {
  if (around_.do_locks_lie && around_.lock_random.chance(kLieWorkerPercent)) return false;
  return !around_.is_worker_alive[static_cast<std::size_t>(pid)];
}

bool SimLocks::is_only_worker(std::int64_t pid) {
  if (around_.do_locks_lie && around_.lock_random.chance(kLieWorkerPercent)) return false;
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    if (around_.is_worker_alive[worker] != (worker == static_cast<std::size_t>(pid))) return false;
  }
  return true;
}

bool SimLocks::is_session_held(base::SessionId session) {
  const bool is_held = around_.agents.holds_lock(session);
  if (is_held && around_.do_locks_lie && around_.lock_random.chance(kLieSessionPercent)) {
    ++around_.counts["locks that lied"];
    around_.agents.overlook(session);
    return false;
  }
  return is_held;
}

std::optional<eventlog::LoadOutcome> SimLoader::poll() {
  if (open_ == 0 || !random_.chance(kThreadReadyPercent)) return std::nullopt;
  auto outcome = loader_.poll();
  if (outcome) --open_;
  return outcome;
}

std::optional<eventlog::SaveOutcome> SimLoader::poll_saved() {
  if (open_ == 0 || !random_.chance(kThreadReadyPercent)) return std::nullopt;
  auto outcome = loader_.poll_saved();
  if (outcome) --open_;
  return outcome;
}

std::optional<workers::QueryAnswer> SimQueryPort::poll() {
  if (asked_.empty() || !random_.chance(kThreadReadyPercent)) return std::nullopt;
  auto answer = service_.answer(asked_.front());
  asked_.pop_front();
  return answer;
}

SimErasures::SimErasures(Surroundings& around, workers::UpkeepJobs work)
    : disk_(around.disk),
      time_(around.time),
      random_(around.disk_random),
      is_enabled_(around.shares.contains("EraseContent") ||
                  around.shares.contains("EraseMessages")),
      work_(std::move(work)) {}

void SimErasures::submit(const workers::UpkeepJob& job) {
  job_ = job;
  due_ = time_.now + Duration{random_.below(kErasureUsMax)};
}

std::optional<workers::UpkeepOutcome> SimErasures::poll() {
  if (!is_enabled_ || !job_ || time_.now < due_) return std::nullopt;
  if (!outcome_) {
    outcome_ = work_.run(*job_);
    due_ = time_.now + Duration{random_.below(kErasureToldUsMax)};
    return std::nullopt;
  }
  job_.reset();
  return std::exchange(outcome_, std::nullopt);
}

void SimErasures::kill() {
  if (!is_enabled_ || !job_ || outcome_ || !random_.chance(50)) return;
  disk_.log().stop_erasing_after(random_.below(kErasingMax));
  work_.run(*job_);
  disk_.log().stop_erasing_after(std::nullopt);
  if (disk_.log().has_unscrubbed()) ++disk_.counts()["kills within an erasure"];
}

void SimNotifier::submit(workers::DeliveryJob job) {
  if (job.notification > around_.disk.log().tail()) {
    around_.sink_fault = "a sink is given a notification that is not on the record";
  }
  if (around_.delivered.contains(job.notification)) {
    around_.sink_fault = "a sink is given a notification that is recorded as delivered";
  }
  jobs_.push_back(std::move(job));
}

std::optional<workers::DeliveryOutcome> SimNotifier::poll() {
  if (jobs_.empty() || !around_.sink_random.chance(kThreadReadyPercent)) return std::nullopt;
  const workers::DeliveryJob job = std::move(jobs_.front());
  jobs_.pop_front();
  workers::DeliveryOutcome outcome{job.notification, job.requested.target, {}, {}, {}, false};
  if (around_.sink_random.chance(kBehindPercent)) {
    outcome.is_behind = true;
  } else if (around_.sink_random.chance(kSinkFailsPercent)) {
    ++around_.counts["deliveries that failed"];
    outcome.error = "the sink failed";
  } else {
    ++around_.counts["notifications that reached a sink"];
    around_.notified.insert(job.notification);
    if (job.requested.target == domain::NotificationTarget::parent) {
      outcome.prompt = kParentPrompt;
      ++around_.counts["prompts about subagents"];
    }
  }
  return outcome;
}

bool SimLane::poll() {
  if (waiting_.empty() || !random_.chance(kThreadReadyPercent)) return false;
  waiting_.front()();
  waiting_.pop_front();
  return true;
}

std::optional<workers::ShowOutcome> SimNotifier::poll_shown() {
  if (shows_.empty() || !around_.sink_random.chance(kThreadReadyPercent)) return std::nullopt;
  const workers::ShowJob job = std::move(shows_.front());
  shows_.pop_front();
  ++around_.counts["outputs shown"];
  return workers::ShowOutcome{job.agent, job.session, job.channel, job.through,
                              true,      false,       {},          false};
}

base::Result<std::unique_ptr<ServerLife>> ServerLife::open(Surroundings& around,
                                                           ProcessClock& clock) {
  if (!around.disk.open()) return base::failure(base::ErrorCode::io, "the disk is full");
  if (auto ok = eventlog::prove_end(around.disk.log(), around.disk.head()); !ok) {
    return tl::unexpected(ok.error());
  }
  const eventlog::LogTail tail = around.tail();
  workers::DerivedStoresOptions options;
  options.on_rebuilt = [&around](std::string_view rows, const base::Error&) {
    ++around.counts[std::string(rows) + " rebuilt"];
  };
  auto side = workers::open_derived_stores(around.disk.log(), tail, around.disk.index_rows(),
                                           around.disk.view_rows(), options);
  if (!side) return tl::unexpected(side.error());
  return std::make_unique<ServerLife>(around, clock, tail, std::move(*side));
}

namespace {
workers::CommandLoopOptions command_options(const Surroundings& around) {
  workers::CommandLoopOptions options;
  options.limits = around.settings.limits;
  static const workers::PatternMatcher matcher;
  options.zones = around.settings.zones;
  options.calls = &matcher;
  options.inbox_max = around.inbox_max;
  options.streams_max = around.streams_max;
  return options;
}
}  // namespace

std::unique_ptr<eventlog::Committer> SimSideWork::make_committer(const workers::ServerStores&) {
  auto made = std::make_unique<SimCommitter>(around_.disk, around_.time, around_.disk_random);
  committer = made.get();
  return made;
}

std::unique_ptr<eventlog::StreamLoader> SimSideWork::make_loader(
    const workers::ServerStores& stores, workers::DerivedStores& derived) {
  auto made = std::make_unique<SimLoader>(stores.log, derived, around_.disk_random);
  loader = made.get();
  return made;
}

std::unique_ptr<workers::Lane> SimSideWork::make_lane(const char*) {
  return std::make_unique<SimLane>(around_.disk_random);
}

std::unique_ptr<workers::ContentLoader> SimSideWork::make_content_loader(
    const workers::SideStores& stores) {
  return std::make_unique<workers::InlineContentLoader>(stores.log, stores.index);
}

std::unique_ptr<workers::QueryPort> SimSideWork::make_query_port(workers::QueryService& service) {
  auto made = std::make_unique<SimQueryPort>(service, around_.disk_random);
  queries = made.get();
  return made;
}

std::unique_ptr<workers::UpkeepPort> SimSideWork::make_upkeep_port(workers::UpkeepJobs jobs) {
  auto made = std::make_unique<SimErasures>(around_, std::move(jobs));
  erasures = made.get();
  return made;
}

std::unique_ptr<workers::Notifier> SimSideWork::make_notifier(const workers::SideStores& stores) {
  if (around_.settings.make_notifier) return around_.settings.make_notifier(stores);
  auto made = std::make_unique<SimNotifier>(around_);
  notifier = made.get();
  return made;
}

ServerLife::ServerLife(Surroundings& around, ProcessClock& clock, const eventlog::LogTail& tail,
                       std::unique_ptr<workers::DerivedStores> derived)
    : locks_(around),
      command_socket_(around.bus.bind_server("command")),
      worker_socket_(around.bus.bind_server("worker")),
      feed_socket_(around.bus.bind_publisher("feed")),
      side_work_(around),
      assembly_({around.disk.log(), nullptr, around.disk.index_rows(), around.disk.view_rows()},
                std::move(derived),
                {clock, around.id_random, locks_, *command_socket_, *worker_socket_, *feed_socket_},
                {tail,
                 command_options(around),
                 {around.settings.leases,
                  {},
                  {around.settings.keep_for, {}, {}, {}},
                  {},
                  around.has_hooks ? simulated_hooks() : workers::HookOptions{}}},
                side_work_) {}

Duration ServerLife::due(const ProcessClock& clock) const {
  const Duration timer = clock.when(assembly_.server().next_timer());
  const auto durable = side_work_.committer->due();
  return durable ? std::min(timer, *durable) : timer;
}

WorkerLife::WorkerLife(Surroundings& around, ProcessClock& clock, std::size_t number)
    : id(base::WorkerId::make(clock.wall(), around.id_random)),
      launcher(around.agents, around.agent_random),
      worker(launcher, around.settings.runner),
      socket(around.bus.connect_client("worker", worker_name(number), around.queue_max)),
      link(worker, {clock, *socket}, id, static_cast<std::int64_t>(number), around.settings.link) {}

std::string worker_name(std::size_t number) {
  return "worker-" + std::to_string(number);
}

}  // namespace simulation
