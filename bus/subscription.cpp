// Messages that follow on are delivered; others raise `needed_`, and the log is read until it
// reaches that. A nonce in the probe's topic tells its answer from older ones.
#include "bus/subscription.hpp"

#include <algorithm>
#include <utility>

#include "bus/later_mark.hpp"
#include "eventlog/base/text_bytes.hpp"

namespace bus {
namespace {

// True for errors that a retry can cure.
bool may_pass(base::ErrorCode code) {
  using base::ErrorCode;
  return code == ErrorCode::unreachable || code == ErrorCode::timeout || code == ErrorCode::busy ||
         code == ErrorCode::io;
}

}  // namespace

Subscription::Subscription(SubscriberSocket& socket, LogReader& reader, base::Random& random,
                           SubscriptionOptions options)
    : socket_(socket),
      reader_(reader),
      random_(random),
      options_(std::move(options)),
      identity_(options_.identity),
      complete_(options_.after),
      complete_digest_(options_.digest),
      needed_(options_.after),
      given_(options_.after) {
  if (!socket_.subscribe(options_.level)) {
    fail({base::ErrorCode::too_large, "a level has at most 245 bytes", options_.level});
  }
}

Subscription::~Subscription() {
  socket_.unsubscribe(options_.level);
  if (!probe_topic_.empty()) socket_.unsubscribe(probe_topic_);
}

int Subscription::do_work(base::Duration now) {
  thread_.check();
  if (error_) return 0;
  if (!is_started_) {
    is_started_ = true;
    heard_at_ = now;
    probe(now);
  }
  int work = 0;
  while (!error_ && has_room() && work < kMessagesPerCycle) {
    const auto frame = socket_.receive();
    if (!frame) break;
    take_message(*frame, now);
    ++work;
  }
  if (is_reading_ && !error_) {
    if (auto page = reader_.receive()) {
      is_reading_ = false;
      take_page(std::move(*page), now);
      ++work;
    }
  }
  if (error_) return work;
  drive_probe(now);
  drive_reading(now);
  return work;
}

base::Duration Subscription::next_timer() const {
  const base::Duration probe_timer =
      probe_topic_.empty() ? heard_at_ + kSilenceMax : probed_at_ + kProbeTimeout;
  const bool waits_to_read = !is_reading_ && (must_read_ || complete_ < needed_) && has_room();
  return waits_to_read ? std::min(probe_timer, read_at_) : probe_timer;
}

std::optional<Result<FeedEvent>> Subscription::receive() {
  if (!ready_.empty()) {
    FeedEvent event = std::move(ready_.front());
    ready_.pop_front();
    if (event.position > Position{0}) {
      --ready_events_;
      given_ = event.position;
    }
    return event;
  }
  if (error_ && !is_error_told_) {
    is_error_told_ = true;
    return tl::unexpected<base::Error>(*error_);
  }
  return std::nullopt;
}

std::optional<Hash> Subscription::digest() const {
  return ready_events_ == 0 ? digest_at_complete() : std::nullopt;
}

std::optional<Hash> Subscription::digest_at_complete() const {
  return complete_facts_.empty() ? complete_digest_ : base::blake2b(complete_facts_);
}

bool Subscription::is_live() const {
  return !error_ && is_joined_ && !must_read_ && complete_ >= needed_ && waiting_.empty();
}

// ---- what the feed says ----

void Subscription::take_message(const FeedFrame& frame, base::Duration now) {
  const bool is_probe = !probe_topic_.empty() && frame.topic == probe_topic_;
  const bool is_of_level =
      frame.topic == options_.level || frame.topic == options_.level + std::string(kLaterMark);
  if (!is_probe && !is_of_level) return;
  auto message = decode_feed_message(frame.frame);
  if (!message) {
    ++counts_.bad_messages;
    return;
  }
  const FeedHeader& header = message->header;
  if (!accept_identity(header.identity())) return;
  heard_at_ = now;
  if (incarnation_ && *incarnation_ != header.incarnation) {
    // The server was restarted: which subscriptions are in force there is not known.
    must_probe_ = true;
    is_joined_ = false;
    must_read_ = true;
    is_page_of_earlier_life_ = is_reading_;
  }
  incarnation_ = header.incarnation;
  switch (header.kind) {
    case FeedKind::events:
      return take_events(std::move(*message));
    case FeedKind::beacon:
      return need(header.last);
    case FeedKind::ephemeral:
      return take_ephemeral(std::move(*message));
    case FeedKind::probe:
      if (is_probe) take_probe_answer(header);
      return;
  }
}

void Subscription::take_probe_answer(const FeedHeader& header) {
  socket_.unsubscribe(probe_topic_);
  probe_topic_.clear();
  is_joined_ = !must_probe_;
  need(header.head);
}

void Subscription::take_events(FeedMessage message) {
  if (message.header.last <= complete_) {
    counts_.duplicates += message.header.count;
    return;
  }
  const bool is_next = follows_on(message.header);
  if (is_next && !must_read_) {
    deliver(message);
    apply_waiting();
    return;
  }
  if (!is_next) ++counts_.gaps;
  const Position first = message.header.first;
  need(message.header.last);
  waiting_.insert_or_assign(first, std::move(message));
  if (waiting_.size() > kWaitingMax) waiting_.erase(waiting_.begin());
}

void Subscription::take_ephemeral(FeedMessage message) {
  if (!is_live()) return;
  for (FeedEvent& event : message.events) {
    event.position = {0};
    ready_.push_back(std::move(event));
  }
}

bool Subscription::follows_on(const FeedHeader& header) const {
  const Position before =
      header.previous == kPreviousUnknown ? header.first.plus(-1) : header.previous;
  return before <= complete_;
}

void Subscription::deliver(FeedMessage& message) {
  complete_facts_ = message.events.back().facts.bytes;
  complete_digest_.reset();
  deliver(message.events, message.header.last);
}

void Subscription::deliver(std::vector<FeedEvent>& events, Position complete) {
  for (FeedEvent& event : events) {
    if (event.position <= complete_) {
      ++counts_.duplicates;
      continue;
    }
    ready_.push_back(std::move(event));
    ++ready_events_;
  }
  complete_ = std::max(complete_, complete);
}

void Subscription::apply_waiting() {
  while (!waiting_.empty()) {
    const auto it = waiting_.begin();
    if (it->second.header.last > complete_) {
      if (!follows_on(it->second.header)) return;
      deliver(it->second);
    }
    waiting_.erase(it);
  }
}

void Subscription::need(Position position) {
  needed_ = std::max(needed_, position);
}

// ---- what the log says ----

void Subscription::take_page(Result<LogPage> page, base::Duration now) {
  const bool is_of_earlier_life = std::exchange(is_page_of_earlier_life_, false);
  if (!page) {
    if (!may_pass(page.error().code)) return fail(page.error());
    read_at_ = now + kRetryEvery;
    return;
  }
  must_read_ = is_of_earlier_life;
  ++counts_.pages;
  if (!accept_identity(page->identity())) return;
  Position before{0};
  for (const FeedEvent& event : page->events) {
    if (event.position <= before || event.position > page->complete_through) {
      return fail({base::ErrorCode::damaged, "page of the log with positions out of order", {}});
    }
    before = event.position;
  }
  if (page->head < asked_after_) {
    return fail({base::ErrorCode::wrong_log,
                 "the log ends at " + std::to_string(page->head.value) +
                     ", before the position that was already finished: events are missing",
                 options_.level});
  }
  if (page->complete_through > complete_) {
    complete_facts_.clear();
    complete_digest_ = page->digest;
  } else {
    read_at_ = now + kRetryEvery;
  }
  deliver(page->events, page->complete_through);
  need(page->head);
  apply_waiting();
}

bool Subscription::accept_identity(const LogIdentity& identity) {
  if (!identity_) identity_ = identity;
  if (*identity_ == identity) return true;
  const bool is_other_log = identity.log != identity_->log;
  fail({base::ErrorCode::wrong_log,
        is_other_log ? "the server has another log than the one that was followed so far"
                     : "the log was restored or salvaged: it is in another epoch, and positions "
                       "from before it mean nothing there",
        options_.level});
  return false;
}

void Subscription::fail(base::Error error) {
  error_ = std::move(error);
}

// ---- what is asked of them ----

void Subscription::probe(base::Duration now) {
  if (!probe_topic_.empty()) socket_.unsubscribe(probe_topic_);
  Bytes nonce;
  base::append_u64(nonce, random_.next());
  probe_topic_ = std::string(kProbePrefix) + base::to_hex(nonce);
  socket_.subscribe(probe_topic_);
  probed_at_ = now;
  must_probe_ = false;
  ++counts_.probes;
}

void Subscription::drive_probe(base::Duration now) {
  const bool is_unanswered = !probe_topic_.empty() && now - probed_at_ >= kProbeTimeout;
  const bool is_silent = probe_topic_.empty() && now - heard_at_ >= kSilenceMax;
  if (is_unanswered) is_joined_ = false;
  if (is_unanswered || is_silent || must_probe_) probe(now);
}

void Subscription::drive_reading(base::Duration now) {
  if (is_reading_ || !has_room() || now < read_at_) return;
  if (!must_read_ && complete_ >= needed_) return;
  ReadRequest request;
  request.level = options_.level;
  request.after = complete_;
  request.digest = digest_at_complete();
  reader_.request(std::move(request));
  asked_after_ = complete_;
  is_reading_ = true;
}

}  // namespace bus
