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
// The clock can be set meanwhile.
constexpr base::Duration kLookAgain = std::chrono::minutes(1);

// True if the same command can be taken a little later.
bool is_passing(domain::RejectionCode code) {
  using Code = domain::RejectionCode;
  return domain::is_undecided(code) || code == Code::session_limit || code == Code::limit_reached ||
         code == Code::in_progress || code == Code::lease_held;
}

// The task comes first, since names and listings show how a prompt begins.
std::string prompt_for(const domain::ScheduleSpec& spec) {
  if (!spec.uses_subagent) return spec.prompt;
  return spec.prompt +
         "\n\nThis is a task for a subagent. Start one, and give it the text above as its whole "
         "prompt. Wait for its end. Then report in a few words what came of it, and do nothing of "
         "the task yourself.";
}

domain::Spawn spawn_for(const domain::Schedule& schedule) {
  domain::Spawn spawn;
  spawn.spec = schedule.spec.session;
  spawn.origin_channel = schedule.spec.session.channel;
  spawn.prompt = prompt_for(schedule.spec);
  spawn.descriptor.kind = schedule.spec.run == domain::RunKind::heartbeat
                              ? domain::DescriptorKind::heartbeat
                              : domain::DescriptorKind::cron;
  spawn.descriptor.task = spawn.name_like = schedule.spec.name;
  return spawn;
}

}  // namespace

void Schedules::on_durable(const domain::RecordedEvent& event) {
  is_changed_ |= event.envelope.stream == domain::kSchedulesStream;
}

void Schedules::wait_for(base::Duration wait) {
  next_timer_ = std::min(next_timer_, boot_ + std::min(wait, kLookAgain));
}

void Schedules::hold(const std::string& schedule, base::Duration wait) {
  held_[schedule] = boot_ + wait;
}

void Schedules::submit(Asked asked, domain::SchedulesCommand command) {
  busy_.insert(asked.schedule);
  outgoing_.send(std::move(asked), std::move(command), now_);
}

void Schedules::fire(const domain::Schedule& schedule) {
  submit({schedule.spec.name, Step::fire, {}},
         domain::FireSchedule{schedule.spec.name, schedule.next_due,
                              base::CommandId::make(now_, random_)});
}

void Schedules::begin_run(const domain::Schedule& schedule, const domain::ScheduleRun& run) {
  busy_.insert(schedule.spec.name);
  domain::SessionCommand command;
  if (run.opens) {
    command = spawn_for(schedule);
  } else {
    domain::SendPrompt send;
    send.prompt = prompt_for(schedule.spec);
    command = std::move(send);
  }
  outgoing_.send_once({schedule.spec.name, Step::begin, run.run}, run.run, std::move(command),
                      {run.session, schedule.spec.agent});
}

void Schedules::record(const std::string& schedule, const base::CommandId& run, std::string error) {
  submit({schedule, Step::record, run}, domain::RecordRun{schedule, run, std::move(error)});
}

void Schedules::on_answer(const Asked& asked, const CommandOutcome& outcome) {
  busy_.erase(asked.schedule);
  is_changed_ = true;
  if (outcome) {
    faults_.erase(asked.schedule);
    if (asked.step == Step::begin) record(asked.schedule, asked.run, {});
    return;
  }
  const domain::Rejection& refused = outcome.error();
  faults_[asked.schedule] = refused.text;
  if (asked.step == Step::fire && !domain::is_undecided(refused.code)) {
    fire_held_[asked.schedule] = boot_ + kUnknownAgain;
    return;
  }
  // An earlier copy of an undecided command may have been taken.
  const auto& schedules = commands_.of<domain::SchedulesStream>().schedules;
  const auto found = schedules.find(asked.schedule);
  const bool is_wanted = found != schedules.end() && !found->second.is_removed;
  // Whoever asks for a run by hand is told at once, and can ask again.
  const auto* run = is_wanted ? domain::begun_run(found->second) : nullptr;
  const bool is_by_hand = run != nullptr && run->due.us == 0;
  const bool is_waiting = is_wanted && !is_by_hand && is_passing(refused.code) &&
                          boot_ - tried_since(asked.run) < kPatience;
  const bool is_final =
      asked.step == Step::begin && !domain::is_undecided(refused.code) && !is_waiting;
  if (!is_final) return hold(asked.schedule, kAgain);
  faults_.erase(asked.schedule);
  record(asked.schedule, asked.run,
         std::string(base::enum_name(refused.code)) + ": " + refused.text);
}

base::Duration Schedules::tried_since(const base::CommandId& run) {
  return tried_.emplace(run, boot_).first->second;
}

bool Schedules::advance(const domain::Schedule& schedule, const Cycle& cycle) {
  const std::string& name = schedule.spec.name;
  if (busy_.contains(name)) return false;
  if (const auto held = held_.find(name); held != held_.end()) {
    if (held->second > boot_) return wait_for(held->second - boot_), false;
    held_.erase(held);
  }
  if (schedule.next_due.us != 0) {
    const bool is_due =
        schedule.next_due <= cycle.wall || domain::is_planned_ahead(schedule, cycle.wall);
    const auto held = fire_held_.find(name);
    if (held != fire_held_.end() && held->second <= boot_) fire_held_.erase(name);
    if (is_due && !fire_held_.contains(name)) return fire(schedule), true;
    wait_for(is_due ? kLookAgain : schedule.next_due - cycle.wall);
  }
  if (const auto* run = domain::begun_run(schedule)) {
    tried_since(run->run);
    return begin_run(schedule, *run), true;
  }
  return false;
}

bool Schedules::look(const Cycle& cycle) {
  bool has_done = false;
  const auto& schedules = commands_.of<domain::SchedulesStream>().schedules;
  const auto is_gone = [&](const auto& of) { return !schedules.contains(of.first); };
  std::erase_if(held_, is_gone);
  std::erase_if(fire_held_, is_gone);
  std::erase_if(faults_, is_gone);
  std::set<base::CommandId> begun;
  for (const auto& [name, schedule] : schedules) {
    has_done |= advance(schedule, cycle);
    if (const auto* run = domain::begun_run(schedule)) begun.insert(run->run);
  }
  std::erase_if(tried_, [&](const auto& tried) { return !begun.contains(tried.first); });
  return has_done;
}

bool Schedules::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  boot_ = cycle.boot;
  if (!cycle.has_taken_over || (!is_changed_ && boot_ < next_timer_)) return false;
  is_changed_ = false;
  next_timer_ = base::Duration::max();
  return look(cycle);
}

base::RawValue Schedules::answer(const DurableStates& durable) const {
  SchedulesAnswer answer;
  for (const auto& [name, schedule] : durable.of<domain::SchedulesStream>().schedules) {
    answer.schedules.push_back(schedule);
  }
  answer.faults = faults_;
  return bus::to_body(answer);
}

}  // namespace workers
