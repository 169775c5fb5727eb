// Follows one level of the log from a position: gives every event of it exactly once and in order,
// although the feed can lose, double and reorder messages.
//
// It subscribes, then probes. The answer comes over the same connection, so the subscription is in
// force, and it gives the durable head. It reads the log up to there while live messages wait, and
// drops by position the events that it has had. It reads the log again wherever a message does not
// follow on.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "bus/feed_message.hpp"
#include "bus/log_reader.hpp"
#include "eventlog/base/one_thread.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

struct SubscriptionOptions {
  std::string level;  // at most kTopicBytesMax bytes
  Position after;     // the last event that the caller has finished; 0: from the beginning
  // The history that `after` belongs to; none: that of the first answer. Any other one is an error.
  std::optional<LogIdentity> identity;
  // The most events that wait for the caller; beyond it nothing is taken from the feed or the log.
  std::size_t ready_max = 4096;
  // digest_of the event at `after`; none: the log is believed to be unchanged up to there.
  std::optional<Hash> digest{};
};

struct SubscriptionCounts {
  std::int64_t gaps = 0;        // messages that did not follow on
  std::int64_t duplicates = 0;  // events dropped by position
  std::int64_t pages = 0;       // read from the log
  std::int64_t probes = 0;
  std::int64_t bad_messages = 0;  // could not be decoded; treated as lost
};

class Subscription {
 public:
  // How long a probe's answer, or any message at all, is awaited before probing (again).
  static constexpr base::Duration kProbeTimeout{1'000'000};
  static constexpr base::Duration kSilenceMax{5'000'000};
  // The pause after a page that brought nothing, or an error that can pass.
  static constexpr base::Duration kRetryEvery{100'000};
  // Live messages that wait for the log to catch up with them. Beyond it the first ones are
  // dropped, since the log has them. 64 messages are up to 16 MiB.
  static constexpr std::size_t kWaitingMax = 64;
  static constexpr int kMessagesPerCycle = 256;

  // The ports must outlive the subscription and have no other user.
  Subscription(SubscriberSocket& socket, LogReader& reader, base::Random& random,
               SubscriptionOptions options);
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  // One duty cycle; returns how much it did.
  int do_work(base::Duration now);
  // The time at which do_work() has something to do even if nothing arrives.
  base::Duration next_timer() const;

  // Returns the next event, in order; one with position 0 is ephemeral. An error is final, returned
  // once, after the events before it:
  // - wrong_log: log or epoch are not those begun with, the log ends before a position that was
  //   finished, or it has another event at the one last seen
  // - damaged: a page's positions are out of order
  // - too_large: the level's name is
  // - any error of the log reader that a retry cannot cure
  std::optional<Result<FeedEvent>> receive();

  // The position to resume after: all events of the level up to it were given to the caller.
  Position position() const { return ready_events_ == 0 ? complete_ : given_; }
  // digest_of the event at position(), whatever its level, to resume with; none: it is not known,
  // or events wait for the caller.
  std::optional<Hash> digest() const;
  const std::optional<LogIdentity>& identity() const { return identity_; }
  // True when the log was read in this life of the server, the subscription is in force, and all
  // that the publisher is known to have sent has been received.
  bool is_live() const;
  const SubscriptionCounts& counts() const { return counts_; }

 private:
  bool has_room() const { return ready_.size() < options_.ready_max; }
  void take_message(const FeedFrame& frame, base::Duration now);
  void take_probe_answer(const FeedHeader& header);
  void take_events(FeedMessage message);
  void take_ephemeral(FeedMessage message);
  void take_page(Result<LogPage> page, base::Duration now);
  std::optional<Hash> digest_at_complete() const;
  bool follows_on(const FeedHeader& header) const;
  void deliver(FeedMessage& message);
  void deliver(std::vector<FeedEvent>& events, Position complete);
  void apply_waiting();
  void need(Position position);
  bool accept_identity(const LogIdentity& identity);
  void fail(base::Error error);
  void probe(base::Duration now);
  void drive_probe(base::Duration now);
  void drive_reading(base::Duration now);

  SubscriberSocket& socket_;
  LogReader& reader_;
  base::Random& random_;
  const SubscriptionOptions options_;

  std::optional<LogIdentity> identity_;
  std::optional<base::ServerId> incarnation_;
  Position complete_;  // all events of the level up to here are delivered or in ready_
  // The facts of the event at complete_, or their digest; neither: it is not known.
  Bytes complete_facts_;
  std::optional<Hash> complete_digest_;
  Position needed_;                          // the level goes on up to here, or can
  Position given_;                           // position of the last event that the caller took
  std::map<Position, FeedMessage> waiting_;  // live messages that do not follow on yet, by first
  std::deque<FeedEvent> ready_;
  std::size_t ready_events_ = 0;  // of ready_, those that are not ephemeral

  bool is_started_ = false;
  bool is_joined_ = false;  // the last probe was answered
  bool must_probe_ = false;
  bool is_reading_ = false;  // a page is asked for
  Position asked_after_;     // the position that the page is asked after
  // The log is read once in each life of a server, to advance without a feed too, and to learn
  // whether its log is still the one that was followed. Live messages wait until then.
  bool must_read_ = true;
  bool is_page_of_earlier_life_ = false;  // the page asked for is, or can be
  std::string probe_topic_;               // empty: no probe is out
  base::Duration probed_at_{0};
  base::Duration heard_at_{0};
  base::Duration read_at_{0};  // the earliest time of the next request

  std::optional<base::Error> error_;
  bool is_error_told_ = false;
  SubscriptionCounts counts_;
  base::OneThread thread_;
};

}  // namespace bus
