// Everything that is to happen waits in an agenda. The texts that were heard are compared at the
// end, for each hearer and session.
#include "tests/simulation/day.hpp"

#include <algorithm>
#include <set>

#include "eventlog/domain/stream_name.hpp"

namespace simulation {
namespace {

constexpr std::string_view kOrchestrator = "orchestrator";
constexpr Duration kHalfASecond = std::chrono::milliseconds(500);

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

Day::Day(base::Time begins, std::uint64_t seed, WorldSettings settings)
    : world_(begins, seed, std::move(settings), [this](base::ByteView prompt) {
        const auto found = plans_.find(std::string(prompt));
        return found == plans_.end() ? usual_ : found->second;
      }) {}

void Day::expect_taken(const bus::Reply& reply, const std::string& what) {
  if (reply.status != bus::ReplyStatus::ok) refused_.push_back(what + ": " + reply.text);
}

void Day::opens(base::Time time, const Opening& opening) {
  plans_[opening.task.prompt] = opening.task.plan;
  at(time, [this, opening] {
    domain::Spawn spawn;
    spawn.name = opening.name;
    spawn.prompt = opening.task.prompt;
    spawn.spec.engine = "scripted";
    spawn.spec.workdir = "/srv";
    spawn.spec.is_multi_turn = opening.is_multi_turn;
    spawn.spec.budget = opening.budget;
    spawn.spec.run_timeout = opening.run_timeout;
    spawn.origin_channel = opening.channel;
    if (opening.parent.empty()) {
      spawn.descriptor = {
          domain::DescriptorKind::user, "telegram", opening.name, opening.name, {}, {}};
    } else {
      spawn.descriptor = {domain::DescriptorKind::subagent, {}, {}, {}, {},
                          sessions_.at(opening.parent)};
    }
    const base::SessionId session = world_.make_session();
    sessions_[opening.name] = session;
    expect_taken(world_.ask(spawn, session), "opening " + opening.name);
  });
}

void Day::asks(base::Time time, const std::string& name, const Task& task) {
  plans_[task.prompt] = task.plan;
  at(time, [this, name, task] {
    const domain::SessionCommand command(domain::SendPrompt{task.prompt, false});
    expect_taken(world_.ask(command, session(name)), "asking " + name);
  });
}

void Day::asks_in_vain(base::Time time, const std::string& name, const std::string& code) {
  at(time, [this, name, code] {
    const auto reply =
        world_.ask(domain::SessionCommand(domain::SendPrompt{"And more.", false}), session(name));
    if (reply.code != code) refused_.push_back("a prompt for " + name + " is not refused");
  });
}

void Day::does(base::Time time, const std::string& name, const domain::SessionCommand& command) {
  at(time + kHalfASecond, [this, name, command] {
    expect_taken(world_.ask(command, session(name)), "a command for " + name);
  });
}

void Day::schedules(base::Time time, domain::ScheduleSpec spec, const TurnPlan& plan) {
  plans_[spec.prompt] = plan;
  spec.agent = "main";
  spec.session.engine = "scripted";
  spec.session.workdir = "/srv";
  at(time, [this, spec] {
    expect_taken(world_.ask(domain::SchedulesCommand(domain::AddSchedule{spec}), {}),
                 "the schedule " + spec.name);
  });
}

void Day::run() {
  for (const auto& [time, what] : agenda_) {
    world_.run_to(time);
    what();
  }
}

std::map<base::SessionId, std::string> Day::names() const {
  std::map<base::SessionId, std::string> names;
  std::map<std::string, int> runs;
  for (const domain::RecordedEvent& event : world_.log().events()) {
    const auto* opened = event.event.as<domain::SessionOpened>();
    if (opened == nullptr) continue;
    const std::string& task = opened->descriptor->task;
    names[opened->session] =
        task.empty() ? opened->name : task + " " + std::to_string(++runs[task]);
  }
  return names;
}

std::pair<Heard, Heard> Day::all_heard() const {
  std::pair<Heard, Heard> heard;
  const auto names = this->names();
  std::set<base::Position> before;
  for (const Delivery& delivery : world_.deliveries()) {
    const domain::NotificationRequested& requested = delivery.requested;
    const std::string& name = names.at(requested.session);
    std::string who(kOrchestrator);
    if (requested.target == domain::NotificationTarget::channel) who = requested.channel;
    if (requested.target == domain::NotificationTarget::parent) who = names.at(requested.parent);
    std::string text = delivery.text;
    replace_all(text, requested.alias, name);
    replace_all(text, "\n", " / ");
    const bool is_first = before.insert(delivery.id).second;
    (is_first ? heard.first : heard.second)[{who, name}].push_back(std::move(text));
  }
  return heard;
}

std::vector<std::string> Day::shown() const {
  std::vector<std::string> all;
  const auto names = this->names();
  for (const ShownText& shown : world_.shown()) {
    std::string text = shown.text;
    replace_all(text, "\n", " / ");
    all.push_back(shown.channel + " about " + names.at(shown.session) + ": " + text);
  }
  return all;
}

std::vector<std::string> differences(const Heard& expected, const Heard& heard) {
  std::vector<std::string> all;
  const auto add = [&](const Hearer& hearer, const std::string& what, const std::string& text) {
    all.push_back(hearer.first + what + " of " + hearer.second + ": " + text);
  };
  // Adds the texts of `some` that `others` has not, as often as they are there.
  const auto add_missing = [&](const Heard& some, const Heard& others, const std::string& what) {
    for (const auto& [hearer, texts] : some) {
      const auto found = others.find(hearer);
      std::vector<std::string> left =
          found == others.end() ? std::vector<std::string>() : found->second;
      for (const std::string& text : texts) {
        const auto same = std::find(left.begin(), left.end(), text);
        if (same == left.end())
          add(hearer, what, text);
        else
          left.erase(same);
      }
    }
  };
  add_missing(expected, heard, " has not heard");
  add_missing(heard, expected, " was not to hear");
  if (!all.empty()) return all;
  for (const auto& [hearer, texts] : expected) {
    if (heard.at(hearer) != texts) add(hearer, " has heard in another order", texts.front());
  }
  return all;
}

}  // namespace simulation
