// Makes the archives that clients ask for: copies the log's beginning, puts its end on the record
// as an anchor, and only then has the log trimmed. What a killed server left is removed, or
// trimmed, at the start.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "workers/protocol/copies.hpp"
#include "workers/reactors/upkeep.hpp"

namespace workers {

class Archives final : public Reactor {
 public:
  // Both outlive it.
  Archives(CommandLoop& commands, Upkeep& upkeep) : commands_(commands), upkeep_(upkeep) {}

  void begin(Position started_at, std::int64_t writer_term) override;
  void on_durable(const domain::RecordedEvent& event) override;
  void prepare(domain::ServerCommand& command) override;
  void on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) override;
  std::string_view verb() const override { return kVerbArchives; }
  base::RawValue answer(Position durable) const override { return bus::to_body(list(durable)); }
  bool do_work(const Cycle& cycle) override;

 private:
  void begin_archive(const domain::BeginArchive& command, Position begun);
  void finish(const ArchiveResult& done);
  void finish(const TrimResult& done);
  std::vector<std::string> needed() const;
  ArchivesAnswer list(Position durable) const;

  CommandLoop& commands_;
  Upkeep& upkeep_;
  std::deque<TrimOrder> trims_;               // to be given when the archive is durably on record
  std::vector<TrimOrder> set_aside_;          // their archives may be about to be forgotten
  base::Time trim_due_;                       // log time, after one that was not done
  std::map<std::string, ArchiveRow> failed_;  // of this server's life, by name
  std::map<std::string, std::string> untrimmed_;  // why a log is not trimmed, by archive
  base::Time now_;
  base::Time wall_;
  Position durable_;
};

// Where events up to `state.trimmed` are, in words; empty: in the log.
std::string where_archived(const domain::ServerState& state);

}  // namespace workers
