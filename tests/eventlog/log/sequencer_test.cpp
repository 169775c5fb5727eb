// The sequencer: dense positions and versions, all or nothing for each append, grouping while a
// block is in flight, and a stop when a commit's outcome is in doubt.
#include "eventlog/log/sequencer.hpp"

#include <poll.h>

#include "eventlog/domain/event_codec.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/hand_committer.hpp"
#include "tests/support/log.hpp"
#include "tests/support/stores.hpp"

namespace eventlog {
namespace {

using support::HandCommitter;
using support::stream_of;

NewEvent event(int number, std::string content = {}) {
  return {domain::AgentExited{number, 0}, {std::move(content)}};
}

std::vector<StreamAppend> to(const std::string& stream, std::int64_t expected, int count = 1) {
  std::vector<StreamAppend> appends(1);
  appends[0] = {stream, {expected}, {}};
  for (int i = 0; i < count; ++i) appends[0].events.push_back(event(i));
  return appends;
}

// A sequencer over a store whose commits the test drives.
template <class Fixture>
struct Driven {
  Fixture fixture;
  base::SeededRandom random{1};
  HandCommitter committer{fixture.store()};
  Sequencer sequencer{support::tail_of(fixture.store()), committer, random};

  Driven() {
    for (int i = 1; i <= 3; ++i) sequencer.set_head(stream_of(i), {0});
  }
  Result<std::vector<const SequencedEvent*>> append(std::vector<StreamAppend> appends) {
    AppendContext context;
    context.log_time = {++time};
    return sequencer.append(std::move(appends), context);
  }
  void commit_all() {
    sequencer.do_work();
    while (committer.submitted()) {
      committer.complete();
      sequencer.do_work();
    }
  }
  std::int64_t time = 1000;
};

using Memory = Driven<support::MemoryBlockStore>;
using RocksDb = Driven<support::RocksDbBlockStore>;

TEMPLATE_TEST_CASE("positions and versions are dense", "[eventlog]", Memory, RocksDb) {
  TestType log;
  base::SeededRandom random(3);
  std::map<std::string, std::int64_t> versions;
  for (int round = 0; round < 100; ++round) {
    const std::string stream = stream_of(static_cast<int>(1 + random.below(3)));
    const int count = static_cast<int>(1 + random.below(4));
    const auto appended = log.append(to(stream, versions[stream], count));
    REQUIRE(appended);
    REQUIRE(appended->size() == static_cast<std::size_t>(count));
    versions[stream] += count;
    CHECK(appended->back()->recorded.envelope.version.value == versions[stream]);
    CHECK(appended->back()->recorded.envelope.position == log.sequencer.tail());
    if (random.chance(30)) log.commit_all();
  }
  log.commit_all();
  support::require_log_is_whole(log.fixture.store());
  CHECK(log.fixture.store().tail() == log.sequencer.tail());
  CHECK(log.sequencer.durable() == log.sequencer.tail());
}

TEMPLATE_TEST_CASE("a wrong expected version leaves no trace", "[eventlog]", Memory, RocksDb) {
  TestType log;
  REQUIRE(log.append(to(stream_of(1), 0, 2)));
  for (const std::int64_t wrong : {0, 1, 3}) {
    const auto refused = log.append(to(stream_of(1), wrong));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == base::ErrorCode::conflict);
    CHECK(refused.error().where == stream_of(1));
  }
  CHECK(log.sequencer.tail() == Position{2});
  REQUIRE(log.append(to(stream_of(1), 2)));
  log.commit_all();
  support::require_log_is_whole(log.fixture.store());
  CHECK(log.fixture.store().tail() == Position{3});
}

TEMPLATE_TEST_CASE("several streams are appended to at once, or none is", "[eventlog]", Memory,
                   RocksDb) {
  TestType log;
  std::vector<StreamAppend> appends = to(stream_of(1), 0, 2);
  appends.push_back(to(stream_of(2), 0).front());
  appends.push_back(to(stream_of(3), 1).front());  // wrong
  REQUIRE_FALSE(log.append(appends));
  CHECK(log.sequencer.tail() == Position{0});
  appends.back().expected = {0};
  const auto appended = log.append(appends);
  REQUIRE(appended);
  REQUIRE(appended->size() == 4);
  CHECK((*appended)[2]->recorded.envelope.stream == stream_of(2));
  log.commit_all();
  CHECK(log.fixture.store().read({1}, 1 << 20, false)->size() == 1);  // one block
  support::require_log_is_whole(log.fixture.store());
}

TEMPLATE_TEST_CASE("what comes while a block is on its way goes into the next one", "[eventlog]",
                   Memory, RocksDb) {
  TestType log;
  REQUIRE(log.append(to(stream_of(1), 0)));
  CHECK(log.sequencer.do_work());
  REQUIRE(log.committer.submitted());
  for (std::int64_t i = 1; i <= 10; ++i) {
    REQUIRE(log.append(to(stream_of(1), i)));
    CHECK_FALSE(log.sequencer.do_work());
  }
  CHECK(log.sequencer.durable() == Position{0});
  CHECK(log.sequencer.take_durable().empty());
  log.committer.complete();
  CHECK(log.sequencer.durable() == Position{0});  // not before the outcome is taken
  CHECK(log.sequencer.do_work());
  CHECK(log.sequencer.durable() == Position{1});
  CHECK(log.sequencer.take_durable().size() == 1);
  REQUIRE(log.committer.submitted());
  CHECK(log.committer.submitted()->header.count == 10);
  log.committer.complete();
  log.sequencer.do_work();
  CHECK(log.sequencer.durable() == Position{11});
  CHECK_FALSE(log.sequencer.do_work());  // nothing is left
  CHECK(log.fixture.store().read({1}, 1 << 20, false)->size() == 2);
  support::require_log_is_whole(log.fixture.store());
}

TEMPLATE_TEST_CASE("durable events are handed out once, in order, as they stand in the log",
                   "[eventlog]", Memory, RocksDb) {
  TestType log;
  for (std::int64_t i = 0; i < 5; ++i) REQUIRE(log.append(to(stream_of(1), i)));
  log.commit_all();
  const auto durable = log.sequencer.take_durable();
  CHECK(log.sequencer.take_durable().empty());
  const auto stored = support::all_events(log.fixture.store());
  REQUIRE(durable.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(durable[i].recorded == stored[i]);
    auto decoded = domain::decode_facts(durable[i].facts);
    REQUIRE(decoded);
    decoded->envelope.position = stored[i].envelope.position;
    CHECK(*decoded == stored[i]);
  }
}

TEMPLATE_TEST_CASE("a doubtful outcome stops the sequencer for good", "[eventlog]", Memory,
                   RocksDb) {
  const auto status = GENERATE(AppendStatus::unknown, AppendStatus::conflict);
  TestType log;
  REQUIRE(log.append(to(stream_of(1), 0)));
  log.commit_all();
  REQUIRE(log.append(to(stream_of(1), 1)));
  log.sequencer.do_work();
  REQUIRE(log.append(to(stream_of(1), 2)));
  log.committer.fail(status);
  log.sequencer.do_work();
  REQUIRE(log.sequencer.failure());
  CHECK(log.sequencer.failure()->text == "the disk is gone");
  CHECK_FALSE(log.sequencer.has_room());
  CHECK(log.sequencer.durable() == Position{1});
  CHECK(log.sequencer.take_durable().size() == 1);
  for (int i = 0; i < 3; ++i) log.sequencer.do_work();
  CHECK_FALSE(log.committer.submitted());
  CHECK(log.fixture.store().tail() == Position{1});
}

TEMPLATE_TEST_CASE("a sequencer goes on where the log ends", "[eventlog]", Memory, RocksDb) {
  TestType log;
  REQUIRE(log.append(to(stream_of(1), 0, 3)));
  log.commit_all();
  CHECK(log.sequencer.log().writer_term == 1);
  const Checkpoint reached = log.sequencer.durable_checkpoint();
  log.fixture.reopen();
  const auto tail = read_tail(log.fixture.store());
  REQUIRE(tail);
  CHECK(tail->position == Position{3});
  CHECK(tail->hash == reached.hash);
  CHECK(tail->log == reached.log);
  CHECK(tail->epoch == reached.epoch);
  CHECK(tail->time == Time{1001});
  HandCommitter committer(log.fixture.store());
  Sequencer next(*tail, committer, log.random);
  CHECK(next.durable() == Position{3});
  CHECK(next.durable_checkpoint() == reached);
  next.set_head(stream_of(1), {3});
  AppendContext context;
  context.log_time = {5};  // before the last event's; log time does not go back
  const auto appended = next.append(to(stream_of(1), 3), context);
  REQUIRE(appended);
  CHECK(appended->front()->recorded.envelope.log_time == Time{1001});
  next.do_work();
  REQUIRE(committer.submitted());
  CHECK(committer.submitted()->header.writer_term == 2);
  CHECK(committer.submitted()->header.previous == reached.hash);
  committer.complete();
  next.do_work();
  support::require_log_is_whole(log.fixture.store());
}

TEST_CASE("an empty store has an empty tail", "[eventlog]") {
  MemoryStore store;
  const auto tail = read_tail(store);
  REQUIRE(tail);
  CHECK(tail->position == Position{0});
  CHECK_FALSE(tail->log.is_set());
}

TEST_CASE("what an append has in common stands in each of its events", "[eventlog]") {
  Memory log;
  base::SeededRandom random(9);
  AppendContext context;
  context.command = base::CommandId::make({1}, random);
  context.command_digest[0] = 'd';
  context.correlation = base::CommandId::make({2}, random);
  context.causation = base::EventId::make({3}, random);
  context.actor_kind = domain::ActorKind::worker;
  context.actor = "worker-1";
  context.token = {4};
  context.report_sequence = 5;
  context.traceparent = "00-trace";
  context.log_time = {6'000};
  context.wall_time = {7'000};
  std::vector<StreamAppend> appends = to(stream_of(1), 0, 2);
  REQUIRE(log.sequencer.append(appends, context));
  log.commit_all();
  const auto events = support::all_events(log.fixture.store());
  REQUIRE(events.size() == 2);
  for (const auto& e : events) {
    CHECK(e.envelope.command == context.command);
    CHECK(e.envelope.command_digest == context.command_digest);
    CHECK(e.envelope.correlation == context.correlation);
    CHECK(e.envelope.causation == context.causation);
    CHECK(e.envelope.actor_kind == context.actor_kind);
    CHECK(e.envelope.actor == context.actor);
    CHECK(e.envelope.token == context.token);
    CHECK(e.envelope.report_sequence == context.report_sequence);
    CHECK(e.envelope.traceparent == context.traceparent);
    CHECK(e.envelope.log_time == context.log_time);
    CHECK(e.envelope.wall_time == context.wall_time);
    CHECK(e.envelope.type == "AgentExited");
    CHECK(e.envelope.event.is_set());
  }
  CHECK(events[0].envelope.event != events[1].envelope.event);
}

TEST_CASE("a full block takes no further command until it is on its way", "[eventlog]") {
  Memory log;
  REQUIRE(log.append(to(stream_of(1), 0, static_cast<int>(kBlockEventsMax))));
  CHECK_FALSE(log.sequencer.has_room());
  log.sequencer.do_work();
  CHECK(log.sequencer.has_room());
}

// Sizes run from nothing to 20 chunks, including those where the form of storage changes.
TEMPLATE_TEST_CASE("content of every size comes back through the log", "[eventlog]", Memory,
                   RocksDb) {
  TestType log;
  const std::size_t kib = 1024;
  const std::size_t sizes[] = {
      0, 1, 64 * kib - 20, 64 * kib - 1, 64 * kib, 64 * kib + 1, 256 * kib, 1 << 20, 5 << 20};
  std::int64_t version = 0;
  std::vector<std::string> texts;
  base::SeededRandom random(2);
  for (const std::size_t size : sizes) {
    std::string text(size, ' ');
    for (char& c : text) c = static_cast<char>('a' + random.below(26));
    texts.push_back(text);
    std::vector<StreamAppend> appends(1);
    appends[0] = {stream_of(1), {version++}, {}};
    appends[0].events.push_back(event(1, text));
    REQUIRE(log.append(std::move(appends)));
    if (random.chance(50)) log.commit_all();
  }
  log.commit_all();
  log.fixture.reopen();
  BlockStore& store = log.fixture.store();
  const auto with_content = support::all_events(store, true);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO("content of " << texts[i].size() << " bytes");
    const auto content = read_content(store, {static_cast<std::int64_t>(i) + 1});
    REQUIRE(content);
    REQUIRE(content->has_value() == !texts[i].empty());
    if (!texts[i].empty()) REQUIRE(((*content)->text == texts[i]));
    const auto& e = with_content[i];
    REQUIRE(e.envelope.content.has_value() == !texts[i].empty());
    if (e.envelope.content) {
      CHECK(e.envelope.content->bytes == static_cast<std::int64_t>(texts[i].size()));
      REQUIRE((e.content && e.content->text == texts[i]));
    }
  }
  for (const auto& e : support::all_events(store, false)) CHECK_FALSE(e.content);
}

TEST_CASE("content that does not match its digest is damaged, erased content is absent",
          "[eventlog]") {
  Memory log;
  std::vector<StreamAppend> appends = to(stream_of(1), 0, 0);
  appends[0].events.push_back(event(1, "secret"));
  appends[0].events.push_back(event(2, "other"));
  REQUIRE(log.append(std::move(appends)));
  log.commit_all();
  BlockStore& store = log.fixture.store();
  auto block = base::decode<ContentBlock>(store.read({1}, 1, true)->front().content);
  REQUIRE(block);
  SECTION("another text") {
    block->entries[0].content.bytes = domain::encode_content({"forged"});
    REQUIRE(store.replace_content({1}, base::encode(*block)));
    REQUIRE_FALSE(read_content(store, {1}));
    CHECK(read_content(store, {1}).error().code == base::ErrorCode::damaged);
    CHECK(read_content(store, {1}).error().where == "position 1");
    CHECK((*read_content(store, {2}))->text == "other");
  }
  SECTION("another salt") {
    block->entries[0].salt[0] = static_cast<char>(block->entries[0].salt[0] + 1);
    REQUIRE(store.replace_content({1}, base::encode(*block)));
    CHECK_FALSE(read_content(store, {1}));
  }
  SECTION("content on an event that has none") {
    REQUIRE(log.append(to(stream_of(1), 2)));
    log.commit_all();
    block->entries.resize(1);
    REQUIRE(store.replace_content({3}, base::encode(*block)));
    REQUIRE_FALSE(read_content(store, {3}));
    CHECK(read_content(store, {3}).error().code == base::ErrorCode::damaged);
  }
  SECTION("one entry emptied") {
    block->entries[0].content.bytes.clear();
    block->entries[0].salt = {};
    REQUIRE(store.replace_content({1}, base::encode(*block)));
    CHECK_FALSE(*read_content(store, {1}));
    CHECK((*read_content(store, {2}))->text == "other");
  }
  SECTION("the content block removed") {
    REQUIRE(store.replace_content({1}, ""));
    CHECK_FALSE(*read_content(store, {1}));
    CHECK_FALSE(*read_content(store, {2}));
  }
}

TEST_CASE("content of no event is not found", "[eventlog]") {
  Memory log;
  const auto content = read_content(log.fixture.store(), {1});
  REQUIRE_FALSE(content);
  CHECK(content.error().code == base::ErrorCode::not_found);
}

TEST_CASE("events are read from the middle of a block to the middle of another", "[eventlog]") {
  Memory log;
  for (std::int64_t block = 0; block < 4; ++block) {
    REQUIRE(log.append(to(stream_of(1), block * 5, 5)));
    log.commit_all();
  }
  BlockStore& store = log.fixture.store();
  for (Position from{1}; from.value <= 21; from = from.next()) {
    for (Position through{0}; through.value <= 22; through = through.next()) {
      const auto events = read_events(store, from, through, {1 << 20, false});
      REQUIRE(events);
      const std::int64_t last = std::min<std::int64_t>(through.value, 20);
      REQUIRE(static_cast<std::int64_t>(events->size()) ==
              std::max<std::int64_t>(0, last - from.value + 1));
      for (std::size_t i = 0; i < events->size(); ++i) {
        REQUIRE((*events)[i].envelope.position == from.plus(static_cast<std::int64_t>(i)));
      }
    }
  }
  CHECK(read_events(store, {3}, {20}, {1, false})->size() == 3);  // at least one block
}

TEST_CASE("the committing thread stores blocks in order and wakes its asker", "[eventlog]") {
  support::RocksDbBlockStore fixture;
  const support::TempFolder folder;
  const auto head = open_head_file(folder.file("head"));
  REQUIRE(head);
  base::SeededRandom random(1);
  Checkpoint reached;
  {
    const auto committer = make_thread_committer(fixture.store(), head->get());
    Sequencer sequencer(support::new_log('T'), *committer, random);
    sequencer.set_head(stream_of(1), {0});
    std::int64_t version = 0;
    while (sequencer.durable().value < 200) {
      for (int i = 0; i < 7 && version < 300; ++i) {
        AppendContext context;
        context.log_time = {version};
        REQUIRE(sequencer.append(to(stream_of(1), version), context));
        ++version;
      }
      sequencer.do_work();
      pollfd wake{committer->wake_fd(), POLLIN, 0};
      REQUIRE(poll(&wake, 1, 10'000) == 1);
      sequencer.do_work();
      REQUIRE_FALSE(sequencer.failure());
      // The head file already names an acknowledged position.
      REQUIRE(**read_head_file(folder.file("head")) == sequencer.durable_checkpoint());
      reached = sequencer.durable_checkpoint();
      // The next block can be in flight; wait for it, so that the head does not move during the
      // check.
      while (!committer->is_idle()) {
        REQUIRE(poll(&wake, 1, 10'000) == 1);
        sequencer.do_work();
        reached = sequencer.durable_checkpoint();
      }
    }
  }
  CHECK(**read_head_file(folder.file("head")) == reached);
  CHECK(fixture.store().tail() == reached.position);
  fixture.reopen();
  support::require_log_is_whole(fixture.store());
}

TEST_CASE("the committing thread finishes its block before it ends", "[eventlog]") {
  support::RocksDbBlockStore fixture;
  support::BlockChain chain;
  {
    const auto committer = make_thread_committer(fixture.store(), nullptr);
    CHECK(committer->is_idle());
    committer->submit(chain.next(2));
    CHECK_FALSE(committer->is_idle());
  }
  CHECK(fixture.store().tail() == Position{2});
}

}  // namespace
}  // namespace eventlog
