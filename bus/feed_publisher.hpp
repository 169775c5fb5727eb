// Publishes durable events, in batches, to the subscribers of a level. Each message gives the
// level's position before it, so that a subscriber sees a gap. Beacons tell the ends of levels and
// of the log, because nothing else shows that a last message was lost.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/audience.hpp"
#include "bus/feed_message.hpp"
#include "eventlog/base/one_thread.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

// Levels whose last position is remembered, about 200 bytes each. The levels that were quiet
// longest are forgotten; their subscribers then check with the log once.
constexpr std::size_t kLevelsMax = 65536;
// The interval of beacons on kAllLevel.
constexpr base::Duration kHeadBeaconEvery{250'000};
// Beacons of a level are sent this long after its last event.
constexpr base::Duration kLevelBeacons[] = {base::Duration{250'000}, base::Duration{1'000'000},
                                            base::Duration{4'000'000}};
// Subscriptions looked at in one duty cycle, so that a flood of them delays no event for long.
constexpr int kSubscriptionsPerCycle = 1024;

class FeedPublisher {
 public:
  struct Options {
    LogIdentity identity;
    base::ServerId incarnation;
    Position head;                        // durable end of the log at the start
    std::size_t levels_max = kLevelsMax;  // after each flush
  };

  // `socket` must outlive the publisher.
  FeedPublisher(PublisherSocket& socket, Options options);
  FeedPublisher(const FeedPublisher&) = delete;
  FeedPublisher& operator=(const FeedPublisher&) = delete;

  // Publishes an event. Events must be durable and come in order without holes, each with all its
  // levels (kAllLevel among them) of at most kTopicBytesMax bytes. Content over kFeedContentMax is
  // left out here. The event is sent with the next flush at the latest, at the levels that somebody
  // hears; with the mark of later_mark.hpp if `is_later`.
  void publish(FeedEvent event, const std::vector<std::string>& levels, bool is_later = false);
  // True if somebody hears one of the levels, by the subscriptions taken until the last do_work().
  bool is_heard(const std::vector<std::string>& levels) const;
  // Counts an event that nobody hears: as publish(), without its bytes.
  void pass(Position position, const std::vector<std::string>& levels);
  // Sends a chunk that is not stored and not repeated; a subscriber that is not live never sees it.
  void publish_ephemeral(const std::string& level, Bytes chunk);
  void flush(base::Duration now);
  // Flushes, answers probes, sends the beacons that are due. Returns the number of messages sent.
  int do_work(base::Duration now);
  // The time at which do_work() has something to do, if nothing is published before.
  base::Duration next_timer() const;

  Position head() const { return head_; }

 private:
  static constexpr std::size_t kNoBatch = SIZE_MAX;
  struct Level {
    const std::string* name = nullptr;  // its key in levels_, or kAllLevel's
    Position last;                      // kPreviousUnknown if the level is new here
    std::size_t batch = kNoBatch;       // in batches_
    base::Duration active{0};
    std::size_t beacons_sent = 0;
    std::list<Level*>::iterator place;  // in by_beacons_[beacons_sent]
  };
  // Events of a level that somebody hears, waiting for the next flush.
  struct Batch {
    Level* level = nullptr;
    Bytes events;
    bool is_later = false;  // so are all of them
    std::int64_t count = 0;
    Position first;
    Position last;
    Position previous;
  };
  // Batches that are kept for their memory, and the most bytes of each.
  static constexpr std::size_t kBatchesKept = 1024;
  static constexpr std::size_t kBatchBytesKept = 4 << 10;

  FeedHeader header(FeedKind kind) const;
  // Finds or makes the level and marks it as active now; its last position is still the one before.
  Level& touch(const std::string& level);
  void add(Level& level, Position position, bool is_later);
  void close(Batch& batch);
  void forget_quietest();
  // Takes new subscriptions, and answers those that are probes.
  void take_subscriptions();
  void send_beacons(base::Duration now);
  void send(std::string_view topic, const FeedHeader& header, ByteView events);

  PublisherSocket& socket_;
  const Options options_;
  Position head_;
  bool has_forgotten_;
  const std::string all_name_;
  Level all_;  // kAllLevel, which is not in levels_
  base::Duration now_{0};
  base::Duration next_head_beacon_{0};
  int sent_ = 0;
  std::unordered_map<std::string, Level> levels_;
  // Levels by how many of their beacons were sent, in each list the one quiet longest first. Levels
  // in a later list have been quiet for longer.
  std::array<std::list<Level*>, std::size(kLevelBeacons) + 1> by_beacons_;
  // The first open_batches_ are open; the others are kept for their memory.
  std::vector<Batch> batches_;
  std::size_t open_batches_ = 0;
  Bytes encoded_;  // the event that is being published
  Bytes message_;  // that is being sent
  Audience audience_;
  base::OneThread thread_;
};

}  // namespace bus
