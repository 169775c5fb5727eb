// Follows one level of the log from a position: every event of it exactly once and in order,
// although the feed may lose, double and reorder whatever it likes.
//
// It subscribes, then probes: the answer comes over the same connection, so the subscription is in
// force, and says the durable head. It reads the log up to there while live messages wait, drops
// by position what it has had, and reads the log again wherever a message does not follow on.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "bus/feed_message.hpp"
#include "bus/log_reader.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

struct SubscriptionOptions {
  std::string level;  // at most kTopicBytesMax bytes
  Position after;     // the last event that the caller has finished; 0: from the beginning
  // The history that `after` belongs to; none: whichever answers first. Any other one is an error.
  std::optional<LogIdentity> identity;
  // Events that wait for the caller, beyond which nothing is taken from the feed or the log.
  std::size_t ready_max = 4096;
  // digest_of the event at `after`; none: the log is believed to be as it was up to there.
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
  // An answer to a probe, or anything at all, is waited for this long before probing (again).
  static constexpr base::Duration kProbeTimeout{1'000'000};
  static constexpr base::Duration kSilenceMax{5'000'000};
  // After a page that brought nothing, or an error that may pass.
  static constexpr base::Duration kRetryEvery{100'000};
  // Live messages that wait for the log to catch up with them; the oldest are dropped beyond it,
  // as the log has them. 64 messages are up to 16 MiB.
  static constexpr std::size_t kWaitingMax = 64;
  static constexpr int kMessagesPerCycle = 256;

  // The ports must outlive the subscription, and serve it alone.
  Subscription(SubscriberSocket& socket, LogReader& reader, base::Random& random,
               SubscriptionOptions options);
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  // One duty cycle; returns how much it did.
  int do_work(base::Duration now);
  // When do_work has something to do again although nothing arrives.
  base::Duration next_timer() const;

  // The next event, in order; one with position 0 is ephemeral. An error is the end, told once,
  // after the events before it: wrong_log when log or epoch are not the ones begun with, or the
  // log does not have, where this subscription stands, the event that it has seen there; or what
  // the log reader refused with for good.
  std::optional<Result<FeedEvent>> receive();

  // All events of the level up to here have been given to the caller: what to resume after.
  Position position() const { return ready_events_ == 0 ? complete_ : given_; }
  // digest_of the event at position(), whatever its level, to be resumed with; none: it is not
  // known, or events wait for the caller.
  std::optional<Hash> digest() const;
  const std::optional<LogIdentity>& identity() const { return identity_; }
  // True when the log was read once, the subscription is in force, and all that the publisher is
  // known to have said has been received.
  bool is_live() const;
  // Why the log cannot be read just now; empty text: it can.
  const base::Error& trouble() const { return trouble_; }
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
  // Of the event at complete_: its facts, or their digest. Neither: it is not known.
  Bytes complete_facts_;
  std::optional<Hash> complete_digest_;
  Position needed_;                          // the level is known to go on up to here, or may
  Position given_;                           // position of the last event that the caller took
  std::map<Position, FeedMessage> waiting_;  // live messages that do not follow on yet, by first
  std::deque<FeedEvent> ready_;
  std::size_t ready_events_ = 0;  // of ready_, those that are not ephemeral

  bool is_started_ = false;
  bool is_joined_ = false;  // the last probe was answered
  bool must_probe_ = false;
  bool is_reading_ = false;  // a page is asked for
  Position asked_after_;     // of that page
  // Once in each life of a server: to get on without a feed too, and to learn whether its log is
  // still the one that was followed. Live messages wait until then.
  bool must_read_ = true;
  bool is_page_of_earlier_life_ = false;  // the one that is asked for, or may be
  std::string probe_topic_;               // empty: no probe is out
  base::Duration probed_at_{0};
  base::Duration heard_at_{0};
  base::Duration read_at_{0};  // not before

  base::Error trouble_;
  std::optional<base::Error> error_;
  bool is_error_told_ = false;
  SubscriptionCounts counts_;
};

}  // namespace bus
