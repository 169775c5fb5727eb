// Notifications are delivered, tried again, given up or dropped.
#include "eventlog/domain/outbox/pacing.hpp"
#include "tests/support/given_when_then.hpp"

namespace domain {
namespace {

using support::FoldedStreams;
using support::numbered;

const StreamRef kOutboxTarget{OutboxStream::kPattern, {}, {}};
constexpr Time kBegun{1'000'000};

class Outbox {
 public:
  Decided decide(const Command& command) {
    Context context = support::context_of(kOutboxTarget, numbered<CommandId>(1));
    context.now = now;
    context.limits.told_per_minute = told_per_minute;
    return streams_.decide(command, context);
  }
  // Requires that the command is accepted, folds its events and returns them.
  Decision take(const Command& command) {
    const Decided decided = decide(command);
    REQUIRE(decided);
    for (const Emitted& emitted : *decided) fold(emitted.event);
    REQUIRE(streams_.is_consistent());
    return *decided;
  }
  Position fold(const Event& event) {
    Envelope envelope;
    envelope.actor_kind = ActorKind::server;
    envelope.position = position_ = position_.next();
    envelope.log_time = now;
    streams_.fold(kOutboxTarget, {}, envelope, event);
    return position_;
  }
  Position request() {
    NotificationRequested requested;
    requested.session = numbered<SessionId>(1);
    return fold(requested);
  }
  std::optional<RejectionCode> refusal(const Command& command) {
    const Decided decided = decide(command);
    return decided ? std::nullopt : std::optional(decided.error().code);
  }
  const OutboxState& state() const {
    return streams_.get<OutboxStream>(std::string(kOutboxStream));
  }

  Time now = kBegun;
  std::int64_t told_per_minute = 0;

 private:
  FoldedStreams streams_;
  Position position_;
};

TEST_CASE("a notification is due at once, and forgotten once it is delivered", "[outbox]") {
  Outbox outbox;
  const Position position = outbox.request();
  CHECK(outbox.state().open.at(position).next_at == kBegun);
  outbox.take(RecordDelivery{position, ""});
  CHECK(outbox.state().open.empty());
  CHECK(outbox.state().delivered == 1);
  CHECK(outbox.take(RecordDelivery{position, ""}).empty());
  CHECK(outbox.take(RecordDelivery{position, "late"}).empty());
}

NotificationRequested about(NotificationTarget target, std::string channel = {}, int parent = 0) {
  NotificationRequested requested;
  requested.target = target;
  requested.channel = std::move(channel);
  if (parent > 0) requested.parent = numbered<SessionId>(parent);
  return requested;
}

TEST_CASE("each place has a minute of its own", "[outbox][C11][C13]") {
  Outbox outbox;
  outbox.told_per_minute = 2;
  const auto deliver = [&](const NotificationRequested& requested) {
    outbox.take(RecordDelivery{outbox.fold(requested), ""});
  };
  const auto can_hear = [&](const NotificationRequested& requested) {
    return can_hear_at(outbox.state().told, requested, outbox.told_per_minute) <= outbox.now;
  };
  const NotificationRequested first = about(NotificationTarget::channel, "telegram|1");
  const NotificationRequested second = about(NotificationTarget::channel, "telegram|2");
  const NotificationRequested parent = about(NotificationTarget::parent, {}, 1);
  const NotificationRequested webhook = about(NotificationTarget::webhook);
  for (const NotificationRequested& requested : {first, parent, webhook}) {
    deliver(requested);
    CHECK(can_hear(requested));
    outbox.now.us += 1'000'000;
    deliver(requested);
  }
  CHECK_FALSE(can_hear(first));
  CHECK(can_hear(second));
  // A parent may take no prompt later, and a webhook is read by a program.
  CHECK(can_hear(parent));
  CHECK(can_hear(webhook));
  // The desktop and the orchestrator are one place each, whatever the session's channel is.
  deliver(about(NotificationTarget::system, "telegram|1"));
  deliver(about(NotificationTarget::system, "telegram|2"));
  CHECK_FALSE(can_hear(about(NotificationTarget::system, "telegram|3")));

  outbox.now = kBegun + kPacedTime;
  CHECK(can_hear(first));
  deliver(first);
  CHECK_FALSE(can_hear(first));
  outbox.now.us += 1'000'000;
  CHECK(can_hear(first));
  outbox.now = outbox.now + kPacedTime;
  deliver(second);
  CHECK(outbox.state().told.size() == 1);
}

TEST_CASE("a delivery is not counted where there is no limit", "[outbox]") {
  Outbox outbox;
  const Position position = outbox.fold(about(NotificationTarget::channel, "telegram|1"));
  outbox.take(RecordDelivery{position, ""});
  CHECK(outbox.state().told.empty());
  CHECK(can_hear_at(outbox.state().told, about(NotificationTarget::channel, "telegram|1"), 0) ==
        Time{});
}

TEST_CASE("each failure waits four times as long, up to an hour, and the eighth is the last",
          "[outbox]") {
  Outbox outbox;
  const Position position = outbox.request();
  for (const std::int64_t seconds : {5, 20, 80, 320, 1280, 3600, 3600}) {
    outbox.take(RecordDelivery{position, "no answer"});
    const OpenNotification& open = outbox.state().open.at(position);
    CHECK(open.next_at == outbox.now + std::chrono::seconds(seconds));
    CHECK(open.error == "no answer");
    CHECK_FALSE(open.is_given_up);
    outbox.now = open.next_at;
  }
  outbox.take(RecordDelivery{position, "no answer"});
  CHECK(outbox.state().open.at(position).is_given_up);
  CHECK(outbox.state().open.at(position).attempts == 8);
}

TEST_CASE("one that was given up is tried again on request", "[outbox]") {
  Outbox outbox;
  const Position first = outbox.request();
  const Position second = outbox.request();
  for (int i = 0; i < 8; ++i) outbox.take(RecordDelivery{first, "no answer"});
  outbox.now = outbox.now + std::chrono::hours(1);
  CHECK(outbox.take(RetryNotification{}).size() == 1);
  const OpenNotification& open = outbox.state().open.at(first);
  CHECK_FALSE(open.is_given_up);
  CHECK(open.attempts == 0);
  CHECK(open.next_at == outbox.now);
  CHECK(outbox.refusal(RetryNotification{}) == RejectionCode::not_found);
  CHECK(outbox.take(RetryNotification{second}).size() == 1);
  CHECK(outbox.refusal(RetryNotification{Position{99}}) == RejectionCode::not_found);
}

TEST_CASE("what is tried again late has a day from then on", "[outbox]") {
  Outbox outbox;
  const Position position = outbox.request();
  for (int i = 0; i < 8; ++i) outbox.take(RecordDelivery{position, "no answer"});
  outbox.now = kBegun + std::chrono::hours(72);
  outbox.take(RetryNotification{position});
  CHECK(outbox.take(ExpireNotification{position}).empty());
  CHECK(expires_at(outbox.state().open.at(position)) == outbox.now + std::chrono::hours(24));
}

TEST_CASE("one can be dropped, alone or with all that were given up", "[outbox]") {
  Outbox outbox;
  const Position first = outbox.request();
  const Position second = outbox.request();
  const Position third = outbox.request();
  for (int i = 0; i < 8; ++i) outbox.take(RecordDelivery{first, "no answer"});
  outbox.take(DropNotification{});
  CHECK_FALSE(outbox.state().open.contains(first));
  outbox.take(DropNotification{third});
  CHECK(outbox.state().open.size() == 1);
  CHECK(outbox.state().open.contains(second));
  CHECK(outbox.state().dropped == 2);
  CHECK(outbox.refusal(DropNotification{third}) == RejectionCode::not_found);
}

TEST_CASE("what nobody has a use for any more expires", "[outbox]") {
  Outbox outbox;
  const Position waiting = outbox.request();
  const Position given_up = outbox.request();
  for (int i = 0; i < 8; ++i) outbox.take(RecordDelivery{given_up, "no answer"});
  outbox.now = kBegun + (std::chrono::hours(24) - base::Duration{1});
  CHECK(outbox.take(ExpireNotification{waiting}).empty());
  outbox.now = kBegun + std::chrono::hours(24);
  CHECK(outbox.take(ExpireNotification{given_up}).empty());
  CHECK(outbox.take(ExpireNotification{waiting}).size() == 1);
  outbox.now = kBegun + std::chrono::hours(7 * 24);
  CHECK(outbox.take(ExpireNotification{given_up}).size() == 1);
  CHECK(outbox.state().open.empty());
}

TEST_CASE("an error is a fact, and therefore short", "[outbox]") {
  Outbox outbox;
  const Position position = outbox.request();
  outbox.take(RecordDelivery{position, std::string(1000, 'x')});
  CHECK(outbox.state().open.at(position).error.size() <= 256);
}

}  // namespace
}  // namespace domain
