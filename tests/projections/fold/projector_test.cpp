// One projection against a log: every event folded once and in order, rows and checkpoint written
// together. It stops, with advice, at a log or rows that do not fit.
#include "projections/fold/projector.hpp"

#include "projections/fold/block_continuity.hpp"
#include "projections/fold/digest.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/one_session.hpp"

namespace {

using base::ErrorCode;
using base::Position;
using projections::Projector;
using projections::RowReader;
using projections::Rows;
using support::kStream;
using support::LogBuilder;

struct Seen {
  std::vector<std::int64_t> positions;
  bool operator==(const Seen&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("positions", &Seen::positions);
  }
};

// Remembers the positions of all events of each type.
class TypesSeen final : public projections::Projection {
 public:
  explicit TypesSeen(std::int64_t schema = 1) : schema_(schema) {}
  std::string_view name() const override { return "types_seen"; }
  std::int64_t schema() const override { return schema_; }
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>&,
             Rows& rows) const override {
    rows.edit<Seen>(event.envelope.type, [&](Seen& seen) {
      seen.positions.push_back(event.envelope.position.value);
      return true;
    });
  }

 private:
  std::int64_t schema_;
};

struct ProjectorFixture {
  TypesSeen projection;
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  LogBuilder log;

  Projector open() { return std::move(*Projector::open(projection, *rows)); }
  std::vector<std::int64_t> seen(std::string_view type) {
    const auto found = RowReader(*rows, projection.name()).get<Seen>(type);
    return *found ? (*found)->positions : std::vector<std::int64_t>{};
  }
  // Appends two blocks behind the EpochStarted: positions 2 and 3, then position 4.
  void add_blocks() {
    log.add(kStream, domain::CloseRequested{});
    log.append(kStream, domain::AgentStartFailed{});
    log.append(kStream, domain::CloseRequested{});
  }
};

using Positions = std::vector<std::int64_t>;

TEST_CASE("a projector folds every event once, in order, with its position", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  Projector projector = f.open();
  CHECK(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents) == 4);
  CHECK(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents) == 0);
  CHECK(projector.position() == f.log.head());
  CHECK(f.seen("EpochStarted") == Positions{1});
  CHECK(f.seen("CloseRequested") == Positions{2, 4});
  CHECK(f.seen("AgentStartFailed") == Positions{3});

  Projector again = f.open();
  CHECK(again.position() == f.log.head());
  CHECK(again.verify_checkpoint(f.log.store()));
  f.log.append(kStream, domain::CloseRequested{});
  CHECK(again.catch_up(f.log.store(), f.log.head(), support::kAllEvents) == 1);
  CHECK(f.seen("CloseRequested") == Positions{2, 4, 5});
}

// Accepts a number of writes, then refuses all.
class FragileStore final : public eventlog::KeyValueStore {
 public:
  FragileStore(eventlog::KeyValueStore& store, int writes) : store_(store), writes_(writes) {}
  base::Result<void> write(const eventlog::WriteBatch& batch) override {
    if (writes_-- <= 0) return base::failure(ErrorCode::io, "the disk is gone");
    return store_.write(batch);
  }
  base::Result<std::optional<base::Bytes>> get(base::ByteView key) override {
    return store_.get(key);
  }
  base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                     std::size_t count_max) override {
    return store_.scan(prefix, from, count_max);
  }
  base::Result<std::optional<eventlog::KeyValue>> last(base::ByteView prefix) override {
    return store_.last(prefix);
  }
  base::Result<void> clear() override { return store_.clear(); }
  base::Result<std::unique_ptr<eventlog::ReadableRows>> snapshot() override {
    return store_.snapshot();
  }

 private:
  eventlog::KeyValueStore& store_;
  int writes_;
};

TEST_CASE("whatever write fails, rows and checkpoint stay together", "[projections]") {
  for (int writes = 0; writes < 6; ++writes) {
    INFO("the disk takes " << writes << " writes");
    ProjectorFixture f;
    f.add_blocks();
    {
      FragileStore fragile(*f.rows, writes);
      auto projector = Projector::open(f.projection, fragile);
      for (bool is_going = projector.has_value(); is_going;) {
        const auto folded = projector->catch_up(f.log.store(), f.log.head(), 1);
        is_going = folded && *folded > 0;
      }
    }
    Projector projector = f.open();
    REQUIRE(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents));
    CHECK(f.seen("CloseRequested") == Positions{2, 4});
    CHECK(f.seen("AgentStartFailed") == Positions{3});
  }
}

TEST_CASE("a disk that takes no write fails what has to be written, and nothing else",
          "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  {
    FragileStore full(*f.rows, 0);
    const auto opened = Projector::open(f.projection, full);  // what was there is to be removed
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::io);
  }
  REQUIRE(f.open().catch_up(f.log.store(), Position{1}, support::kAllEvents));
  FragileStore full(*f.rows, 0);
  auto projector = Projector::open(f.projection, full);
  REQUIRE(projector);
  CHECK(projector->catch_up(f.log.store(), Position{1}, support::kAllEvents) == 0);
  CHECK(projector->catch_up(f.log.store(), Position{2}, support::kAllEvents) == 0);
  const auto folded = projector->catch_up(f.log.store(), f.log.head(), support::kAllEvents);
  REQUIRE_FALSE(folded);
  CHECK(folded.error().code == ErrorCode::io);
  CHECK_FALSE(projector->stopped());
  CHECK(projector->position() == Position{1});
  const auto rebuilt = projector->rebuild();
  REQUIRE_FALSE(rebuilt);
  CHECK(rebuilt.error().code == ErrorCode::io);
  CHECK(f.open().position() == Position{1});
}

TEST_CASE("blocks are folded whole and never beyond the durable head", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  Projector projector = f.open();
  CHECK(projector.catch_up(f.log.store(), Position{1}, support::kAllEvents) == 1);
  // The head cannot lie inside a block; a block that it would cut is left alone.
  CHECK(projector.catch_up(f.log.store(), Position{2}, support::kAllEvents) == 0);
  CHECK(projector.position() == Position{1});
  CHECK(projector.catch_up(f.log.store(), f.log.head(), 1) == 2);
  CHECK(projector.position() == Position{3});
  CHECK(projector.catch_up(f.log.store(), f.log.head(), 1) == 1);
  CHECK(projector.catch_up(f.log.store(), f.log.head(), 1) == 0);
}

TEST_CASE("a log that is shorter than its durable head is an error", "[projections]") {
  ProjectorFixture f;
  Projector projector = f.open();
  REQUIRE(projector.catch_up(f.log.store(), Position{1}, support::kAllEvents) == 1);
  const auto outcome = projector.catch_up(f.log.store(), Position{2}, support::kAllEvents);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::io);
  f.log.append(kStream, domain::CloseRequested{});
  CHECK(projector.catch_up(f.log.store(), Position{2}, support::kAllEvents) == 1);
}

TEST_CASE("rows of another schema are thrown away and built anew", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  REQUIRE(f.open().catch_up(f.log.store(), f.log.head(), support::kAllEvents));
  const auto digest = *projections::digest(*f.rows, "types_seen");
  f.projection = TypesSeen(2);
  Projector projector = f.open();
  CHECK(projector.position() == Position{0});
  CHECK(f.seen("CloseRequested").empty());
  CHECK(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents) == 4);
  CHECK(*projections::digest(*f.rows, "types_seen") == digest);
}

TEST_CASE("rows without a checkpoint, as an interrupted rebuild leaves them, are removed",
          "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  REQUIRE(f.open().catch_up(f.log.store(), f.log.head(), support::kAllEvents));
  eventlog::WriteBatch batch;
  batch.remove("checkpoint/types_seen");
  REQUIRE(f.rows->write(batch));
  Projector projector = f.open();
  CHECK(projector.position() == Position{0});
  CHECK(f.seen("CloseRequested").empty());
}

TEST_CASE("a rebuild leaves the rows of other projections alone", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  Projector projector = f.open();
  REQUIRE(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents));
  Rows other(*f.rows, "types_seen_too");
  other.put("x", Seen{{1}});
  eventlog::WriteBatch batch;
  other.move_into(batch);
  REQUIRE(f.rows->write(batch));
  REQUIRE(projector.rebuild());
  CHECK(f.open().position() == Position{0});
  CHECK(f.seen("EpochStarted").empty());
  CHECK(*Rows(*f.rows, "types_seen_too").find<Seen>("x") == Seen{{1}});
  CHECK(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents) == 4);
}

// Requires that the projection stops with this code. Its error contains `words` and says what to
// do. Everything before is folded, and the projection stays stopped until it is rebuilt.
void check_stops(ProjectorFixture& f, ErrorCode code, const std::string& words, Position reached) {
  Projector projector = f.open();
  const auto outcome = projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == code);
  CHECK_THAT(base::describe(outcome.error()), Catch::Contains(words));
  CHECK_THAT(outcome.error().text, Catch::Contains("steno replay verify"));
  CHECK(projector.position() == reached);
  REQUIRE(projector.stopped());
  const auto repeated = projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents);
  REQUIRE_FALSE(repeated);
  CHECK(repeated.error().text == outcome.error().text);
  REQUIRE(projector.rebuild());
  CHECK_FALSE(projector.stopped());
}

TEST_CASE("a broken chain stops the projection", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  f.log.set_previous(base::Hash{1});
  f.log.append(kStream, domain::CloseRequested{});
  check_stops(f, ErrorCode::wrong_log, "chain is broken", Position{4});
  CHECK(f.seen("CloseRequested").empty());
}

TEST_CASE("a block of another log stops the projection", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  f.log.set_log(base::LogId{{7}});
  f.log.append(kStream, domain::CloseRequested{});
  check_stops(f, ErrorCode::wrong_log, "is not log", Position{4});
}

TEST_CASE("a first block that follows another one stops the projection", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  eventlog::MemoryStore later;
  const auto blocks = *f.log.store().read(Position{2}, support::kAllEvents, false);
  const auto view = *eventlog::parse_block(blocks.back().facts);
  eventlog::BlockBuilder builder;
  builder.add(view.events.front());
  eventlog::BlockHeader header = view.header;
  header.first = Position{1};
  REQUIRE(later.append(builder.seal(header)).status == eventlog::AppendStatus::stored);
  Projector projector = f.open();
  const auto outcome = projector.catch_up(later, Position{1}, support::kAllEvents);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::wrong_log);
}

TEST_CASE("a block behind a gap is damage where the missing one begins", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  const auto blocks = *f.log.store().read(Position{2}, support::kAllEvents, false);
  const auto view = *eventlog::parse_block(blocks.back().facts);
  const auto followed = projections::follow({}, view, view.hash());
  REQUIRE_FALSE(followed);
  CHECK(followed.error().code == ErrorCode::damaged);
  CHECK(followed.error().text == "a block begins at position " +
                                     std::to_string(view.header.first.value) +
                                     " where one must begin at 1");
  CHECK(followed.error().where == "position 1");
}

TEST_CASE("an epoch changes at its EpochStarted and nowhere else", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  f.log.begin_epoch("restored");
  Projector projector = f.open();
  CHECK(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents) == 5);
  CHECK(projector.checkpoint().epoch.counter == 2);
  f.log.change_epoch();
  f.log.append(kStream, domain::CloseRequested{});
  check_stops(f, ErrorCode::wrong_log, "no EpochStarted began", Position{5});
}

TEST_CASE("an epoch that goes back stops the projection", "[projections]") {
  ProjectorFixture f;
  f.log.begin_epoch("restored");
  f.log.change_epoch(-1);
  f.log.append("$server", domain::EpochStarted{1, "restored"});
  check_stops(f, ErrorCode::wrong_log, "epoch 1", Position{2});
}

TEST_CASE("an epoch whose event names another one stops the projection", "[projections]") {
  ProjectorFixture f;
  f.log.change_epoch();
  f.log.append("$server", domain::EpochStarted{3, "restored"});
  check_stops(f, ErrorCode::wrong_log, "epoch 2", Position{1});
}

TEST_CASE("an event of a later release stops the projection and no part of its block is folded",
          "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  f.log.add(kStream, domain::CloseRequested{});
  domain::RecordedEvent unknown;
  unknown.envelope.stream = kStream;
  unknown.event = domain::CloseRequested{};
  base::Bytes bytes = domain::encode_facts(unknown);
  bytes.replace(bytes.find("CloseRequested"), 5, "Moved");
  f.log.add_bytes(bytes);
  f.log.seal();
  SECTION("in a batch of its own and those before it") {
    check_stops(f, ErrorCode::wrong_log, "position 6", Position{4});
  }
  SECTION("and what came before it in the same call is stored") {
    Projector projector = f.open();
    REQUIRE_FALSE(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents));
    CHECK(f.seen("CloseRequested") == Positions{2, 4});
    CHECK(f.open().position() == Position{4});
  }
}

TEST_CASE("an event that cannot be read stops the projection", "[projections]") {
  ProjectorFixture f;
  f.log.add_bytes("\xC1");
  f.log.seal();
  check_stops(f, ErrorCode::invalid, "position 2", Position{1});
  // Where it is, and what is wrong with it, each in its place.
  const auto error = f.open().catch_up(f.log.store(), f.log.head(), support::kAllEvents).error();
  CHECK(error.where == "position 2");
  CHECK_THAT(error.text, Catch::StartsWith("projection types_seen stops: "));
  CHECK_THAT(error.text, !Catch::Contains("position 2"));
}

TEST_CASE("a checkpoint is verified against the block that it names", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  REQUIRE(f.open().catch_up(f.log.store(), f.log.head(), support::kAllEvents));
  CHECK(f.open().verify_checkpoint(f.log.store()));

  const auto check_refused = [&](eventlog::BlockStore& log, const std::string& words) {
    Projector projector = f.open();
    const auto verified = projector.verify_checkpoint(log);
    REQUIRE_FALSE(verified);
    CHECK(verified.error().code == ErrorCode::wrong_log);
    CHECK_THAT(verified.error().text, Catch::Contains(words));
    CHECK_FALSE(projector.catch_up(log, log.tail(), support::kAllEvents));
  };
  SECTION("another log of the same length") {
    LogBuilder other(2);
    for (int i = 0; i < 3; ++i) other.append(kStream, domain::CloseRequested{});
    check_refused(other.store(), "another block");
  }
  SECTION("another log that ends before the checkpoint") {
    LogBuilder other(2);
    check_refused(other.store(), "it is of log");
  }
  SECTION("a log that was trimmed right behind the checkpoint proves itself by its chain") {
    f.log.append(kStream, domain::CloseRequested{});
    REQUIRE(f.log.store().trim_before(Position{5}));
    Projector projector = f.open();
    CHECK(projector.verify_checkpoint(f.log.store()));
    CHECK(projector.catch_up(f.log.store(), f.log.head(), support::kAllEvents) == 1);
  }
}

TEST_CASE("a log whose beginning was trimmed cannot build rows from nothing", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  REQUIRE(f.log.store().trim_before(Position{2}));
  check_stops(f, ErrorCode::damaged, "must begin at 1", Position{0});
}

TEST_CASE("a block whose bytes were changed stops the projection", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  // A store that returns one flipped bit in its last block.
  class Flipping final : public support::ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    base::Result<std::vector<eventlog::StoredBlock>> read(Position from, std::size_t bytes_max,
                                                          bool with_content) override {
      auto blocks = ForwardingStore::read(from, bytes_max, with_content);
      blocks->back().facts.back() = static_cast<char>(blocks->back().facts.back() ^ 1);
      return blocks;
    }
  } flipping(f.log.store());
  Projector projector = f.open();
  const auto outcome = projector.catch_up(flipping, f.log.head(), support::kAllEvents);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::damaged);
  CHECK(projector.position() == Position{3});
}

TEST_CASE("a damaged block stops only those that have yet to fold it", "[projections]") {
  ProjectorFixture f;
  f.add_blocks();
  class FirstFlipped final : public support::ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    base::Result<std::vector<eventlog::StoredBlock>> read(Position from, std::size_t bytes_max,
                                                          bool with_content) override {
      auto blocks = ForwardingStore::read(from, bytes_max, with_content);
      char& byte = blocks->front().facts.back();
      if (from == Position{2}) byte = static_cast<char>(byte ^ 1);
      return blocks;
    }
  } damaged(f.log.store());
  ProjectorFixture other;
  Projector behind = f.open();
  Projector ahead = other.open();
  REQUIRE(behind.catch_up(f.log.store(), Position{1}, support::kAllEvents) == 1);
  REQUIRE(ahead.catch_up(f.log.store(), Position{3}, support::kAllEvents) == 3);
  const auto outcomes =
      Projector::catch_up_all({&behind, &ahead}, damaged, f.log.head(), support::kAllEvents);
  REQUIRE(outcomes.size() == 2);
  REQUIRE_FALSE(outcomes[0]);
  CHECK(outcomes[0].error().code == ErrorCode::damaged);
  CHECK(outcomes[1] == 1);
  CHECK(behind.stopped());
  CHECK_FALSE(ahead.stopped());
  CHECK(ahead.position() == Position{4});
}

}  // namespace
