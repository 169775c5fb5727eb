// The users of a simulated Steno: clients that send commands and queries and keep every answer, and
// subscribers that follow a level and must see exactly the log.
#pragma once

#include <deque>

#include "bus/client.hpp"
#include "bus/subscription.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/processes.hpp"

namespace simulation {

// The part of the world that actors see.
struct Stage {
  Surroundings& around;
  const LogObserver& log;
  History& history;
  std::vector<std::string>* trace;   // null: nobody reads it
  std::string& violation;            // the first one stays
  std::deque<std::string> sessions;  // streams of all sessions that were ever opened

  void say(const std::string& text);
  void violate(const std::string& text);
};

class ClientActor {
 public:
  ClientActor(Stage& stage, std::size_t number, std::uint64_t seed, std::int64_t commands);

  // Does the next step. True if there was one.
  bool do_work();
  // Its process dies and restarts: the connection is new, the id of a pending request is kept.
  void restart();
  // True once nothing is left to ask and every request was answered.
  bool is_done() const { return left_ == 0 && !asked_ && to_remove_.empty(); }
  void ask_for_more(std::int64_t commands) { left_ += commands; }
  Duration due() const;
  ProcessClock& clock() { return clock_; }

 private:
  struct Asked {
    base::CommandId id;
    std::string verb;
    base::RawValue body;
    Duration patience{0};  // beyond it an outcome is unknown
    std::size_t place = 0;
    bool is_sent = false;
  };
  struct Kept {  // an earlier command, to be sent again
    Asked asked;
    std::string stream;
  };

  void connect();
  std::vector<std::string> left_schedules() const;
  void choose();
  void choose_command();
  void ask(base::CommandId id, const domain::Command& command, const std::string& stream,
           base::SessionId session);
  void choose_repetition();
  void choose_query(const std::string& stream);
  domain::Command make_command(base::CommandId id, std::string& stream, base::SessionId& session);
  void take(const base::Result<bus::Reply>& reply);
  void take_row(Operation& operation, const base::RawValue& body);

  Stage& stage_;
  const std::size_t number_;
  base::SeededRandom random_;
  ProcessClock clock_;
  std::unique_ptr<bus::ClientSocket> socket_;
  std::unique_ptr<bus::Client> client_;
  std::int64_t left_;
  std::optional<Asked> asked_;
  Duration next_{0};
  std::vector<Kept> kept_;
  // Schedules that may be there. They are removed behind the last command, since nothing ends by
  // itself while they run.
  std::vector<std::string> to_remove_;
  std::string just_changed_;  // the last answer's session, to be read back
};

// Follows one level through a client of its own. It remembers its checkpoint and continues from
// there after a restart.
class SubscriberActor {
 public:
  SubscriberActor(Stage& stage, std::string name, std::string level, std::uint64_t seed);

  bool do_work();
  void stop(Duration until) { stopped_until_ = until; }
  void restart();
  bool has_seen(base::Position position) const { return seen_ >= position; }
  // The positions of all events that it received.
  const std::vector<base::Position>& given() const { return given_; }
  const std::string& level() const { return level_; }
  Duration due() const;
  std::int64_t gaps() const { return gaps_ + subscription_->counts().gaps; }

 private:
  void connect();
  void check_same(const bus::FeedEvent& event);

  Stage& stage_;
  const std::string name_;
  const std::string level_;
  ProcessClock clock_;
  base::SeededRandom random_;
  std::unique_ptr<bus::ClientSocket> client_socket_;
  std::unique_ptr<bus::SubscriberSocket> feed_socket_;
  std::unique_ptr<bus::Client> client_;
  std::unique_ptr<bus::ClientLogReader> reader_;
  std::unique_ptr<bus::Subscription> subscription_;
  base::Position seen_;
  std::optional<base::Hash> seen_digest_;  // of the last event it saw
  std::optional<bus::LogIdentity> identity_;
  std::vector<base::Position> given_;
  Duration stopped_until_{0};
  std::int64_t gaps_ = 0;
};

}  // namespace simulation
