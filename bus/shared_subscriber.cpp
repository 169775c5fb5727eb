// A message is matched once against a map of all topics, and then given to the queues of the shares
// that want it.
#include "bus/shared_subscriber.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "eventlog/base/check.hpp"

namespace bus {

class SharedSubscriber::Share final : public SubscriberSocket {
 public:
  Share(SharedSubscriber& shared, std::size_t key) : shared_(shared), key_(key) { ++shared_.open_; }
  ~Share() override {
    while (!topics_.empty()) unsubscribe(std::string(topics_.back()));
    if (is_given_) std::erase(shared_.given_, this);
    --shared_.open_;
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  ZmqSocket* poll_handle() const override { return shared_.socket_.poll_handle(); }

  bool subscribe(std::string_view topic) override {
    if (!shared_.subscribe(*this, topic)) return false;
    topics_.emplace_back(topic);
    return true;
  }

  void unsubscribe(std::string_view topic) override {
    const auto found = std::find(topics_.begin(), topics_.end(), topic);
    if (found == topics_.end()) return;
    topics_.erase(found);
    shared_.unsubscribe(*this, topic);
  }

  std::optional<FeedFrame> receive() override {
    if (waiting_.empty()) return std::nullopt;
    FeedFrame first = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= first.frame.size();
    return first;
  }

  // Drops the oldest beyond the bounds. The newest is kept because it says how far the level has
  // come.
  void give(FeedFrame message) {
    if (!std::exchange(is_given_, true)) shared_.given_.push_back(this);
    waiting_bytes_ += message.frame.size();
    waiting_.push_back(std::move(message));
    while (waiting_.size() > 1 &&
           (waiting_.size() > kWaitingMessagesMax || waiting_bytes_ > kWaitingBytesMax)) {
      receive();
      ++shared_.dropped_;
    }
  }

  std::size_t name_given() {
    is_given_ = false;
    return key_;
  }

  // The number of the last message that this share was found to want.
  std::int64_t wanted_message = 0;

 private:
  SharedSubscriber& shared_;
  const std::size_t key_;
  bool is_given_ = false;  // in given_ of the shared one
  std::vector<std::string> topics_;
  std::deque<FeedFrame> waiting_;
  std::size_t waiting_bytes_ = 0;
};

SharedSubscriber::~SharedSubscriber() {
  CHECK(open_ == 0);
}

std::unique_ptr<SubscriberSocket> SharedSubscriber::open(std::size_t key) {
  return std::make_unique<Share>(*this, key);
}

std::optional<std::size_t> SharedSubscriber::next_given() {
  if (given_.empty()) return std::nullopt;
  Share& share = *given_.back();
  given_.pop_back();
  return share.name_given();
}

int SharedSubscriber::do_work() {
  int messages = 0;
  std::size_t bytes = 0;
  while (messages < kMessagesPerCycle && bytes < kBytesPerCycle) {
    auto message = socket_.receive();
    if (!message) break;
    ++messages;
    bytes += message->frame.size();
    give(std::move(*message));
  }
  return messages;
}

bool SharedSubscriber::subscribe(Share& share, std::string_view topic) {
  if (topic.size() > kTopicBytesMax) return false;
  std::vector<Share*>& shares = wanted_[topic];
  if (shares.empty() && !socket_.subscribe(topic)) {
    wanted_.erase(topic);
    return false;
  }
  shares.push_back(&share);
  return true;
}

void SharedSubscriber::unsubscribe(Share& share, std::string_view topic) {
  std::vector<Share*>& shares = wanted_[topic];
  shares.erase(std::find(shares.begin(), shares.end(), &share));
  if (!shares.empty()) return;
  wanted_.erase(topic);
  socket_.unsubscribe(topic);
}

void SharedSubscriber::give(FeedFrame message) {
  ++messages_;
  takers_.clear();
  wanted_.any_that_begins(message.topic, [&](const std::vector<Share*>& shares) {
    for (Share* share : shares) {
      if (std::exchange(share->wanted_message, messages_) != messages_) takers_.push_back(share);
    }
    return false;
  });
  if (takers_.empty()) return;
  for (std::size_t i = 1; i < takers_.size(); ++i) takers_[i]->give(message);
  takers_.front()->give(std::move(message));
}

}  // namespace bus
