// Has the runs of conversations begun when it is their turn, and interrupted when somebody asks for
// it. A run's prompt goes to its session under the run's id, which is on the record first, so no
// run is begun twice.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "eventlog/domain/conversation/lanes.hpp"
#include "workers/reactors/content_loader.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

class Conversations final : public Reactor {
 public:
  // The references must outlive it.
  Conversations(CommandLoop& commands, base::Random& random, const SessionsUnderWay& sessions,
                std::unique_ptr<ContentLoader> contents);

  void on_durable(const domain::RecordedEvent& event) override;
  bool do_work(const Cycle& cycle) override;
  std::vector<int> wake_fds() const override { return {contents_->wake_fd()}; }
  base::Duration next_timer() const override { return next_timer_; }

 private:
  enum class Step { advance, begin, refuse, interrupt, close };
  struct Asked {
    StreamKey conversation;
    Step step = Step::advance;
    base::TurnId run;
  };
  // What this server has done for a run.
  struct Doing {
    base::TurnId run;
    std::set<Position> awaited;             // texts that are being read
    std::map<Position, std::string> texts;  // that were read; what the log has no more is left out
    bool is_read = false;                   // all of them were asked for
    bool is_sent = false;                   // a command of the run is under way
    bool is_begun = false;                  // the session has taken the prompt
    bool is_interrupted = false;
  };

  bool look(const Cycle& cycle);
  bool advance(const StreamKey& key, const domain::LaneWork& work, const Cycle& cycle);
  bool carry_out(const StreamKey& key, const domain::LaneWork& work);
  void read(const StreamKey& key, Doing& doing, const domain::ConversationRun& run);
  void begin_run(const StreamKey& key, const domain::LaneWork& work, Doing& doing);
  bool take_texts();
  void send(Asked asked, domain::ConversationCommand command);
  void on_answer(const Asked& asked, const CommandOutcome& outcome);
  void wait_for(base::Duration wait);

  CommandLoop& commands_;
  const SessionsUnderWay& sessions_;
  const std::unique_ptr<ContentLoader> contents_;
  std::map<StreamKey, Doing> doing_;          // by conversation
  std::set<StreamKey> busy_;                  // conversations with an advance under way
  std::map<StreamKey, base::Duration> held_;  // boot time before which nothing is tried
  std::multimap<Position, StreamKey> wanted_;
  std::set<Position> unread_;  // to be read again, as they could not be read
  base::Time read_at_;         // log time from which on they are
  base::Time now_;
  base::Duration boot_{0};
  bool is_changed_ = true;  // since the last look
  base::Duration next_timer_ = base::Duration::max();
  Outgoing<Asked> outgoing_;
};

}  // namespace workers
