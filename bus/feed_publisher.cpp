#include "bus/feed_publisher.hpp"

#include <algorithm>
#include <iterator>

#include "eventlog/base/check.hpp"
#include "eventlog/base/mutant.hpp"

namespace bus {

FeedPublisher::FeedPublisher(PublisherSocket& socket, Options options)
    : socket_(socket),
      options_(options),
      head_(options_.head),
      // Of a log that has events, no level's last position is known at the start.
      has_forgotten_(options_.head > Position{0}),
      all_last_(options_.head) {}

void FeedPublisher::publish(FeedEvent event, const std::vector<std::string>& levels) {
  CHECK(event.position == head_.next());
  head_ = event.position;
  if (event.content && event.content->bytes.size() > kFeedContentMax) {
    event.content_bytes = static_cast<std::int64_t>(event.content->bytes.size());
    event.content.reset();
  }
  const Bytes encoded = base::encode(event);
  for (const std::string& level : levels) {
    Batch& batch = add(level, event.position, encoded.size());
    if (batch.is_heard) batch.events.append(encoded);
    if (batch.header.count == static_cast<std::int64_t>(kFeedEventsMax)) close(level, batch);
  }
}

bool FeedPublisher::is_heard(const std::vector<std::string>& levels) const {
  return std::any_of(levels.begin(), levels.end(),
                     [&](const std::string& level) { return audience_.hears(level); });
}

void FeedPublisher::pass(Position position, const std::vector<std::string>& levels) {
  CHECK(position == head_.next());
  head_ = position;
  for (const std::string& level : levels) add(level, position, 0);
}

// Counts the event to the level's batch; the caller adds its bytes, which are so many.
FeedPublisher::Batch& FeedPublisher::add(const std::string& level, Position position,
                                         std::size_t bytes) {
  Batch& batch = batches_[level];
  if (batch.header.count > 0 && batch.events.size() + bytes > kFeedBytesMax) close(level, batch);
  if (batch.header.count == 0) {
    batch.is_heard = audience_.hears(level);
    batch.header = header(FeedKind::events);
    batch.header.first = position;
    batch.header.previous = previous_at(level);
  }
  batch.header.last = position;
  ++batch.header.count;
  return batch;
}

void FeedPublisher::publish_ephemeral(const std::string& level, Bytes chunk) {
  FeedEvent event;
  event.facts.bytes = std::move(chunk);
  FeedHeader ephemeral = header(FeedKind::ephemeral);
  ephemeral.count = 1;
  send(level, ephemeral, base::encode(event));
}

void FeedPublisher::flush(base::Duration now) {
  now_ = now;
  for (auto& [level, batch] : batches_) {
    if (batch.header.count > 0) close(level, batch);
  }
  batches_.clear();
}

int FeedPublisher::do_work(base::Duration now) {
  const int before = sent_;
  flush(now);
  take_subscriptions();
  send_beacons(now);
  return sent_ - before;
}

base::Duration FeedPublisher::next_timer() const {
  return beacons_.empty() ? next_head_beacon_
                          : std::min(next_head_beacon_, beacons_.begin()->first);
}

FeedHeader FeedPublisher::header(FeedKind kind) const {
  FeedHeader header;
  header.log = options_.identity.log;
  header.epoch = options_.identity.epoch;
  header.incarnation = options_.incarnation;
  header.kind = kind;
  header.head = head_;
  return header;
}

Position FeedPublisher::previous_at(const std::string& level) const {
  if (level == kAllLevel) return all_last_;
  const auto it = levels_.find(level);
  if (it != levels_.end()) return it->second.last;
  return has_forgotten_ && !base::mutant(base::Mutant::unknown_past_denied) ? kPreviousUnknown
                                                                            : Position{0};
}

// Sends the batch, if somebody hears it, and leaves it empty.
void FeedPublisher::close(const std::string& level, Batch& batch) {
  batch.header.head = head_;
  if (batch.is_heard) send(level, batch.header, batch.events);
  touch(level, batch.header.last);
  batch.events.clear();
  batch.header.count = 0;
}

void FeedPublisher::touch(const std::string& name, Position last) {
  if (name == kAllLevel) {
    all_last_ = last;
    return;
  }
  const auto [it, is_new] = levels_.try_emplace(name);
  Level& level = it->second;
  if (!is_new) {
    unschedule(name, level);
    by_touch_.erase(level.touched);
  }
  level = {last, now_, 0, next_touch_++};
  by_touch_.emplace(level.touched, name);
  schedule(name, level);
  if (levels_.size() <= options_.levels_max) return;
  const auto quiet = levels_.find(by_touch_.begin()->second);
  unschedule(quiet->first, quiet->second);
  levels_.erase(quiet);
  by_touch_.erase(by_touch_.begin());
  has_forgotten_ = true;
}

void FeedPublisher::schedule(const std::string& name, const Level& level) {
  if (level.beacons_sent == std::size(kLevelBeacons)) return;
  beacons_.emplace(level.active + kLevelBeacons[level.beacons_sent], name);
}

void FeedPublisher::unschedule(const std::string& name, const Level& level) {
  if (level.beacons_sent == std::size(kLevelBeacons)) return;
  beacons_.erase({level.active + kLevelBeacons[level.beacons_sent], name});
}

void FeedPublisher::take_subscriptions() {
  for (int i = 0; i < kSubscriptionsPerCycle; ++i) {
    const auto change = socket_.receive();
    if (!change) return;
    audience_.take(*change);
    if (!change->is_subscribe || !change->topic.starts_with(kProbePrefix)) continue;
    if (change->topic.size() > kTopicBytesMax) continue;
    send(change->topic, header(FeedKind::probe), {});
  }
}

void FeedPublisher::send_beacons(base::Duration now) {
  if (now >= next_head_beacon_) {
    FeedHeader beacon = header(FeedKind::beacon);
    beacon.last = base::mutant(base::Mutant::beacon_ahead) ? all_last_.next() : all_last_;
    send(kAllLevel, beacon, {});
    next_head_beacon_ = now + kHeadBeaconEvery;
  }
  while (!beacons_.empty() && beacons_.begin()->first <= now) {
    const std::string name = beacons_.begin()->second;
    beacons_.erase(beacons_.begin());
    Level& level = levels_.at(name);
    ++level.beacons_sent;
    schedule(name, level);
    if (!audience_.hears(name)) continue;
    FeedHeader beacon = header(FeedKind::beacon);
    beacon.last = level.last;
    send(name, beacon, {});
  }
}

void FeedPublisher::send(std::string_view topic, const FeedHeader& header, ByteView events) {
  socket_.publish(topic, encode_feed_message(header, events));
  ++sent_;
}

}  // namespace bus
