// Makes the backups that clients ask for, and records the result of each. At the start it proves or
// removes what a killed server left.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workers/protocol/copies.hpp"
#include "workers/reactors/upkeep.hpp"

namespace workers {

class Backups final : public Reactor {
 public:
  // Both must outlive it.
  Backups(CommandLoop& commands, Upkeep& upkeep) : commands_(commands), upkeep_(upkeep) {}

  void begin(Position started_at, std::int64_t writer_term) override;
  // A backup is made only once its command is durable, so that no erasure misses it.
  void on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) override;
  std::string_view verb() const override { return kVerbBackups; }
  base::RawValue answer(const DurableStates& durable) const override;
  bool do_work(const Cycle& cycle) override;

 private:
  CommandLoop& commands_;
  Upkeep& upkeep_;
  std::map<std::string, BackupRow> failed_;  // in this server's life, by name
};

}  // namespace workers
