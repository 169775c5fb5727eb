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
  for (const std::string& level : levels) add(level, event.position, encoded);
}

bool FeedPublisher::is_heard(const std::vector<std::string>& levels) const {
  return std::any_of(levels.begin(), levels.end(),
                     [&](const std::string& level) { return audience_.hears(level); });
}

void FeedPublisher::pass(Position position, const std::vector<std::string>& levels) {
  CHECK(position == head_.next());
  head_ = position;
  for (const std::string& level : levels) touch(level, position);
}

void FeedPublisher::add(const std::string& level, Position position, ByteView event) {
  if (!audience_.hears(level)) return touch(level, position);
  Batch& batch = batches_[level];
  if (batch.header.count > 0 && batch.events.size() + event.size() > kFeedBytesMax) {
    close(level, batch);
  }
  if (batch.header.count == 0) {
    batch.header = header(FeedKind::events);
    batch.header.first = position;
    batch.header.previous = previous_at(level);
  }
  batch.header.last = position;
  ++batch.header.count;
  batch.events.append(event);
  if (batch.header.count == static_cast<std::int64_t>(kFeedEventsMax)) close(level, batch);
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
  base::Duration next = next_head_beacon_;
  for (std::size_t sent = 0; sent < std::size(kLevelBeacons); ++sent) {
    if (by_beacons_[sent].empty()) continue;
    next = std::min(next, by_beacons_[sent].front()->active + kLevelBeacons[sent]);
  }
  return next;
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

// Sends the batch and leaves it empty.
void FeedPublisher::close(const std::string& level, Batch& batch) {
  batch.header.head = head_;
  send(level, batch.header, batch.events);
  touch(level, batch.header.last);
  batch.events.clear();
  batch.header.count = 0;
}

void FeedPublisher::touch(const std::string& name, Position last) {
  if (name == kAllLevel) {
    all_last_ = last;
    return;
  }
  const auto [at, is_new] = levels_.try_emplace(name);
  Level& level = at->second;
  std::list<Level*>& active = by_beacons_.front();
  if (is_new) {
    level.name = &at->first;
    level.place = active.insert(active.end(), &level);
  } else {
    active.splice(active.end(), by_beacons_[level.beacons_sent], level.place);
  }
  level.last = last;
  level.active = now_;
  level.beacons_sent = 0;
  if (levels_.size() > options_.levels_max) forget_quietest();
}

void FeedPublisher::forget_quietest() {
  const auto quiet = std::find_if(by_beacons_.rbegin(), by_beacons_.rend(),
                                  [](const std::list<Level*>& levels) { return !levels.empty(); });
  const auto level = levels_.find(*quiet->front()->name);
  quiet->pop_front();
  levels_.erase(level);
  has_forgotten_ = true;
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
  for (std::size_t sent = 0; sent < std::size(kLevelBeacons); ++sent) {
    std::list<Level*>& due = by_beacons_[sent];
    std::list<Level*>& next = by_beacons_[sent + 1];
    while (!due.empty() && due.front()->active + kLevelBeacons[sent] <= now) {
      Level& level = *due.front();
      next.splice(next.end(), due, level.place);
      ++level.beacons_sent;
      if (!audience_.hears(*level.name)) continue;
      FeedHeader beacon = header(FeedKind::beacon);
      beacon.last = level.last;
      send(*level.name, beacon, {});
    }
  }
}

void FeedPublisher::send(std::string_view topic, const FeedHeader& header, ByteView events) {
  socket_.publish(topic, encode_feed_message(header, events));
  ++sent_;
}

}  // namespace bus
