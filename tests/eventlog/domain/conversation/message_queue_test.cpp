// The messages of a conversation that wait for its agent.
#include "eventlog/domain/conversation/message_queue.hpp"

#include <set>

#include "eventlog/domain/conversation/queued_prompt.hpp"
#include "tests/support/catch.hpp"

namespace domain {
namespace {

const Time kLate = Time{} + kQueueDebounceMax;

QueuedMessage message(std::int64_t at, const char* to = "") {
  QueuedMessage made;
  made.at = Position{at};
  if (*to != '\0') made.route = {"slack", to, {}, {}};
  made.accepted = Time{at * 1'000'000};
  return made;
}

QueueSettings settings(QueueMode mode, std::int64_t cap = 20,
                       QueueDrop drop = QueueDrop::summarize) {
  return {mode, std::chrono::seconds(1), cap, drop};
}

Admission put(MessageQueue& queue, const QueuedMessage& one, const QueueSettings& with) {
  Admission admission = accept(queue, one, with);
  admit(queue, one, admission);
  return admission;
}

MessageQueue queue_of(std::int64_t count, const QueueSettings& with) {
  MessageQueue queue;
  for (std::int64_t at = 1; at <= count; ++at) put(queue, message(at), with);
  return queue;
}

std::vector<Position> positions(std::initializer_list<std::int64_t> numbers) {
  std::vector<Position> all;
  for (const std::int64_t number : numbers) all.push_back(Position{number});
  return all;
}

TEST_CASE("every message is in the queue, in a turn, or in what a function has returned",
          "[conversation][N13][N14]") {
  for (const QueueMode mode : {QueueMode::steer, QueueMode::followup, QueueMode::collect,
                               QueueMode::steer_backlog, QueueMode::interrupt}) {
    for (const QueueDrop drop : {QueueDrop::old, QueueDrop::newest, QueueDrop::summarize}) {
      MessageQueue queue;
      std::set<std::int64_t> seen;
      const auto see = [&](Position at) { CHECK(seen.insert(at.value).second); };
      for (std::int64_t at = 1; at <= 60; ++at) {
        // The cap falls and rises, and routes change.
        const QueueSettings now = settings(mode, 1 + at * 7 % 6, drop);
        const char* const to[] = {"", "a", "a", "b"};
        const Admission admission = put(queue, message(at, to[at / 5 % 4]), now);
        if (admission.outcome != AdmissionOutcome::queued) see(Position{at});
        for (const QueuedMessage& dropped : admission.dropped) see(dropped.at);
        if (at % 9 != 0) continue;
        const NextTurn turn = next_turn(queue, now, kLate);
        for (const Position taken : turn.messages) see(taken);
        take(queue, turn);
      }
      for (const QueuedMessage& left : clear(queue)) see(left.at);
      CHECK(seen.size() == 60);
      CHECK(queue == MessageQueue{});
    }
  }
}

TEST_CASE("a turn ends behind the first message with files", "[conversation]") {
  const QueueSettings with = settings(QueueMode::collect);
  MessageQueue queue;
  for (std::int64_t at = 10; at <= 50; at += 10) {
    QueuedMessage one = message(at);
    if (at == 20 || at == 30)
      one.files = QueuedFiles{{Position{at - 2}, {}}, {Position{at - 1}, {}}};
    put(queue, one, with);
  }
  const auto next = [&] {
    const NextTurn turn = next_turn(queue, with, kLate);
    take(queue, turn);
    return turn;
  };
  NextTurn turn = next();
  CHECK(turn.shape == TurnShape::collected);
  CHECK(turn.messages == positions({10, 20}));
  CHECK(turn.files == positions({18, 19}));
  CHECK(turn.settings_from == Position{20});
  turn = next();
  CHECK(turn.messages == positions({30}));
  CHECK(turn.files == positions({28, 29}));
  turn = next();
  CHECK(turn.messages == positions({40, 50}));
  CHECK(turn.files.empty());
}

TEST_CASE("a newcomer is refused by the rule new, and changes nothing", "[conversation][N13]") {
  const QueueSettings with = settings(QueueMode::collect, 2, QueueDrop::newest);
  MessageQueue queue = queue_of(2, with);
  const MessageQueue before = queue;
  CHECK(put(queue, message(3), with).outcome == AdmissionOutcome::refused);
  CHECK(queue == before);
}

TEST_CASE("a cap that was lowered drops all that are too many, oldest first",
          "[conversation][N13]") {
  MessageQueue queue = queue_of(5, settings(QueueMode::collect));
  const Admission admission = put(queue, message(6), settings(QueueMode::collect, 2));
  REQUIRE(admission.dropped.size() == 4);
  CHECK(admission.dropped.front() == message(1));
  CHECK(queue.waiting == QueuedMessages{message(5), message(6)});
  CHECK(queue.overflow.dropped == 4);
  CHECK(queue.overflow.latest == positions({3, 4}));
}

TEST_CASE("the agent is told of a summarised overflow once, whatever the rule is by then",
          "[conversation][N13]") {
  MessageQueue queue = queue_of(3, settings(QueueMode::followup, 1));
  const QueueSettings later = settings(QueueMode::followup, 1, QueueDrop::old);
  NextTurn turn = next_turn(queue, later, kLate);
  CHECK(turn.shape == TurnShape::overflow);
  CHECK(turn.overflow.dropped == 2);
  CHECK(turn.messages.empty());
  CHECK(turn.settings_from == Position{3});
  take(queue, turn);
  turn = next_turn(queue, later, kLate);
  CHECK(turn.shape == TurnShape::single);
  CHECK(turn.messages == positions({3}));
  take(queue, turn);
  CHECK(next_turn(queue, later, kLate) == NextTurn{});
}

TEST_CASE("a message that waits already is named, if its route is the same", "[conversation]") {
  const QueueSettings with = settings(QueueMode::collect, 1);
  MessageQueue queue;
  QueuedMessage first = message(1, "a");
  first.id = "m1";
  put(queue, first, with);
  QueuedMessage again = message(2, "a");
  again.id = " m1 ";
  // It takes no place, so nothing is dropped for it.
  CHECK(accept(queue, again, with) ==
        Admission{AdmissionOutcome::duplicate, Position{1}, {}, false, 0});
  const MessageQueue before = queue;
  admit(queue, again, accept(queue, again, with));
  CHECK(queue == before);
  CHECK(accept(queue, again, with, QueueDedupe::none).outcome == AdmissionOutcome::queued);
  again.route.thread = "7";
  CHECK(accept(queue, again, with).outcome == AdmissionOutcome::queued);

  QueuedMessage nameless = message(3, "a");
  const auto outcome = [&](QueueDedupe dedupe, Position same_text) {
    return accept(queue, nameless, with, dedupe, same_text).outcome;
  };
  CHECK(outcome(QueueDedupe::message_id, Position{1}) == AdmissionOutcome::queued);
  CHECK(outcome(QueueDedupe::text, Position{1}) == AdmissionOutcome::duplicate);
  CHECK(outcome(QueueDedupe::text, {}) == AdmissionOutcome::queued);
  nameless.id = "m2";
  CHECK(outcome(QueueDedupe::text, Position{1}) == AdmissionOutcome::queued);
}

TEST_CASE("a turn is due once no message was accepted for as long as the debounce",
          "[conversation]") {
  const QueueSettings with = settings(QueueMode::collect, 2, QueueDrop::newest);
  MessageQueue queue = queue_of(2, with);
  const Time due = Time{3'000'000};
  NextTurn turn = next_turn(queue, with, Time{due.us - 1});
  CHECK(turn.shape == TurnShape::none);
  CHECK(turn.due == due);
  // A message that is refused puts nothing off.
  put(queue, message(9), with);
  CHECK(next_turn(queue, with, due).shape == TurnShape::collected);
  CHECK(next_turn(queue, settings(QueueMode::interrupt), Time{}).shape == TurnShape::single);
  CHECK(next_turn({}, with, due).due == Time{});
}

TEST_CASE("messages for several places are turns of their own until none of them is left",
          "[conversation]") {
  const QueueSettings with = settings(QueueMode::collect, 3);
  MessageQueue queue;
  const char* const to[] = {"x", "a", "b", "b"};
  for (std::int64_t at = 1; at <= 4; ++at) put(queue, message(at, to[at - 1]), with);
  for (std::int64_t at = 2; at <= 4; ++at) {
    const NextTurn turn = next_turn(queue, with, kLate);
    CHECK(turn.shape == TurnShape::single);
    CHECK(turn.messages == positions({at}));
    CHECK(turn.route.to == to[at - 1]);
    take(queue, turn);
  }
  CHECK_FALSE(queue.is_mixed);
  const NextTurn last = next_turn(queue, with, kLate);
  CHECK(last.shape == TurnShape::collected);
  CHECK(last.overflow.dropped == 1);
  take(queue, last);
  CHECK(next_turn(queue, with, kLate) == NextTurn{});
  for (std::int64_t at = 5; at <= 6; ++at) put(queue, message(at, "b"), with);
  CHECK(next_turn(queue, with, kLate).messages == positions({5, 6}));
}

TEST_CASE("one message alone is collected, too, if its answer has a way", "[conversation]") {
  const QueueSettings with = settings(QueueMode::collect);
  MessageQueue queue;
  put(queue, message(1, "a"), with);
  CHECK(next_turn(queue, with, kLate).shape == TurnShape::collected);
  queue.waiting.front().route.channel = kInternalChannel;
  CHECK(next_turn(queue, with, kLate).shape == TurnShape::single);
}

TEST_CASE("a prompt is made of no more texts than it can hold", "[conversation]") {
  const QueueSettings with = settings(QueueMode::collect, 2);
  MessageQueue queue = queue_of(3, with);
  for (QueuedMessage& waiting : queue.waiting) waiting.text_bytes = kCollectedBytesMax;
  NextTurn turn = next_turn(queue, with, kLate);
  CHECK(turn.shape == TurnShape::collected);
  CHECK(turn.messages == positions({2}));
  CHECK(turn.settings_from == Position{2});
  take(queue, turn);
  queue.waiting.front().text_bytes = kContentBytesMax;
  turn = next_turn(queue, with, kLate);
  CHECK(turn.shape == TurnShape::single);
  CHECK_FALSE(turn.is_mixed);
  const std::int64_t overflow_bytes_max =
      kQueueCapMax * static_cast<std::int64_t>(kSummaryBytesMax + 64);
  CHECK(kCollectedBytesMax + overflow_bytes_max < kContentBytesMax);
}

TEST_CASE("what runs decides where a message goes", "[conversation][N14]") {
  const MessageQueue none;
  const MessageQueue some = queue_of(1, settings(QueueMode::followup));
  for (const QueueMode mode : {QueueMode::steer, QueueMode::followup, QueueMode::collect,
                               QueueMode::steer_backlog, QueueMode::interrupt}) {
    CHECK(arrival(mode, AgentWork::none, none) == Arrival::starts);
    CHECK(arrival(mode, AgentWork::none, some) == Arrival::waits);
    if (mode == QueueMode::interrupt) continue;
    CHECK(arrival(mode, AgentWork::busy, none) == Arrival::waits);
  }
  CHECK(arrival(QueueMode::steer, AgentWork::steerable, none) == Arrival::steers);
  CHECK(arrival(QueueMode::steer_backlog, AgentWork::steerable, none) == Arrival::steers_and_waits);
  CHECK(arrival(QueueMode::collect, AgentWork::steerable, none) == Arrival::waits);
  CHECK(arrival(QueueMode::interrupt, AgentWork::steerable, none) == Arrival::interrupts);
  CHECK(arrival(QueueMode::interrupt, AgentWork::busy, some) == Arrival::interrupts);
}

TEST_CASE("a queue, a verdict and a turn are stored and read back", "[conversation]") {
  MessageQueue queue = queue_of(4, settings(QueueMode::collect, 2));
  CHECK(*base::decode<MessageQueue>(base::encode(queue)) == queue);
  const Admission admission = accept(queue, message(5), settings(QueueMode::collect, 2));
  CHECK(*base::decode<Admission>(base::encode(admission)) == admission);
  const NextTurn turn = next_turn(queue, settings(QueueMode::collect), kLate);
  CHECK(*base::decode<NextTurn>(base::encode(turn)) == turn);
}

}  // namespace
}  // namespace domain
