// Fires schedules that are due, and has their runs begun: opens a session, or sends a prompt. Both
// go under the run's id, which is on the record first, so no run is begun twice.
#pragma once

#include <map>
#include <set>
#include <string>

#include "workers/protocol/schedules.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

class Schedules final : public Reactor {
 public:
  // Both references must outlive it.
  Schedules(CommandLoop& commands, base::Random& random)
      : commands_(commands),
        random_(random),
        outgoing_(commands, random, "scheduler",
                  [this](const Asked& asked, const auto& outcome) { on_answer(asked, outcome); }) {}

  void on_durable(const domain::RecordedEvent& event) override;
  std::string_view verb() const override { return kVerbSchedules; }
  base::RawValue answer(const DurableStates& durable) const override;
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return next_timer_; }

 private:
  enum class Step { fire, begin, record };
  struct Asked {
    std::string schedule;
    Step step = Step::fire;
    base::CommandId run;
  };

  bool look(const Cycle& cycle);
  // Does what the schedule needs next. Returns true if anything was done; sets when to look again.
  bool advance(const domain::Schedule& schedule, const Cycle& cycle);
  void fire(const domain::Schedule& schedule);
  void begin_run(const domain::Schedule& schedule, const domain::ScheduleRun& run);
  void record(const std::string& schedule, const base::CommandId& run, std::string error);
  // Sends it to the stream of the schedules.
  void submit(Asked asked, domain::SchedulesCommand command);
  void on_answer(const Asked& asked, const CommandOutcome& outcome);
  // Looks again after that, or earlier.
  void wait_for(base::Duration wait);
  // Does nothing for the schedule meanwhile.
  void hold(const std::string& schedule, base::Duration wait);
  // Returns the boot time at which this server first tried to begin the run.
  base::Duration tried_since(const base::CommandId& run);

  CommandLoop& commands_;
  base::Random& random_;
  base::Time now_;
  base::Duration boot_{0};
  Outgoing<Asked> outgoing_;
  std::set<std::string> busy_;                       // schedules with a command under way
  std::map<std::string, base::Duration> held_;       // boot time before which nothing is tried
  std::map<std::string, base::Duration> fire_held_;  // likewise, for fires alone
  std::map<base::CommandId, base::Duration> tried_;  // by run: boot time of the first try
  std::map<std::string, std::string> faults_;        // by schedule: why it does not go on
  bool is_changed_ = true;                           // since the last look
  base::Duration next_timer_ = base::Duration::max();
};

}  // namespace workers
