// Watches the deadlines of sessions, such as how long one waits for a prompt, or a turn runs.
// Submits PassDeadline when one is due; the session decides what follows.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "workers/reactors/reactor.hpp"

namespace workers {

class Deadlines final : public Reactor {
 public:
  // All references must outlive it.
  Deadlines(CommandLoop& commands, base::Random& random, const SessionsUnderWay& sessions)
      : commands_(commands),
        sessions_(sessions),
        passes_(commands, random, "deadlines",
                [this](const StreamKey& key, const CommandOutcome&) { on_passed(key); }) {}

  void on_durable(const domain::RecordedEvent& event) override;
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return next_timer_; }

 private:
  struct Watched {
    base::Time due;           // its place in due_; 0: it has none
    bool is_passing = false;  // PassDeadline is with the command loop
  };
  // By time, then by session.
  struct Due {
    base::Time at;
    const StreamKey* session = nullptr;  // in watched_

    bool operator<(const Due& other) const {
      return at != other.at ? at < other.at : *session < *other.session;
    }
  };

  // `state` is that of the session; null: it is not under way.
  void schedule(const StreamKey& key, const domain::LeaseState* state, base::Time not_before = {});
  void pass(const StreamKey& key, domain::DeadlineKind kind);
  void on_passed(const StreamKey& key);

  CommandLoop& commands_;
  const SessionsUnderWay& sessions_;
  std::map<StreamKey, Watched> watched_;  // those with a deadline
  std::set<Due> due_;
  Outgoing<StreamKey> passes_;
  base::Time now_;
  base::Duration ahead_{};  // log time over wall time
  // Log time since which periods can run; 0: the server has not taken over yet. A step of log time
  // is no period, so all begin anew behind it.
  base::Time up_since_;
  StepWatch steps_;
  base::Duration next_timer_ = base::Duration::max();
};

}  // namespace workers
