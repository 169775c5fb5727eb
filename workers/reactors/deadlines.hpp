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
  // Both references must outlive it.
  Deadlines(CommandLoop& commands, base::Random& random) : commands_(commands), random_(random) {}

  void restore(const domain::SessionState& session) override;
  void on_durable(const domain::RecordedEvent& event) override;
  void on_answer(std::uint64_t number, const CommandAnswer& answer) override;
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return next_timer_; }

 private:
  struct SessionKey {
    base::SessionId session;
    std::string agent;
    auto operator<=>(const SessionKey&) const = default;
  };
  struct Watched {
    domain::LeaseState state;  // durable
    base::Time due;            // its place in due_; 0: it has none
    bool is_passing = false;   // PassDeadline is with the command loop
  };

  void schedule(const SessionKey& key, Watched& watched, base::Time not_before = {});
  void pass(const SessionKey& key, Watched& watched, domain::DeadlineKind kind);

  CommandLoop& commands_;
  base::Random& random_;
  std::map<SessionKey, Watched> sessions_;
  std::set<std::pair<base::Time, SessionKey>> due_;
  std::map<std::uint64_t, SessionKey> asked_;
  std::uint64_t next_ticket_ = 0;
  base::Time now_;
  base::Duration ahead_{};  // log time over wall time
  base::Time up_since_;  // log time; 0: the server has not taken over yet
  base::Duration next_timer_ = base::Duration::max();
};

}  // namespace workers
