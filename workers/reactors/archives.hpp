// Makes the archives that clients ask for: copies the log's beginning, records the copy's end as an
// anchor, and only then has the log trimmed. At the start it removes or trims what a killed server
// left.
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
  // All references must outlive it.
  Archives(CommandLoop& commands, Upkeep& upkeep, const StreamsUnderWay& streams)
      : commands_(commands), upkeep_(upkeep), streams_(streams) {}

  void begin(Position started_at, std::int64_t writer_term) override;
  void on_durable(const domain::RecordedEvent& event) override;
  void prepare(domain::ServerCommand& command) override;
  void on_decided(const domain::ServerCommand& command, const CommandOutcome& outcome) override;
  std::string_view verb() const override { return kVerbArchives; }
  base::RawValue answer(const DurableStates& durable) const override;
  bool do_work(const Cycle& cycle) override;

 private:
  void begin_archive(const domain::BeginArchive& command, Position begun);
  void finish(const ArchiveResult& done);
  void finish(const TrimResult& done);

  CommandLoop& commands_;
  Upkeep& upkeep_;
  const StreamsUnderWay& streams_;
  std::deque<TrimOrder> trims_;               // ordered once their archive's record is durable
  std::vector<TrimOrder> set_aside_;          // those of archives that are about to be forgotten
  base::Time trim_due_;                       // log time of the next try after a failed one
  std::map<std::string, ArchiveRow> failed_;  // in this server's life, by name
  std::map<std::string, std::string> untrimmed_;  // why the log is not trimmed, by archive
  base::Time now_;
  base::Time wall_;
  Position durable_;
};

}  // namespace workers
