// A subscriber whose feed and log send anything: it hands on each event once, in order.
#include "bus/subscription.hpp"

#include <deque>

#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using base::Position;
using fuzz::require;
using fuzz::Source;

class Feed final : public bus::SubscriberSocket {
 public:
  bus::ZmqSocket* poll_handle() const override { return nullptr; }
  bool subscribe(std::string_view topic) override {
    if (topic != bus::kAllLevel) probe = topic;
    return true;
  }
  void unsubscribe(std::string_view) override {}
  std::optional<bus::FeedFrame> receive() override {
    if (frames.empty()) return std::nullopt;
    bus::FeedFrame first = std::move(frames.front());
    frames.pop_front();
    return first;
  }

  std::string probe;
  std::deque<bus::FeedFrame> frames;
};

class Log final : public bus::LogReader {
 public:
  void request(bus::ReadRequest request) override {
    asked = request.after;
    is_asked = true;
  }
  std::optional<base::Result<bus::LogPage>> receive() override {
    auto taken = std::move(page);
    page.reset();
    return taken;
  }

  Position asked;
  bool is_asked = false;
  std::optional<base::Result<bus::LogPage>> page;
};

std::vector<bus::FeedEvent> events(Source& source, Position first) {
  std::vector<bus::FeedEvent> all;
  for (int left = source.byte() % 4; left > 0; --left) {
    bus::FeedEvent event;
    event.position = first;
    all.push_back(event);
    first = first.plus(1 + source.byte() % 3);
  }
  return all;
}

Bytes message(Source& source) {
  bus::FeedMessage message;
  const std::uint8_t how = source.byte();
  message.header.kind = static_cast<bus::FeedKind>(how % 4);
  message.header.incarnation.bytes[0] = static_cast<char>(how >> 7);
  message.header.first = {1 + source.byte() % 32};
  message.header.last = message.header.first;
  message.header.previous = {static_cast<std::int64_t>(source.byte() % 32) - 1};
  message.header.head = {source.byte() % 64};
  if (how >= 250) message.header.epoch.counter = 1;
  Bytes encoded;
  if (message.header.kind == bus::FeedKind::events ||
      message.header.kind == bus::FeedKind::ephemeral) {
    for (const bus::FeedEvent& event : events(source, message.header.first)) {
      base::encode_to(encoded, event);
      message.header.last = event.position;
      ++message.header.count;
    }
  }
  return bus::encode_feed_message(message.header, encoded);
}

bus::LogPage page(Source& source, Position after) {
  bus::LogPage page;
  const std::uint8_t how = source.byte();
  page.events = events(source, after.plus(how % 3));
  page.complete_through = after.plus(how >> 2 & 7);
  if (!page.events.empty() && how < 192) {
    page.complete_through = std::max(page.complete_through, page.events.back().position);
  }
  page.head = page.complete_through.plus(source.byte() % 4);
  return page;
}

}  // namespace

// Each byte of the input chooses the next message and its sender.
void fuzz::run(ByteView in) {
  Source source(in);
  Feed feed;
  Log log;
  base::SeededRandom random(1);
  bus::SubscriptionOptions options;
  options.level = bus::kAllLevel;
  options.ready_max = 16;
  bus::Subscription subscription(feed, log, random, options);
  base::Duration now{0};
  Position last;
  while (!source.is_empty()) {
    const std::uint8_t how = source.byte();
    const std::string topic = how % 8 == 7 ? feed.probe : std::string(bus::kAllLevel);
    if (how < 64) {
      feed.frames.push_back({topic, Bytes(source.piece())});
    } else if (how < 160) {
      feed.frames.push_back({topic, message(source)});
    } else if (how < 240 && log.is_asked) {
      log.is_asked = false;
      log.page = page(source, log.asked);
      if (how >= 236) log.page = base::failure(base::ErrorCode::timeout, "no answer");
    } else {
      now += std::chrono::milliseconds(100) * (how % 16);
    }
    subscription.do_work(now);
    while (const auto event = subscription.receive()) {
      if (!*event) return;
      if ((*event)->position.value == 0) continue;
      require((*event)->position > last, "each event comes once, in order");
      last = (*event)->position;
    }
    require(subscription.position() >= last, "it may be resumed behind what was handed on");
  }
}
