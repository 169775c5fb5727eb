// An archive is ordered when its command is durable, and its trim when its completion is; failures
// are kept for `archive list`.
#include "workers/reactors/archives.hpp"

#include <algorithm>

namespace workers {
namespace {

// A failed trim is tried again after this. The cause is a reader, which is done in a moment, or a
// fault that somebody must repair.
constexpr base::Duration kTrimAgain = std::chrono::seconds(1);

}  // namespace

void Archives::begin(Position, std::int64_t) {
  for (const auto& [name, archive] : commands_.of<domain::ServerStream>().archives) {
    if (archive.through.value == 0) {
      ArchiveOrder order;
      order.name = name;
      order.folder = archive.folder;
      order.is_left_over = true;
      upkeep_.order(std::move(order));
    } else if (!archive.is_trimmed) {
      trims_.push_back({name, archive.folder, archive.through, {}});
    }
  }
}

void Archives::on_durable(const domain::RecordedEvent& event) {
  const auto* completed = event.event.as<domain::ArchiveCompleted>();
  if (completed == nullptr) return;
  const auto& archives = commands_.of<domain::ServerStream>().archives;
  const auto found = archives.find(completed->name);
  if (found == archives.end()) return;
  // The archive's anchor is the event right before.
  trims_.push_back({completed->name, found->second.folder, completed->through,
                    event.envelope.position.plus(-1)});
}

// Gives up a trim that could not be done, if its archive is to be forgotten and the log still holds
// all of it.
void Archives::prepare(domain::ServerCommand& command) {
  auto* forget = std::get_if<domain::ForgetArchive>(&command);
  if (forget == nullptr) return;
  const auto waiting = std::find_if(trims_.begin(), trims_.end(), [&](const TrimOrder& order) {
    return order.name == forget->name && untrimmed_.contains(order.name) && !order.is_begun;
  });
  forget->is_trim_given_up = waiting != trims_.end();
  if (!forget->is_trim_given_up) return;
  set_aside_.push_back(std::move(*waiting));
  trims_.erase(waiting);
}

void Archives::on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) {
  const bool is_accepted = outcome && !outcome->is_repeated;
  if (const auto* begin = std::get_if<domain::BeginArchive>(&command); begin && is_accepted) {
    begin_archive(*begin, outcome->position);
  }
  const auto* forget = std::get_if<domain::ForgetArchive>(&command);
  if (forget == nullptr) return;
  if (is_accepted) {
    untrimmed_.erase(forget->name);
    upkeep_.hurry();
  }
  const auto aside =
      std::find_if(set_aside_.begin(), set_aside_.end(),
                   [&](const TrimOrder& order) { return order.name == forget->name; });
  if (!forget->is_trim_given_up || aside == set_aside_.end()) return;
  if (!is_accepted) trims_.push_back(std::move(*aside));
  set_aside_.erase(aside);
}

void Archives::begin_archive(const domain::BeginArchive& command, Position begun) {
  failed_.erase(command.name);
  ArchiveOrder order;
  order.name = command.name;
  order.folder = command.folder;
  order.before = command.before;
  order.before_time = command.before_time;
  order.wall = wall_;
  order.durable = std::max(begun, durable_);
  order.needed = streams_.needed();
  // Texts and files of messages that no agent was given yet.
  for (const auto& [id, work] : commands_.of<domain::LanesStream>().works) {
    Position from = work.oldest;
    const Position of_run = work.run ? domain::oldest_of(*work.run) : Position{};
    // Messages that no session took can wait behind a run of younger ones.
    if (of_run.value > 0) from = from.value > 0 ? std::min(from, of_run) : of_run;
    if (from.value == 0) continue;
    order.needed.push_back({{domain::ConversationStream::kPattern, work.agent, id}, from});
  }
  upkeep_.order(std::move(order));
}

void Archives::finish(const ArchiveResult& done) {
  const ArchiveOrder& order = done.order;
  if (done.made) {
    const auto& outcome = done.made->outcome;
    upkeep_.record(
        domain::CompleteArchive{order.name, outcome.first, outcome.through, done.made->anchor});
    return;
  }
  const Position begun = commands_.of<domain::ServerStream>().archives.at(order.name).begun;
  failed_[order.name] = {
      order.name, order.folder, begun, {}, {}, false, base::describe(done.made.error())};
  upkeep_.record(domain::AbandonArchive{order.name});
}

void Archives::finish(const TrimResult& done) {
  if (done.done) {
    untrimmed_.erase(done.order.name);
    upkeep_.record(domain::RecordTrim{done.order.name, done.order.through});
    return;
  }
  untrimmed_[done.order.name] = base::describe(done.done.error());
  trim_due_ = now_ + kTrimAgain;
  trims_.push_front(done.order);
}

bool Archives::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  wall_ = cycle.wall;
  durable_ = cycle.durable;
  bool has_worked = false;
  if (const auto done = upkeep_.take_archive()) {
    has_worked = true;
    finish(*done);
  }
  if (const auto done = upkeep_.take_trim()) {
    has_worked = true;
    finish(*done);
  }
  if (!trims_.empty() && trims_.front().recorded < durable_ && now_ >= trim_due_) {
    has_worked = true;
    upkeep_.order(std::move(trims_.front()));
    trims_.pop_front();
  }
  return has_worked;
}

base::RawValue Archives::answer(const DurableStates& durable) const {
  std::map<std::string, ArchiveRow> rows = failed_;
  for (const auto& [name, archive] : durable.of<domain::ServerStream>().archives) {
    const auto fault = untrimmed_.find(name);
    rows[name] = {name,
                  archive.folder,
                  archive.begun,
                  archive.first,
                  archive.through,
                  archive.is_trimmed,
                  fault == untrimmed_.end() ? std::string() : fault->second};
  }
  ArchivesAnswer answer;
  for (auto& [name, row] : rows) answer.archives.push_back(std::move(row));
  return bus::to_body(answer);
}

}  // namespace workers
