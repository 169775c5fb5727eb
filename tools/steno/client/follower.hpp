// Follows one level of the feed while also waiting for Ctrl-C, for input and for a time.
#pragma once

#include <memory>
#include <optional>

#include "bus/subscription.hpp"
#include "tools/steno/client/connection.hpp"

namespace steno {

enum class Wake { event, interrupted, input, timer, output_closed };

struct WaitFor {
  int input_fd = -1;                    // -1: no input is wanted
  int output_fd = -1;                   // a pipe whose reader may go away; -1: of no interest
  std::optional<base::Duration> until;  // boot time
};

class Follower {
 public:
  // Events after `after`, each once and in order. `connection` must outlive it.
  static Outcome<std::unique_ptr<Follower>> open(Connection& connection, std::string level,
                                                 base::Position after);

  // Waits for the first of what is wanted. A server that goes away is waited for; one remark on
  // stderr says so: within a second of its end, or after eight of silence. Failure: the log is
  // another one, or cannot be read.
  Outcome<Wake> wait(const WaitFor& wanted);
  // After Wake::event: the event.
  const bus::FeedEvent& event() const { return event_; }
  // What is asked of the server now would wait for another one.
  bool is_unanswered() const { return is_silence_told_ || connection_.is_server_gone(); }

 private:
  Follower(Connection& connection, std::unique_ptr<bus::SubscriberSocket> socket,
           bus::SubscriptionOptions options);
  void watch_silence(base::Duration now, bool has_worked);

  Connection& connection_;
  std::unique_ptr<bus::SubscriberSocket> socket_;
  bus::ClientLogReader reader_;
  bus::Subscription subscription_;
  bus::FeedEvent event_;
  base::Duration progress_at_;
  base::Duration looked_at_{0};  // whether the server is still there
  bool is_gone_ = false;
  bool is_silence_told_ = false;
};

}  // namespace steno
