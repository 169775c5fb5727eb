// Each level that is heard gathers a batch until the next flush. Levels are listed by the beacons
// that they have had, so that a duty cycle looks at due ones only.
#include "bus/feed_publisher.hpp"

#include <algorithm>
#include <iterator>

#include "bus/later_mark.hpp"
#include "eventlog/base/check.hpp"

namespace bus {

FeedPublisher::FeedPublisher(PublisherSocket& socket, Options options)
    : socket_(socket),
      options_(options),
      head_(options_.head),
      // If the log has events, no level's last position is known at the start.
      has_forgotten_(options_.head > Position{0}),
      all_name_(kAllLevel) {
  all_.name = &all_name_;
  all_.last = options_.head;
}

void FeedPublisher::publish(FeedEvent event, const std::vector<std::string>& levels,
                            bool is_later) {
  CHECK(event.position == head_.next());
  head_ = event.position;
  if (event.content && event.content->bytes.size() > kFeedContentMax) {
    event.content_bytes = static_cast<std::int64_t>(event.content->bytes.size());
    event.content.reset();
  }
  encoded_.clear();
  base::encode_to(encoded_, event);
  for (const std::string& name : levels) {
    Level& level = touch(name);
    if (audience_.hears(name)) add(level, event.position, is_later);
    level.last = event.position;
  }
}

bool FeedPublisher::is_heard(const std::vector<std::string>& levels) const {
  return std::any_of(levels.begin(), levels.end(),
                     [&](const std::string& level) { return audience_.hears(level); });
}

void FeedPublisher::pass(Position position, const std::vector<std::string>& levels) {
  CHECK(position == head_.next());
  head_ = position;
  for (const std::string& level : levels) touch(level).last = position;
}

void FeedPublisher::add(Level& level, Position position, bool is_later) {
  if (level.batch == kNoBatch) {
    level.batch = open_batches_++;
    if (open_batches_ > batches_.size()) batches_.emplace_back();
    batches_[level.batch].level = &level;
  }
  Batch& batch = batches_[level.batch];
  const bool is_full = batch.events.size() + encoded_.size() > kFeedBytesMax;
  if (batch.count > 0 && (is_full || batch.is_later != is_later)) close(batch);
  if (batch.count == 0) {
    batch.is_later = is_later;
    batch.first = position;
    batch.previous = level.last;
  }
  batch.last = position;
  batch.events.append(encoded_);
  if (++batch.count == static_cast<std::int64_t>(kFeedEventsMax)) close(batch);
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
  for (std::size_t i = 0; i < open_batches_; ++i) {
    Batch& batch = batches_[i];
    if (batch.count > 0) close(batch);
    batch.level->batch = kNoBatch;
    if (batch.events.capacity() > kBatchBytesKept) batch.events = {};
  }
  open_batches_ = 0;
  if (batches_.size() > kBatchesKept) batches_.resize(kBatchesKept);
  while (levels_.size() > options_.levels_max) forget_quietest();
}

int FeedPublisher::do_work(base::Duration now) {
  thread_.check();
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

// Sends the batch and leaves it empty.
void FeedPublisher::close(Batch& batch) {
  FeedHeader events = header(FeedKind::events);
  events.first = batch.first;
  events.last = batch.last;
  events.count = batch.count;
  events.previous = batch.previous;
  const std::string& level = *batch.level->name;
  send(batch.is_later ? level + std::string(kLaterMark) : level, events, batch.events);
  batch.events.clear();
  batch.count = 0;
}

FeedPublisher::Level& FeedPublisher::touch(const std::string& name) {
  if (name == kAllLevel) return all_;
  const auto [at, is_new] = levels_.try_emplace(name);
  Level& level = at->second;
  std::list<Level*>& active = by_beacons_.front();
  if (is_new) {
    level.name = &at->first;
    if (has_forgotten_) {
      level.last = kPreviousUnknown;
    }
    level.place = active.insert(active.end(), &level);
  } else {
    active.splice(active.end(), by_beacons_[level.beacons_sent], level.place);
  }
  level.active = now_;
  level.beacons_sent = 0;
  return level;
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
    beacon.last = all_.last;
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
  message_.clear();
  encode_feed_message(message_, header, events);
  socket_.publish(topic, message_);
  ++sent_;
}

}  // namespace bus
