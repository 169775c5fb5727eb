// Has the runs of conversations begun when it is their turn, and interrupted when somebody asks for
// it. A run's prompt goes to its session under the run's id, which is on the record first, so no
// run is begun twice.
#pragma once

#include <functional>
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
  // The references must outlive it. `want_place` is called for a run that finds no place for its
  // session.
  Conversations(CommandLoop& commands, base::Random& random, const SessionsUnderWay& sessions,
                std::unique_ptr<ContentLoader> contents, std::function<void()> want_place);

  void on_durable(const domain::RecordedEvent& event) override;
  bool do_work(const Cycle& cycle) override;
  std::vector<int> wake_fds() const override { return {contents_->wake_fd()}; }
  base::Duration next_timer() const override { return next_timer_; }

 private:
  enum class Step { advance, begin, refuse, interrupt, close, steer, settle };
  struct Asked {
    StreamKey conversation;
    Step step = Step::advance;
    base::TurnId run;
    Position message{};  // of steer and settle
  };
  struct MessageText {
    std::string text;
    std::vector<domain::FileFacts> files;
  };
  // What this server has done for a run.
  struct Doing {
    base::TurnId run;
    std::set<Position> awaited;  // texts and files that are being read
    // The texts that were read, by position. A text that the log has no more is left out.
    std::map<Position, MessageText> texts;
    std::map<Position, std::string> files;  // kept until the session has them
    bool is_read = false;                   // all of them were asked for
    bool is_sent = false;                   // a command of the run is under way
    bool is_begun = false;                  // the session has taken the prompt
    bool is_interrupted = false;
    std::set<Position> sought;  // messages to be added to its turn whose texts were asked for
    std::set<Position> steers;  // those that its session is asked to take
  };

  bool look(const Cycle& cycle);
  bool advance(const StreamKey& key, const domain::LaneWork& work, bool is_its_turn,
               const Cycle& cycle);
  bool carry_out(const StreamKey& key, const domain::LaneWork& work);
  bool steer(const StreamKey& key, const domain::LaneWork& work, Doing& doing);
  bool close_left();
  void close_now(const StreamKey& key);
  void read(const StreamKey& key, Doing& doing, const std::vector<Position>& messages);
  void request_durable();
  static std::string prompt_of(const domain::ConversationRun& run, const Doing& doing);
  static domain::PromptFiles files_of(const domain::ConversationRun& run, const Doing& doing);
  void begin_run(const StreamKey& key, const domain::LaneWork& work, Doing& doing);
  bool take_texts();
  static void keep(Doing& doing, Position at, const domain::RecordedEvent& read);
  void send(Asked asked, domain::ConversationCommand command);
  void on_answer(const Asked& asked, const CommandOutcome& outcome);
  void wait_for(base::Duration wait);

  CommandLoop& commands_;
  const SessionsUnderWay& sessions_;
  const std::unique_ptr<ContentLoader> contents_;
  const std::function<void()> want_place_;
  std::map<StreamKey, Doing> doing_;          // by conversation
  std::set<StreamKey> busy_;                  // conversations with an advance under way
  std::set<StreamKey> closing_;               // sessions that were asked to close
  std::map<StreamKey, base::Duration> held_;  // boot time before which nothing is tried
  std::multimap<Position, StreamKey> wanted_;
  Position durable_;           // on disk; what the lanes say can be ahead of it
  std::set<Position> coming_;  // to be read once they are durable
  std::set<Position> unread_;  // to be read again, as they could not be read
  base::Time read_at_;         // log time from which on they are
  base::Time now_;
  base::Duration boot_{0};
  base::Duration close_again_{0};  // boot time before which no session is asked to close
  bool is_changed_ = true;         // since the last look
  base::Duration next_timer_ = base::Duration::max();
  Outgoing<Asked> outgoing_;
};

}  // namespace workers
