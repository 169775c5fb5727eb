// Follows one level of the feed, and waits for Ctrl-C, input and a deadline at the same time.
#pragma once

#include <memory>
#include <optional>

#include "tools/steno/connection/connection.hpp"
#include "workers/client/level_follower.hpp"

namespace steno {

enum class Wake { event, interrupted, input, timer, output_closed };

struct WaitFor {
  int input_fd = -1;                    // -1: no input wanted
  int output_fd = -1;                   // a pipe whose reader can go away; -1: not watched
  std::optional<base::Duration> until;  // boot time
};

class Follower {
 public:
  // Follows events after `after`, each once and in order. `connection` must outlive the follower.
  static Outcome<std::unique_ptr<Follower>> open(Connection& connection, std::string level,
                                                 base::Position after);

  // Waits for the first wanted thing that happens. If the server goes away, waits for it to come
  // back. One remark on stderr says so: within a second of its end, or after eight seconds of
  // silence. Failure: the log is another one, or cannot be read.
  Outcome<Wake> wait(const WaitFor& wanted);
  // The event, after Wake::event.
  const bus::FeedEvent& event() const { return event_; }
  // True if a request sent now would have to wait for another server.
  bool is_unanswered() const { return is_silence_told_ || connection_.is_server_gone(); }

 private:
  Follower(Connection& connection, std::unique_ptr<bus::SubscriberSocket> socket,
           workers::LevelFollowerOptions options);
  void tell_presence();

  Connection& connection_;
  std::unique_ptr<bus::SubscriberSocket> socket_;
  workers::LevelFollower level_;
  bus::FeedEvent event_;
  bool is_silence_told_ = false;
};

}  // namespace steno
