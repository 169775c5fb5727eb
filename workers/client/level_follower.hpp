// Follows one level of the feed without waiting, and tells whether the server is still there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bus/subscription.hpp"
#include "workers/client/server_client.hpp"

namespace workers {

// The state of the server as a follower sees it.
enum class Presence {
  there,   // it answers, or can still answer in time
  silent,  // it lives and has not been heard for kSilentAfter
  gone     // its process has ended
};

struct LevelFollowerOptions {
  std::string level;
  base::Position after;  // the last position before the first event to give
  base::Duration page_timeout{30'000'000};
  std::string command_endpoint;  // the lock beside it tells whether the server is gone
};

// Used by one thread.
class LevelFollower {
 public:
  static constexpr base::Duration kSilentAfter = std::chrono::seconds(3);
  static constexpr base::Duration kLookEvery = std::chrono::seconds(1);  // at the server's lock

  // All references outlive it; `socket` is connected to the feed. If a server has welcomed
  // `client`, events of any log but that server's are an error.
  LevelFollower(bus::SubscriberSocket& socket, ServerClient& client, base::Clock& clock,
                base::Random& random, LevelFollowerOptions options);

  // One duty cycle, of the client too, at boot time `now`; returns how much it did.
  int do_work(base::Duration now);
  // Returns the next event of the level, each once and in order. An error is final: the log is
  // another one, or cannot be read.
  std::optional<base::Result<bus::FeedEvent>> receive();
  // Returns the presence as of the last do_work(). After `silent` and `gone` it is `there` again
  // when the feed is live.
  Presence presence() const { return presence_; }
  base::Duration next_timer() const;

 private:
  void look(base::Duration now, bool has_worked);

  const std::string command_endpoint_;
  ServerClient& client_;
  bus::ClientLogReader reader_;
  bus::Subscription subscription_;
  base::Duration progress_at_;
  base::Duration looked_at_{0};
  bool has_given_ = false;  // an event, since the last do_work()
  bool is_gone_ = false;
  Presence presence_ = Presence::there;
};

}  // namespace workers
