// Uses the product's own subscriptions on one shared socket, over a log reader that can only be
// empty.
#include "tools/benchmarks/feed_subscriber.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "bus/poller.hpp"
#include "bus/shared_subscriber.hpp"
#include "bus/subscription.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tools/benchmarks/failure.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace benchmarks {
namespace {

// The log is empty when a subscription begins; reading it later means that a message was lost.
class NoLog final : public bus::LogReader {
 public:
  void request(bus::ReadRequest request) override { after_ = request.after; }
  std::optional<base::Result<bus::LogPage>> receive() override {
    if (!after_) return std::nullopt;
    const base::Position after = *std::exchange(after_, std::nullopt);
    if (after.value > 0) {
      return base::failure(base::ErrorCode::damaged, "the feed has lost a message");
    }
    bus::LogPage page;
    page.log = feed_identity().log;
    page.epoch = feed_identity().epoch;
    return page;
  }

 private:
  std::optional<base::Position> after_;
};

struct Followed {
  std::unique_ptr<bus::SubscriberSocket> socket;
  std::unique_ptr<NoLog> log;
  std::unique_ptr<bus::Subscription> subscription;
  std::int64_t next = 1;  // the position that the next event must have
  std::int64_t step = 1;
};

// Interval of looking at all subscriptions' timers, the shortest of which is 100 ms.
constexpr base::Duration kAllEvery{50'000};

// Follows any number of levels over one connection.
class FeedSubscriber {
 public:
  FeedSubscriber(std::unique_ptr<bus::SubscriberSocket> socket, std::int64_t report_every)
      : socket_(std::move(socket)), shared_(*socket_), report_every_(report_every) {}

  void follow(const std::string& level, std::int64_t first, std::int64_t step) {
    Followed followed;
    followed.socket = shared_.open(followed_.size());
    followed.log = std::make_unique<NoLog>();
    bus::SubscriptionOptions options;
    options.level = level;
    followed.subscription =
        std::make_unique<bus::Subscription>(*followed.socket, *followed.log, random_, options);
    followed.next = first;
    followed.step = step;
    followed_.push_back(std::move(followed));
  }

  bool is_live() const {
    return std::all_of(followed_.begin(), followed_.end(),
                       [](const Followed& f) { return f.subscription->is_live(); });
  }

  // Receives available messages, or waits. Drives only the subscriptions that received something,
  // and all of them every kAllEvery.
  base::Result<void> step() {
    const base::Duration at = clock_.boot();
    const int messages = shared_.do_work();
    while (const auto key = shared_.next_given()) {
      if (auto ok = drive(followed_[*key], at); !ok) return ok;
    }
    if (at >= all_at_) {
      all_at_ = at + kAllEvery;
      for (Followed& followed : followed_) {
        if (auto ok = drive(followed, at); !ok) return ok;
      }
    }
    if (messages > 0) return {};
    bus::PollItem item = bus::PollItem::of(*socket_);
    if (auto ready = bus::poll({&item, 1}, all_at_ - at); !ready) {
      return tl::unexpected(ready.error());
    }
    return {};
  }

 private:
  base::Result<void> drive(Followed& followed, base::Duration at) {
    while (followed.subscription->do_work(at) > 0) {
      while (auto event = followed.subscription->receive()) {
        if (!*event) return tl::unexpected(event->error());
        if (auto ok = take(followed, **event); !ok) return ok;
      }
    }
    return {};
  }

  base::Result<void> take(Followed& followed, const bus::FeedEvent& event) {
    if (auto ok = domain::decode_facts_to(recorded_, event.facts.bytes); !ok) return ok;
    if (event.position.value != followed.next) {
      return base::failure(base::ErrorCode::damaged, "an event was left out or came twice");
    }
    followed.next += followed.step;
    if (++received_ % report_every_ == 0) {
      std::printf("1\n");
      std::fflush(stdout);
    }
    return {};
  }

  std::unique_ptr<bus::SubscriberSocket> socket_;
  bus::SharedSubscriber shared_;
  const std::int64_t report_every_;
  base::SystemClock clock_;
  base::SystemRandom random_;
  std::vector<Followed> followed_;
  domain::RecordedEvent recorded_;
  base::Duration all_at_{0};
  std::int64_t received_ = 0;
};

}  // namespace

bus::LogIdentity feed_identity() {
  bus::LogIdentity identity;
  identity.log.bytes.fill(1);
  identity.epoch.counter = 1;
  return identity;
}

std::string feed_level(std::int64_t session) {
  base::SessionId id;
  id.bytes[0] = static_cast<char>(session / 256);
  id.bytes[1] = static_cast<char>(session % 256);
  return workers::session_level("bench", id);
}

int run_feed_subscriber(const std::string& spec) {
  const std::size_t comma = spec.rfind(',');
  const std::string endpoint = spec.substr(0, comma);
  const std::string what = spec.substr(comma + 1);
  bus::Context context;
  auto socket = bus::connect_subscriber(context, endpoint);
  if (!socket) return fail(socket.error());
  const bool is_all = what == "all";
  FeedSubscriber subscriber(std::move(*socket), is_all ? kFeedReportEvery : kFeedLevelReportEvery);
  if (is_all) {
    subscriber.follow(std::string(bus::kAllLevel), 1, 1);
  } else {
    const std::int64_t rest = std::stoll(what);
    const std::int64_t of = std::stoll(what.substr(what.find('/') + 1));
    for (std::int64_t session = rest; session < kFeedSessions; session += of) {
      subscriber.follow(feed_level(session), session == 0 ? kFeedSessions : session, kFeedSessions);
    }
  }
  bool is_told = false;
  for (;;) {
    if (auto ok = subscriber.step(); !ok) return fail(ok.error());
    if (is_told || !subscriber.is_live()) continue;
    is_told = true;
    std::printf("live\n");
    std::fflush(stdout);
  }
}

}  // namespace benchmarks
