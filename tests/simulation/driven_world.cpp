// All work in a fixed order until nobody has any; then time moves to the next moment at which
// somebody has.
#include "tests/simulation/driven_world.hpp"

#include <sys/eventfd.h>

#include <algorithm>

#include "eventlog/base/unique_fd.hpp"
#include "tests/simulation/checkers.hpp"
#include "workers/notifications/notice.hpp"
#include "workers/notifications/shown_output.hpp"

namespace simulation {
namespace {

constexpr Duration kDrivenStep = std::chrono::microseconds(20);  // while somebody has work
constexpr Duration kDrivenJumpMax = std::chrono::seconds(1);     // while nobody has
constexpr Duration kDrivenAnswerMax = std::chrono::hours(1);     // until a client is answered

// Draws no faults.
Schedule quiet_schedule(std::uint64_t seed) {
  Schedule schedule;
  schedule.seed = seed;
  schedule.has_lying_locks = false;
  return schedule;
}

}  // namespace

// Sinks that keep all. The words are the product's.
class DrivenWorld::Sinks final : public workers::Notifier {
 public:
  Sinks(DrivenWorld& world, const workers::SideStores& stores)
      : world_(world), log_(stores.log), index_(stores.index) {}

  void submit(workers::DeliveryJob job) override {
    Surroundings& around = world_.around_;
    if (job.notification > around.disk.log().tail()) {
      world_.violate("a sink is given a notification that is not on the record");
    }
    if (around.delivered.contains(job.notification)) {
      world_.violate("a sink is given a notification that is recorded as delivered");
    }
    jobs_.push_back(std::move(job));
  }

  std::optional<workers::DeliveryOutcome> poll() override {
    while (!jobs_.empty()) {
      const workers::DeliveryJob job = std::move(jobs_.front());
      jobs_.pop_front();
      deliver(job);
    }
    const auto done = std::find_if(taken_.begin(), taken_.end(), [&](const Taken& taken) {
      return taken.told_at <= world_.around_.time.now;
    });
    if (done == taken_.end()) return std::nullopt;
    auto outcome = std::move(done->outcome);
    taken_.erase(done);
    return outcome;
  }

  void submit_show(workers::ShowJob job) override { shows_.push_back(std::move(job)); }

  std::optional<workers::ShowOutcome> poll_shown() override {
    if (shows_.empty()) return std::nullopt;
    const workers::ShowJob job = std::move(shows_.front());
    shows_.pop_front();
    workers::ShowOutcome outcome{job.agent, job.session, job.channel, job.after,
                                 false,     false,       {},          false};
    const auto shown = workers::read_shown(log_, index_, job, is_no_time_.get());
    if (!shown) {
      outcome.is_behind = true;
      return outcome;
    }
    outcome.has_shown = !shown->text.empty();
    if (outcome.has_shown) world_.shown_.push_back({job.session, job.channel, shown->text});
    outcome.through = shown->through;
    outcome.has_more = shown->has_more;
    return outcome;
  }

 private:
  struct Taken {
    workers::DeliveryOutcome outcome;
    Duration told_at{0};  // when the server hears of it
  };

  void deliver(const workers::DeliveryJob& job) {
    workers::DeliveryOutcome outcome{job.notification, job.requested.target, {}, {}, {}, false};
    Duration told_at = world_.around_.time.now;
    const bool is_for_channel = job.requested.target == domain::NotificationTarget::channel;
    auto notice = workers::read_notice(log_, index_, job, is_no_time_.get());
    if (!notice) {
      outcome.is_behind = true;
    } else if (is_for_channel && world_.down_.contains(job.requested.channel)) {
      outcome.error = "the channel is down";
    } else {
      workers::name_agent(*notice, engines::catalog_of_kinds());
      std::string text = text_of(*notice);
      if (job.requested.target == domain::NotificationTarget::parent) outcome.prompt = text;
      if (is_for_channel) told_at += world_.slow_[job.requested.channel];
      world_.around_.notified.insert(job.notification);
      world_.deliveries_.push_back({job.notification, job.requested, std::move(text)});
    }
    taken_.push_back({std::move(outcome), told_at});
  }

  static std::string text_of(const workers::Notice& notice) {
    switch (notice.requested.target) {
      case domain::NotificationTarget::channel:
        return workers::chat_text(notice);
      case domain::NotificationTarget::parent:
        return workers::parent_text(notice);
      default:
        return workers::title_text(notice);
    }
  }

  DrivenWorld& world_;
  eventlog::BlockStore& log_;
  eventlog::StreamIndex& index_;
  const base::UniqueFd is_no_time_{::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};  // nothing is awaited
  std::deque<workers::DeliveryJob> jobs_;
  std::vector<Taken> taken_;
  std::deque<workers::ShowJob> shows_;
};

DrivenWorld::DrivenWorld(base::Time began, std::uint64_t seed, WorldSettings settings,
                         Script script)
    : around_(quiet_schedule(seed),
              [&] {
                settings.make_notifier = [this](const workers::SideStores& stores) {
                  return std::make_unique<Sinks>(*this, stores);
                };
                return std::move(settings);
              }()),
      server_clock_(around_.time),
      worker_clock_(around_.time),
      client_clock_(around_.time) {
  around_.time.began = began;
  around_.agents.hold_against(log_);
  around_.agents.follow(std::move(script));
  client_socket_ = around_.bus.connect_client("command", "client-0");
  client_ = std::make_unique<bus::Client>(*client_socket_, client_clock_, around_.id_random,
                                          bus::ClientOptions{});
  start_processes();
}

void DrivenWorld::start_processes() {
  if (!server_ && around_.time.now >= server_back_) {
    auto opened = ServerLife::open(around_, server_clock_);
    if (!opened) return violate("the server cannot open its log: " + describe(opened.error()));
    server_ = std::move(*opened);
  }
  if (!worker_ && around_.time.now >= worker_back_) {
    worker_ = std::make_unique<WorkerLife>(around_, worker_clock_, 0);
    around_.is_worker_alive[0] = true;
  }
}

void DrivenWorld::kill_worker(Duration back) {
  worker_.reset();
  around_.is_worker_alive[0] = false;
  worker_back_ = around_.time.now + back;
}

void DrivenWorld::lose_power(Duration back) {
  if (server_) server_->kill();
  server_.reset();
  server_back_ = around_.time.now + back;
  kill_worker(back);
  around_.disk.lose_power(around_.disk_random);
}

void DrivenWorld::set_down(const std::string& channel, bool is_down) {
  if (is_down)
    down_.insert(channel);
  else
    down_.erase(channel);
}

void DrivenWorld::observe() {
  if (log_.position() >= around_.disk.log().tail()) return;
  if (auto wrong = log_.follow(around_.disk.log()); !wrong.empty()) violate(wrong);
  if (auto wrong = log_.check_streams_agree(); !wrong.empty()) violate(wrong);
  for (; observed_ < log_.events().size(); ++observed_) {
    const domain::Event& event = log_.events()[observed_].event;
    if (const auto* told = event.as<domain::NotificationDelivered>()) {
      if (!around_.notified.contains(told->notification)) {
        violate("a notification is recorded as delivered that reached no sink");
      }
      around_.delivered.insert(told->notification);
    }
  }
}

bool DrivenWorld::work() {
  bool has_worked = client_->do_work(client_clock_.boot()) > 0;
  if (server_) {
    has_worked |= server_->server().do_work() || server_->is_busy();
    if (const auto& failure = server_->server().failure()) {
      violate("the server stops: " + describe(*failure));
    }
  }
  if (worker_) has_worked |= worker_->link.do_work();
  return has_worked;
}

Duration DrivenWorld::next_moment() {
  Duration next = around_.time.now + kDrivenJumpMax;
  const auto at = [&](Duration moment) {
    if (moment > around_.time.now) next = std::min(next, moment);
  };
  if (const auto due = around_.bus.next_due()) at(*due);
  if (const auto due = around_.agents.due()) at(*due);
  at(server_ ? server_->due(server_clock_) : server_back_);
  at(worker_ ? worker_clock_.when(worker_->link.deadline()) : worker_back_);
  if (worker_) {
    if (const auto due = worker_->worker.deadline()) at(worker_clock_.when(*due));
  }
  at(client_clock_.when(client_->next_timer()));
  return next;
}

void DrivenWorld::step() {
  start_processes();
  const bool has_worked = work();
  observe();
  if (!around_.agents.violation().empty()) violate(around_.agents.violation());
  const auto message = around_.bus.next_due();
  const bool is_quiet = !has_worked && !(message && *message <= around_.time.now);
  around_.time.now = is_quiet ? next_moment() : around_.time.now + kDrivenStep;
  around_.bus.advance(around_.time.now);
}

bool DrivenWorld::run_until(const std::function<bool()>& is_so, Duration most) {
  const Duration end = around_.time.now + most;
  while (!is_so()) {
    if (around_.time.now >= end || !violation_.empty()) return false;
    step();
  }
  return true;
}

void DrivenWorld::run_to(base::Time at) {
  run_until([&] { return now() >= at; }, std::max(Duration{0}, at - now()));
}

bus::Reply DrivenWorld::ask(const domain::Command& command, base::SessionId session) {
  workers::CommandBody body = workers::encode_command(command);
  body.session = session;
  body.agent = "main";
  body.actor = "client-0";
  const bool opens = domain::command_if<domain::Spawn>(command) != nullptr;
  const base::CommandId id =
      opens ? base::CommandId{session.bytes} : base::CommandId::make(now(), around_.id_random);
  const auto started =
      client_->start(id, workers::kVerbCommand, bus::to_body(body), kDrivenAnswerMax);
  if (!started) violate("a client cannot ask: " + describe(started.error()));
  std::optional<base::Result<bus::Reply>> reply;
  run_until(
      [&] {
        reply = client_->take(id);
        return reply.has_value();
      },
      kDrivenAnswerMax);
  if (reply && *reply) return **reply;
  violate("a client is not answered");
  return {};
}

std::string DrivenWorld::check_all() {
  if (!violation_.empty()) return violation_;
  const auto& events = log_.events();
  const auto& records = around_.agents.records();
  for (std::string wrong :
       {check_outputs(events, records), check_answers(events),
        check_costs(events, log_.states(), records), check_prompts(events),
        check_injections(events, records), check_asks(events, records), check_schedules(events),
        check_parents(events), check_pacing(events, around_.settings.limits.told_per_minute),
        check_contents(around_.disk.log(), events, log_.states()),
        check_projections(around_.disk.log(), around_.disk.view_rows())}) {
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace simulation
