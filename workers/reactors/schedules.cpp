// The state of the schedules says what is due and which run is under way; nothing else is
// remembered but what was tried a moment ago.
#include "workers/reactors/schedules.hpp"

#include <algorithm>

namespace workers {
namespace {

// A run for which there is no room yet is tried again after this, for at most kPatience.
constexpr base::Duration kAgain = std::chrono::seconds(5);
constexpr base::Duration kPatience = std::chrono::hours(1);
// A schedule of which this server cannot tell when it is due.
constexpr base::Duration kUnknownAgain = std::chrono::minutes(10);

// True if the same command can be taken a little later.
bool is_passing(domain::RejectionCode code) {
  using Code = domain::RejectionCode;
  return domain::is_undecided(code) || code == Code::session_limit || code == Code::limit_reached ||
         code == Code::in_progress || code == Code::lease_held;
}

domain::Spawn spawn_for(const domain::Schedule& schedule) {
  domain::Spawn spawn;
  spawn.spec = schedule.spec.session;
  spawn.origin_channel = schedule.spec.session.channel;
  spawn.prompt = schedule.spec.prompt;
  spawn.descriptor.kind = schedule.spec.run == domain::RunKind::heartbeat
                              ? domain::DescriptorKind::heartbeat
                              : domain::DescriptorKind::cron;
  spawn.descriptor.task = schedule.spec.name;
  return spawn;
}

}  // namespace

void Schedules::begin(Position, std::int64_t) {
  durable_ = commands_.schedules();
}

void Schedules::on_durable(const domain::RecordedEvent& event) {
  if (event.envelope.stream != domain::kSchedulesStream) return;
  domain::evolve(durable_, event.envelope, event.event);
  is_changed_ = true;
}

void Schedules::wait_until(base::Time at) {
  if (look_at_.us == 0 || at < look_at_) look_at_ = at;
}

void Schedules::hold(const std::string& schedule, base::Duration wait) {
  held_[schedule] = now_ + wait;
  wait_until(now_ + wait);
}

void Schedules::submit(Asked asked, CommandMessage message) {
  busy_.insert(asked.schedule);
  message.ask = static_cast<std::int64_t>(++next_ticket_);
  message.actor = "scheduler";
  asked_.emplace(next_ticket_, std::move(asked));
  commands_.submit({this, next_ticket_}, std::move(message));
}

void Schedules::fire(const domain::Schedule& schedule) {
  CommandMessage message;
  message.id = base::CommandId::make(now_, random_);
  message.actor_kind = domain::ActorKind::server;
  message.command = domain::SchedulesCommand(domain::FireSchedule{
      schedule.spec.name, schedule.next_due, base::CommandId::make(now_, random_)});
  submit({schedule.spec.name, Step::fire, {}}, std::move(message));
}

void Schedules::begin_run(const domain::Schedule& schedule, const domain::ScheduleRun& run) {
  CommandMessage message;
  message.id = run.run;
  message.agent = schedule.spec.agent;
  message.stream_id = run.session;
  // Only clients' commands are remembered under their ids.
  message.actor_kind = domain::ActorKind::client;
  if (run.opens) {
    message.command = domain::SessionCommand(spawn_for(schedule));
  } else {
    domain::SendPrompt send;
    send.prompt = schedule.spec.prompt;
    message.command = domain::SessionCommand(std::move(send));
  }
  submit({schedule.spec.name, Step::begin, run.run}, std::move(message));
}

void Schedules::record(const std::string& schedule, const base::CommandId& run, std::string error) {
  CommandMessage message;
  message.id = base::CommandId::make(now_, random_);
  message.actor_kind = domain::ActorKind::server;
  message.command = domain::SchedulesCommand(domain::RecordRun{schedule, run, std::move(error)});
  submit({schedule, Step::record, run}, std::move(message));
}

void Schedules::on_answer(std::uint64_t number, const CommandAnswer& answer) {
  auto taken = asked_.extract(number);
  if (taken.empty()) return;
  const Asked& asked = taken.mapped();
  busy_.erase(asked.schedule);
  is_changed_ = true;
  if (answer.outcome) {
    if (asked.step == Step::begin) record(asked.schedule, asked.run, {});
    return;
  }
  const domain::Rejection& refused = answer.outcome.error();
  const auto found = commands_.schedules().schedules.find(asked.schedule);
  if (found == commands_.schedules().schedules.end()) return;
  if (asked.step == Step::fire) {
    return hold(asked.schedule, domain::is_undecided(refused.code) ? kAgain : kUnknownAgain);
  }
  const domain::ScheduleRun* run = domain::begun_run(found->second);
  const bool is_over = run == nullptr || now_ - run->at >= kPatience;
  const bool is_final = asked.step == Step::begin && (!is_passing(refused.code) || is_over);
  if (!is_final) return hold(asked.schedule, kAgain);
  record(asked.schedule, asked.run,
         std::string(base::enum_name(refused.code)) + ": " + refused.text);
}

bool Schedules::advance(const domain::Schedule& schedule, const Cycle& cycle) {
  const std::string& name = schedule.spec.name;
  if (busy_.contains(name)) return false;
  if (const auto held = held_.find(name); held != held_.end()) {
    if (held->second > cycle.now) return wait_until(held->second), false;
    held_.erase(held);
  }
  if (schedule.next_due.us != 0 && schedule.next_due <= cycle.now) return fire(schedule), true;
  if (schedule.next_due.us != 0) wait_until(schedule.next_due);
  if (const auto* run = domain::begun_run(schedule)) return begin_run(schedule, *run), true;
  return false;
}

bool Schedules::look(const Cycle& cycle) {
  bool has_done = false;
  look_at_ = {};
  const auto& schedules = commands_.schedules().schedules;
  std::erase_if(held_, [&](const auto& held) { return !schedules.contains(held.first); });
  for (const auto& [name, schedule] : schedules) has_done |= advance(schedule, cycle);
  return has_done;
}

bool Schedules::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  bool has_worked = false;
  const bool is_due = look_at_.us != 0 && look_at_ <= now_;
  if (cycle.has_taken_over && (is_changed_ || is_due)) {
    is_changed_ = false;
    has_worked = look(cycle);
  }
  next_timer_ = look_at_.us == 0 ? base::Duration::max() : cycle.boot + (look_at_ - now_);
  return has_worked;
}

base::RawValue Schedules::answer(Position) const {
  SchedulesAnswer answer;
  for (const auto& [name, schedule] : durable_.schedules) {
    answer.schedules.push_back(schedule);
  }
  answer.now = now_;
  return bus::to_body(answer);
}

}  // namespace workers
