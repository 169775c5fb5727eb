// Compares the log after a crash with the answers that were given before it, event by event, and
// the index and snapshots with a fold of the log.
#include "tests/crash/disk_stage.hpp"

#include "eventlog/proof/verify.hpp"
#include "tests/simulation/log_observer.hpp"
#include "tests/support/log.hpp"

namespace crash {
namespace {

tl::unexpected<base::Error> violated(const std::string& what) {
  return base::failure(base::ErrorCode::damaged, what);
}

// Checks that each command has all of its events or none, and that an acknowledged one is at the
// position of its answer, with its words.
Result<void> check_commands(eventlog::BlockStore& store, const DiskStage& stage,
                            std::int64_t last) {
  const std::vector<std::string> opened = {"SessionOpened", "SessionNamed", "TurnQueued",
                                           "SessionAdmitted"};
  const std::vector<std::string> prompted = {"TurnQueued"};
  std::map<base::CommandId, std::vector<domain::RecordedEvent>> found;
  for (auto& event : support::all_events(store, true)) {
    found[event.envelope.command].push_back(std::move(event));
  }
  for (std::int64_t number = 1; number <= last + 2; ++number) {
    const auto& events = found[crash::command_id(number)];
    const auto acknowledged = stage.acknowledged.find(number);
    const std::string command = "command " + std::to_string(number);
    if (events.empty()) {
      if (acknowledged == stage.acknowledged.end()) continue;
      return violated(command + " was acknowledged and is lost");
    }
    std::vector<std::string> types;
    for (const auto& event : events) types.push_back(event.envelope.type);
    const bool is_spawn = number <= crash::kSessionsOfLife;
    if (types != (is_spawn ? opened : prompted)) return violated(command + " is there in part");
    const domain::RecordedEvent& queued = events[is_spawn ? 2 : 0];
    if (!queued.content || queued.content->text != crash::prompt_of_command(number)) {
      return violated(command + " has lost its words");
    }
    if (acknowledged != stage.acknowledged.end() &&
        acknowledged->second != queued.envelope.position) {
      return violated(command + " is not where its answer said");
    }
  }
  return {};
}

Result<void> check_log(eventlog::BlockStore& store, const DiskStage& stage, std::int64_t last) {
  if (store.tail() < stage.told) {
    return violated("the log ends at " + std::to_string(store.tail().value) + ", and " +
                    std::to_string(stage.told.value) + " was told");
  }
  const auto head = eventlog::read_head_file(stage.root() + "/head");
  if (!head) return tl::unexpected(head.error());
  const auto report = eventlog::verify_log(store, *head);
  if (!report.problems.empty()) return violated(report.problems.front().text);
  return check_commands(store, stage, last);
}

// Checks that index and snapshots agree with the events of every session.
Result<void> check_rows(ServerLife& life) {
  simulation::LogObserver log;
  if (auto wrong = log.follow(life.store()); !wrong.empty()) return violated(wrong);
  for (const auto& [stream, state] : log.states()) {
    if (!std::holds_alternative<domain::SessionState>(state)) continue;
    const auto loaded = life.load(stream);
    if (!loaded) return tl::unexpected(loaded.error());
    if (loaded->state != state) return violated("another state of " + stream);
  }
  return {};
}

}  // namespace

void end(DiskStage& stage, End how) {
  using support::PowerLoss;
  if (how != End::is_killed) {
    stage.disk.cut_power(how == End::tears ? PowerLoss::tears : PowerLoss::drops);
  }
  stage.disk.restart();
}

Result<void> live(DiskStage& stage, std::int64_t first, std::int64_t last,
                  std::size_t write_buffer_bytes) {
  auto life = ServerLife::begin(stage.root(), stage.disk, write_buffer_bytes);
  if (!life) return tl::unexpected(life.error());
  if (auto ok = (*life)->take_over(); !ok) return ok;
  for (std::int64_t number = first, count = 1; number <= last; number += count++) {
    const std::int64_t through = std::min(last, number + count - 1);
    if (auto ok = (*life)->ask(number, through, stage.acknowledged); !ok) return ok;
  }
  return {};
}

Result<void> check_and_go_on(DiskStage& stage, std::int64_t last) {
  base::SystemRandom random;
  if (stage.told.value > 0) {
    auto seen = eventlog::open_log(stage.root(), eventlog::LogMode::read_only, random);
    if (!seen) return tl::unexpected(seen.error());
    if (auto ok = check_log(*seen->store, stage, last); !ok) return ok;
  }
  auto life = ServerLife::begin(stage.root(), stage.disk, eventlog::kWriteBufferBytes);
  if (!life) return tl::unexpected(life.error());
  if (auto ok = check_rows(**life); !ok) return ok;
  if (auto ok = (*life)->take_over(); !ok) return ok;
  // All commands are sent once more; those that were answered must get the same answer.
  if (auto ok = (*life)->ask(1, last + 2, stage.acknowledged); !ok) return ok;
  return check_log((*life)->store(), stage, last);
}

}  // namespace crash
