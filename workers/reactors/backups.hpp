// Makes the copies of the log that clients ask for, and records what came of each. What a killed
// server left is proved, or removed, at the start.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workers/protocol/copies.hpp"
#include "workers/reactors/upkeep.hpp"

namespace workers {

class Backups final : public Reactor {
 public:
  // Both outlive it.
  Backups(CommandLoop& commands, Upkeep& upkeep) : commands_(commands), upkeep_(upkeep) {}

  void begin(Position started_at, std::int64_t writer_term) override;
  // Only what is durably on the record is made, so that no erasure misses it.
  void on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) override;
  std::string_view verb() const override { return kVerbBackups; }
  base::RawValue answer(Position durable) const override { return bus::to_body(list(durable)); }
  bool do_work(const Cycle& cycle) override;

 private:
  BackupsAnswer list(Position durable) const;

  CommandLoop& commands_;
  Upkeep& upkeep_;
  std::map<std::string, BackupRow> failed_;  // of this server's life, by name
};

}  // namespace workers
