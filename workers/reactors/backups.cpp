// A backup is ordered when its command is durable; failures are kept for `backup list`.
#include "workers/reactors/backups.hpp"

#include "eventlog/domain/stream_name.hpp"

namespace workers {

void Backups::begin(Position, std::int64_t) {
  for (const auto& [name, backup] : commands_.of<domain::ServerStream>().backups) {
    if (backup.through.value == 0) {
      upkeep_.order(BackupOrder{name, backup.folder, backup.begun, true});
    }
  }
}

void Backups::on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) {
  if (!outcome || outcome->is_repeated) return;
  if (const auto* begun = std::get_if<domain::BeginBackup>(&command)) {
    failed_.erase(begun->name);
    upkeep_.order(
        BackupOrder{begun->name, begun->folder, outcome->position, false, begun->shares_files});
  } else if (std::holds_alternative<domain::ForgetBackup>(command)) {
    upkeep_.hurry();
  }
}

bool Backups::do_work(const Cycle&) {
  const auto done = upkeep_.take_backup();
  if (!done) return false;
  const BackupOrder& order = done->order;
  if (done->outcome) {
    upkeep_.record(domain::CompleteBackup{order.name, done->outcome->through});
  } else {
    failed_[order.name] = {
        order.name, order.folder, order.begun, {}, base::describe(done->outcome.error())};
    upkeep_.record(domain::AbandonBackup{order.name});
  }
  return true;
}

base::RawValue Backups::answer(const DurableStates& durable) const {
  std::map<std::string, BackupRow> rows = failed_;
  for (const auto& [name, backup] : durable.of<domain::ServerStream>().backups) {
    rows[name] = {name, backup.folder, backup.begun, backup.through, {}};
  }
  BackupsAnswer answer;
  for (auto& [name, row] : rows) answer.backups.push_back(std::move(row));
  return bus::to_body(answer);
}

}  // namespace workers
