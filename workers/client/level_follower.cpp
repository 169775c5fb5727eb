// Joins the log's pages and the live feed by bus::Subscription, and watches for silence.
#include "workers/client/level_follower.hpp"

#include <algorithm>
#include <utility>

#include "workers/client/presence.hpp"

namespace workers {
namespace {

bus::SubscriptionOptions subscription_options(const ServerClient& client,
                                              const LevelFollowerOptions& options) {
  bus::SubscriptionOptions wanted;
  wanted.level = options.level;
  wanted.after = options.after;
  // Replies named positions of this log; a restored log does not have them.
  if (const auto& welcome = client.welcome()) {
    wanted.identity = bus::LogIdentity{welcome->log, welcome->epoch};
  }
  return wanted;
}

}  // namespace

LevelFollower::LevelFollower(bus::SubscriberSocket& socket, ServerClient& client,
                             base::Clock& clock, base::Random& random, LevelFollowerOptions options)
    : command_endpoint_(std::move(options.command_endpoint)),
      client_(client),
      reader_(client.client(), options.page_timeout),
      subscription_(socket, reader_, random, subscription_options(client, options)),
      progress_at_(clock.boot()) {}

int LevelFollower::do_work(base::Duration now) {
  int work = client_.do_work(now);
  work += subscription_.do_work(now);
  look(now, work > 0 || std::exchange(has_given_, false));
  return work;
}

std::optional<base::Result<bus::FeedEvent>> LevelFollower::receive() {
  auto event = subscription_.receive();
  has_given_ |= event.has_value();
  return event;
}

base::Duration LevelFollower::next_timer() const {
  return std::min({client_.next_timer(), subscription_.next_timer(), looked_at_ + kLookEvery});
}

void LevelFollower::look(base::Duration now, bool has_worked) {
  if (now - looked_at_ >= kLookEvery) {
    looked_at_ = now;
    is_gone_ = is_server_gone(command_endpoint_);
  }
  const bool is_live = subscription_.is_live();
  if (has_worked || is_live) progress_at_ = now;
  if (is_gone_) {
    presence_ = Presence::gone;
  } else if (is_live) {
    presence_ = Presence::there;
  } else if (presence_ == Presence::there && now - progress_at_ >= kSilentAfter) {
    presence_ = Presence::silent;
  }
}

}  // namespace workers
