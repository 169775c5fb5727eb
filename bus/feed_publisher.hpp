// Publishes durable events to those who follow a level: batched, each message with the position
// before it at its level, so that a subscriber sees what it missed. Says the ends of levels and of
// the log now and then, because the loss of a last message shows in nothing else.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/audience.hpp"
#include "bus/feed_message.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

// Levels whose last position is remembered. Those quiet longest are forgotten; their subscribers
// then check with the log once. About 200 bytes each.
constexpr std::size_t kLevelsMax = 65536;
// The log's head is said on kAllLevel this often.
constexpr base::Duration kHeadBeaconEvery{250'000};
// A level's last position is said this long after its last event.
constexpr base::Duration kLevelBeacons[] = {base::Duration{250'000}, base::Duration{1'000'000},
                                            base::Duration{4'000'000}};
// Subscriptions looked at in one duty cycle, so that a flood of them delays no event for long.
constexpr int kSubscriptionsPerCycle = 1024;

class FeedPublisher {
 public:
  struct Options {
    LogIdentity identity;
    base::ServerId incarnation;
    Position head;  // durable end of the log at the start
    std::size_t levels_max = kLevelsMax;
  };

  // `socket` must outlive the publisher.
  FeedPublisher(PublisherSocket& socket, Options options);

  // Events must be durable, and come in order without holes, each with all its levels (kAllLevel
  // among them), each of these at most kTopicBytesMax bytes. Content over kFeedContentMax is left
  // out here. Sent with the next flush at the latest, at the levels that somebody hears.
  void publish(FeedEvent event, const std::vector<std::string>& levels);
  // Whether somebody hears one of the levels: had subscribed to it before the last do_work.
  bool is_heard(const std::vector<std::string>& levels) const;
  // As publish, of an event that nobody hears.
  void pass(Position position, const std::vector<std::string>& levels);
  // Not stored, not repeated, not missed: a subscriber that is not live never sees it.
  void publish_ephemeral(const std::string& level, Bytes chunk);
  void flush(base::Duration now);
  // Flushes, answers probes, sends what beacons are due. Returns the number of messages sent.
  int do_work(base::Duration now);
  // When do_work has something to do again, if nothing is published before.
  base::Duration next_timer() const;

  Position head() const { return head_; }

 private:
  struct Level {
    Position last;
    base::Duration active{0};
    std::size_t beacons_sent = 0;
    std::uint64_t touched = 0;
  };
  struct Batch {
    bool is_heard = true;
    Bytes events;  // none of a batch that nobody hears
    FeedHeader header;
  };
  using Levels = std::unordered_map<std::string, Level>;

  FeedHeader header(FeedKind kind) const;
  Position previous_at(const std::string& level) const;
  Batch& add(const std::string& level, Position position, std::size_t bytes);
  void close(const std::string& level, Batch& batch);
  void touch(const std::string& level, Position last);
  void schedule(const std::string& name, const Level& level);
  void unschedule(const std::string& name, const Level& level);
  // Also answers those that are probes.
  void take_subscriptions();
  void send_beacons(base::Duration now);
  void send(std::string_view topic, const FeedHeader& header, ByteView events);

  PublisherSocket& socket_;
  const Options options_;
  Position head_;
  bool has_forgotten_;
  Position all_last_;
  base::Duration now_{0};
  base::Duration next_head_beacon_{0};
  std::uint64_t next_touch_ = 1;
  int sent_ = 0;
  Levels levels_;                                             // all but kAllLevel
  std::map<std::uint64_t, std::string> by_touch_;             // the level quiet longest comes first
  std::set<std::pair<base::Duration, std::string>> beacons_;  // one a level at most
  std::map<std::string, Batch> batches_;
  Audience audience_;
};

}  // namespace bus
