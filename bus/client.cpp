// Each request is an entry with its own retry timer and deadline; one duty cycle receives, greets,
// sends and expires in that order.
#include "bus/client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bus/poller.hpp"

namespace bus {
namespace {

Bytes hello_frame(Hello hello) {
  hello.protocol_lowest = kProtocolLowest;
  hello.protocol_highest = kProtocolHighest;
  return encode_frame(hello);
}

}  // namespace

Client::Client(ClientSocket& socket, base::Clock& clock, base::Random& random,
               ClientOptions options)
    : socket_(socket),
      clock_(clock),
      random_(random),
      options_(std::move(options)),
      hello_(hello_frame(options_.hello)) {}

Result<Reply> Client::request(std::string_view verb, base::RawValue body, base::Duration timeout) {
  return request(base::CommandId::make(clock_.wall(), random_), verb, std::move(body), timeout);
}

Result<Reply> Client::request(const base::CommandId& id, std::string_view verb, base::RawValue body,
                              base::Duration timeout) {
  auto started = start(id, verb, std::move(body), timeout);
  if (!started) return tl::unexpected<base::Error>(started.error());
  while (true) {
    const base::Duration now = clock_.boot();
    do_work(now);
    if (auto outcome = take(id)) return std::move(*outcome);
    std::array<PollItem, 1> items{PollItem::of(socket_)};
    items[0].wants_write = wants_write();
    const auto waited = poll(items, next_timer() - now);
    if (!waited) {
      forget(id);
      return tl::unexpected<base::Error>(waited.error());
    }
  }
}

Result<base::CommandId> Client::start(std::string_view verb, base::RawValue body,
                                      base::Duration timeout) {
  return start(base::CommandId::make(clock_.wall(), random_), verb, std::move(body), timeout);
}

Result<base::CommandId> Client::start(const base::CommandId& id, std::string_view verb,
                                      base::RawValue body, base::Duration timeout) {
  if (requests_.size() >= kRequestsMax || requests_.contains(id)) {
    return base::failure(base::ErrorCode::busy,
                         "at most 1,024 requests may await their reply, each with its own id");
  }
  Pending pending;
  asks_ = std::max(asks_ + 1, clock_.wall().us);
  pending.ask = asks_;
  pending.frame = encode_frame(Request{id, std::string(verb), std::move(body), asks_});
  if (pending.frame.size() > kFrameBytesMax) {
    return base::failure(base::ErrorCode::too_large,
                         "request of " + std::to_string(pending.frame.size()) +
                             " bytes was not sent; at most " + std::to_string(kFrameBytesMax) +
                             " are accepted",
                         std::string(verb));
  }
  pending.timeout = timeout;
  pending.retry_after = options_.retry_after;
  pending.heard_before = heard_count_;
  requests_.emplace(id, std::move(pending));
  ++open_;
  return id;
}

std::optional<Result<Reply>> Client::take(const base::CommandId& id) {
  const auto it = requests_.find(id);
  if (it == requests_.end() || !it->second.outcome) return std::nullopt;
  auto outcome = std::move(it->second.outcome);
  requests_.erase(it);
  return outcome;
}

void Client::forget(const base::CommandId& id) {
  const auto it = requests_.find(id);
  if (it == requests_.end()) return;
  if (!it->second.outcome) --open_;
  requests_.erase(it);
}

bool Client::send_notice(const Notice& notice) {
  return is_welcomed_ && socket_.send(encode_frame(notice));
}

std::optional<Notice> Client::take_notice() {
  if (notices_.empty()) return std::nullopt;
  Notice notice = std::move(notices_.front());
  notices_.pop_front();
  return notice;
}

int Client::do_work(base::Duration now) {
  thread_.check();
  now_ = now;
  for (auto& [id, pending] : requests_) {
    if (pending.deadline) continue;
    pending.deadline = now + pending.timeout;
    // The silence is measured from the moment in which the first request begins to wait.
    if (open_ == 1) awaiting_since_ = now;
  }
  const std::int64_t heard_before = heard_count_;
  receive_frames();
  reconnect_if_silent();
  wants_write_ = false;
  greet();
  send_pending();
  expire();
  return static_cast<int>(heard_count_ - heard_before);
}

base::Duration Client::next_timer() const {
  base::Duration timer = now_ + kHelloEvery;
  if (is_awaiting()) timer = std::min(timer, awaiting_since_ + options_.silence_max);
  for (const auto& [id, pending] : requests_) {
    if (pending.outcome) continue;
    if (!pending.deadline) return now_;
    timer = std::min(timer, *pending.deadline);
    if (pending.resend_at && is_welcomed_) timer = std::min(timer, *pending.resend_at);
  }
  return std::max(timer, now_);
}

// ---- what arrives ----

void Client::receive_frames() {
  for (int i = 0; i < kFramesPerCycle; ++i) {
    const auto bytes = socket_.receive();
    if (!bytes) return;
    take_frame(*bytes);
  }
}

void Client::take_frame(ByteView bytes) {
  auto frame = decode_frame(bytes);
  // A frame that cannot be read counts as lost: the request that it answered is sent again.
  if (!frame) return;
  ++heard_count_;
  awaiting_since_ = now_;
  if (auto* welcome = std::get_if<Welcome>(&*frame)) return take(std::move(*welcome));
  if (auto* reply = std::get_if<Reply>(&*frame)) return take(std::move(*reply));
  if (auto* notice = std::get_if<Notice>(&*frame)) return take(std::move(*notice));
}

void Client::take(Welcome welcome) {
  welcome_ = std::move(welcome);
  ++welcome_count_;
  is_welcomed_ = true;
  complaint_.clear();
}

void Client::take(Reply reply) {
  if (is_error(reply, ReplyError::hello_first)) {
    // The connection was made anew under us, or HELLO was lost. HELLO and all requests are sent
    // again.
    if (!is_welcomed_) return;
    is_welcomed_ = false;
    hello_at_.reset();
    for (auto& [id, pending] : requests_) pending.resend_at.reset();
    return;
  }
  if (is_error(reply, ReplyError::protocol)) {
    return fail_all({base::ErrorCode::refused, reply.text, options_.endpoint});
  }
  if (!reply.id.is_set()) complaint_ = reply.text;
  const auto it = requests_.find(reply.id);
  if (it == requests_.end() || it->second.outcome) return;
  const bool is_of_this_asking = reply.ask == 0 || reply.ask == it->second.ask;
  if (!is_of_this_asking) return;
  // A busy server is asked again by send_pending(), each time after twice as long.
  if (is_error(reply, ReplyError::busy)) {
    it->second.busy_text = reply.text;
    return;
  }
  settle(it->second, std::move(reply));
}

void Client::take(Notice notice) {
  if (notices_.size() >= kNoticesMax) notices_.pop_front();
  notices_.push_back(std::move(notice));
}

void Client::fail_all(const base::Error& error) {
  for (auto& [id, pending] : requests_) {
    if (!pending.outcome) settle(pending, tl::unexpected<base::Error>(error));
  }
}

void Client::settle(Pending& pending, Result<Reply> outcome) {
  pending.outcome = std::move(outcome);
  pending.frame.clear();
  --open_;
}

// ---- what is sent ----

void Client::greet() {
  if (is_welcomed_ || (hello_at_ && now_ - *hello_at_ < kHelloEvery)) return;
  if (socket_.send(hello_)) {
    hello_at_ = now_;
  } else {
    wants_write_ = true;
  }
}

void Client::send_pending() {
  if (!is_welcomed_) return;
  for (auto& [id, pending] : requests_) {
    if (pending.outcome || (pending.resend_at && now_ < *pending.resend_at)) continue;
    if (!socket_.send(pending.frame)) {
      wants_write_ = true;
      return;
    }
    if (pending.was_sent) {
      ++resend_count_;
      pending.retry_after = std::min(pending.retry_after * 2, kRetryMax);
    }
    pending.was_sent = true;
    pending.resend_at = now_ + pending.retry_after;
  }
}

void Client::expire() {
  for (auto& [id, pending] : requests_) {
    if (pending.outcome || now_ < *pending.deadline) continue;
    settle(pending, tl::unexpected<base::Error>(expiry_of(pending)));
  }
}

base::Error Client::expiry_of(const Pending& pending) const {
  using base::ErrorCode;
  if (heard_count_ == pending.heard_before) {
    return {ErrorCode::unreachable, "no server answers; is it running?", options_.endpoint};
  }
  const std::string reason = complaint_.empty() ? "" : "; the server says: " + complaint_;
  if (!pending.was_sent) {
    return {ErrorCode::busy, "the server did not take the connection in time" + reason,
            options_.endpoint};
  }
  if (!pending.busy_text.empty()) {
    return {
        ErrorCode::busy,
        pending.busy_text + "; the outcome is unknown, and asking again under the same id is safe",
        options_.endpoint};
  }
  return {ErrorCode::timeout,
          "no reply in time; the outcome is unknown, and asking again under the same id is safe" +
              reason,
          options_.endpoint};
}

void Client::reconnect_if_silent() {
  if (!is_awaiting()) return;
  const base::Duration silence = now_ - awaiting_since_;
  if (silence >= options_.silence_max) {
    socket_.reconnect();
    ++reconnect_count_;
    awaiting_since_ = now_;
    is_welcomed_ = false;
    hello_at_.reset();
    for (auto& [id, pending] : requests_) pending.resend_at.reset();
  } else if (is_welcomed_ && silence >= options_.silence_max / 2 &&
             (!hello_at_ || now_ - *hello_at_ >= options_.silence_max / 2)) {
    // A server that is busy with a slow request still answers HELLO.
    if (socket_.send(hello_)) hello_at_ = now_;
  }
}

// ---- the log, a page at a time ----

ClientLogReader::~ClientLogReader() {
  if (asked_ && *asked_) client_.forget(**asked_);
}

void ClientLogReader::request(ReadRequest request) {
  if (request.events_max == 0) request.events_max = events_max_;
  asked_ = client_.start(kReadVerb, to_body(request), timeout_);
}

std::optional<Result<LogPage>> ClientLogReader::receive() {
  if (!asked_) return std::nullopt;
  if (!*asked_) {
    const base::Error error = asked_->error();
    asked_.reset();
    return tl::unexpected<base::Error>(error);
  }
  auto reply = client_.take(**asked_);
  if (!reply) return std::nullopt;
  asked_.reset();
  if (!*reply) return tl::unexpected<base::Error>(reply->error());
  if ((*reply)->status == ReplyStatus::ok) return from_body<LogPage>((*reply)->body);
  if (is_error(**reply, ReplyError::wrong_log)) {
    return base::failure(base::ErrorCode::wrong_log, (*reply)->text);
  }
  // Only these two codes can pass; the server would refuse again for any other reason.
  const bool may_pass =
      is_error(**reply, ReplyError::busy) || is_error(**reply, ReplyError::unavailable);
  return base::failure(may_pass ? base::ErrorCode::busy : base::ErrorCode::refused, (*reply)->text,
                       (*reply)->code);
}

}  // namespace bus
