// Makes the copies of the log that clients ask for, and records what came of each. What a killed
// server left is proved, or removed, at the start.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workers/reactors/upkeep.hpp"

namespace workers {

constexpr std::string_view kVerbBackups = "backups";  // no body → BackupsAnswer

struct BackupRow {
  std::string name;
  std::string folder;
  Position begun;
  Position through;   // its last event; 0: it is being made, or could not be
  std::string fault;  // why it could not; such a backup is forgotten already

  bool operator==(const BackupRow&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("folder", self.folder);
    visit("begun", self.begun);
    visit("through", self.through);
    visit("fault", self.fault);
  }
};

struct BackupsAnswer {
  std::vector<BackupRow> backups;  // by name

  bool operator==(const BackupsAnswer&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("backups", self.backups);
  }
};

class Backups final : public Reactor {
 public:
  // Both outlive it.
  Backups(CommandLoop& commands, Upkeep& upkeep) : commands_(commands), upkeep_(upkeep) {}

  void begin(Position started_at, std::int64_t writer_term) override;
  // Only what is durably on the record is made, so that no erasure misses it.
  void on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) override;
  std::string_view verb() const override { return kVerbBackups; }
  base::RawValue answer() const override { return bus::to_body(list()); }
  bool do_work(const Cycle& cycle) override;

 private:
  BackupsAnswer list() const;

  CommandLoop& commands_;
  Upkeep& upkeep_;
  Position durable_;
  std::map<std::string, BackupRow> failed_;  // of this server's life, by name
};

}  // namespace workers
