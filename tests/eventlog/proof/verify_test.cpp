// Verification finds every deliberate damage to a log's blocks, contents and head, and names its
// positions. Erased content is no damage.
#include "eventlog/proof/verify.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/history.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/one_session.hpp"
#include "tests/support/verify_report.hpp"

namespace {

using base::ErrorCode;
using base::Position;
using Catch::Contains;
using eventlog::verify_log;
using eventlog::VerifyReport;
using support::check_only_problem;
using support::kStream;
using support::LogBuilder;

// The blocks of a log, to be changed and stored again.
class Blocks {
 public:
  explicit Blocks(eventlog::BlockStore& store) : blocks_(*store.read({1}, SIZE_MAX, true)) {
    for (const auto& stored : blocks_) {
      lasts_.push_back(eventlog::parse_block(stored.facts)->header.last());
    }
  }

  std::string& facts(std::size_t index) { return blocks_[index].facts; }
  void remove(std::size_t index) {
    blocks_.erase(blocks_.begin() + static_cast<long>(index));
    lasts_.erase(lasts_.begin() + static_cast<long>(index));
  }

  // Fills the store with the blocks as they are now. The block behind a missing one covers its
  // positions too, since a search for them would find that block.
  eventlog::BlockStore& store() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      eventlog::SealedBlock block;
      block.facts = blocks_[i].facts;
      block.content = blocks_[i].content;
      block.header.first = store_.tail().next();
      block.header.count = lasts_[i].value - store_.tail().value;
      store_.append(block);
    }
    return store_;
  }

 private:
  std::vector<eventlog::StoredBlock> blocks_;
  std::vector<Position> lasts_;
  eventlog::MemoryStore store_;
};

eventlog::Checkpoint head_of(eventlog::BlockStore& store) {
  const auto last = *store.read(store.tail(), 1, false);
  const auto block = *eventlog::parse_block(last.front().facts);
  return {block.header.log, block.header.epoch, block.header.last(), block.hash()};
}

// Returns positions and texts, for a failed test to show.
std::string lines(const VerifyReport& report) {
  std::string text;
  for (const auto& problem : report.problems) {
    text += std::to_string(problem.position.value) + ": " + problem.text + "\n";
  }
  return text;
}

// Blocks of three events: 1 | 2 3 4 | 5 6 7 | …, all on the session's stream.
struct VerifyFixture {
  LogBuilder log;
  explicit VerifyFixture(int blocks = 6) {
    domain::SessionOpened opened;
    opened.session = *base::SessionId::parse(support::kOnlySession);
    opened.agent = "main";
    log.add(kStream, opened, "be brief");
    log.add(kStream, domain::TurnQueued{}, "do it");
    log.append(kStream, domain::AgentExited{});
    for (int i = 1; i < blocks; ++i) {
      log.add(kStream, domain::AgentLineRecorded{}, "a line");
      log.add(kStream, domain::AgentExited{});
      log.append(kStream, domain::AgentLineRecorded{}, "another line");
    }
  }

  // Records that the content at the position was erased. The stream begins at position 2.
  void erase(std::int64_t position, bool is_completed = false) {
    const base::StreamVersion version{position - 1};
    log.append(kStream, domain::ContentErased{{{version, version}}, {}});
    const auto erasure = log.events().back().envelope.version;
    if (is_completed) log.append(kStream, domain::ContentErasureCompleted{erasure});
  }
};

TEST_CASE("a random history proves itself", "[eventlog]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    support::History history(seed, {});
    auto& store = history.log().store();
    const auto report = verify_log(store, head_of(store));
    INFO("seed " << seed << "\n" << lines(report));
    CHECK(report.problems.empty());
    CHECK(report.events == history.log().head().value);
    CHECK(report.first == Position{1});
    CHECK(report.last == history.log().head());
    CHECK(report.hash == head_of(store).hash);
    CHECK(report.log == history.log().log());
    CHECK(report.epochs == 1);
    CHECK(report.contents > 0);
    CHECK(report.contents_erased == 0);
    CHECK(report.after_head == 0);
  }
}

TEST_CASE("an empty log is whole unless something was acknowledged", "[eventlog]") {
  eventlog::MemoryStore store;
  CHECK(verify_log(store, {}).problems.empty());
  VerifyFixture f;
  check_only_problem(verify_log(store, head_of(f.log.store())), Position{1},
                     "events 1 to 19 are missing");
}

TEST_CASE("any flipped bit of a block is found and its events are named", "[eventlog]") {
  VerifyFixture f;
  const std::size_t size = Blocks(f.log.store()).facts(2).size();
  for (std::size_t byte = 0; byte < size; ++byte) {
    Blocks blocks(f.log.store());
    blocks.facts(2)[byte] ^= static_cast<char>(1 << (byte % 8));
    auto& store = blocks.store();
    const auto report = verify_log(store, head_of(f.log.store()));
    INFO("byte " << byte << "\n" << lines(report));
    REQUIRE_FALSE(report.problems.empty());
    CHECK(report.problems[0].position == Position{5});
    if (report.problems[0].code == ErrorCode::wrong_log) continue;  // reported as a newer format
    CHECK(report.problems.size() == 1);
    CHECK(report.events == 16);
  }
}

TEST_CASE("a damaged last block is found", "[eventlog]") {
  VerifyFixture f;
  Blocks blocks(f.log.store());
  blocks.facts(6).back() ^= 1;
  check_only_problem(verify_log(blocks.store(), head_of(f.log.store())), Position{17},
                     "events 17 to 19 are not whole");
}

TEST_CASE("two damaged blocks in a row are both found", "[eventlog]") {
  VerifyFixture f;
  Blocks blocks(f.log.store());
  blocks.facts(2).back() ^= 1;
  blocks.facts(3).back() ^= 1;
  const auto report = verify_log(blocks.store(), {});
  INFO(lines(report));
  REQUIRE(report.problems.size() == 2);
  CHECK(report.problems[0].position == Position{5});
  CHECK(report.problems[1].position == Position{8});
}

TEST_CASE("missing blocks are named", "[eventlog]") {
  VerifyFixture f;
  SECTION("in the middle") {
    Blocks blocks(f.log.store());
    blocks.remove(2);
    blocks.remove(2);
    check_only_problem(verify_log(blocks.store(), {}), Position{5}, "events 5 to 10 are missing");
  }
  SECTION("at the beginning") {
    Blocks blocks(f.log.store());
    blocks.remove(0);
    check_only_problem(verify_log(blocks.store(), {}), Position{1}, "event 1 is missing");
  }
  SECTION("at the end") {
    Blocks blocks(f.log.store());
    blocks.remove(6);
    check_only_problem(verify_log(blocks.store(), head_of(f.log.store())), Position{17},
                       "events 17 to 19 are missing");
  }
}

TEST_CASE("a block that does not follow the one before it is found", "[eventlog]") {
  VerifyFixture f;
  f.log.set_previous(base::blake2b("another"));
  f.log.append(kStream, domain::AgentExited{});
  f.log.append(kStream, domain::AgentExited{});
  check_only_problem(verify_log(f.log.store(), {}), Position{20}, "chain is broken");
}

TEST_CASE("a block of another log is found", "[eventlog]") {
  VerifyFixture f;
  f.log.set_log(base::LogId::make(f.log.now(), f.log.random()));
  f.log.append(kStream, domain::AgentExited{});
  check_only_problem(verify_log(f.log.store(), {}), Position{20}, "is of log",
                     ErrorCode::wrong_log);
}

TEST_CASE("an epoch begins with an EpochStarted only", "[eventlog]") {
  VerifyFixture f;
  SECTION("as it should") {
    f.log.begin_epoch("restored");
    const auto report = verify_log(f.log.store(), {});
    CHECK(report.problems.empty());
    CHECK(report.epochs == 2);
  }
  SECTION("without one") {
    f.log.change_epoch();
    f.log.append(kStream, domain::AgentExited{});
    check_only_problem(verify_log(f.log.store(), {}), Position{20}, "epoch 2 begins without");
  }
  SECTION("with one that begins none") {
    f.log.append(domain::kServerStream, domain::EpochStarted{2, "restored"});
    check_only_problem(verify_log(f.log.store(), {}), Position{20}, "begins no epoch");
  }
}

// An event of the session's stream with any version, right or wrong.
std::string facts_at_version(std::int64_t version, base::Time time) {
  domain::RecordedEvent event;
  event.envelope.stream = kStream;
  event.envelope.version.value = version;
  event.envelope.log_time = time;
  event.event = domain::AgentExited{};
  return domain::encode_facts(event);
}

TEST_CASE("a hole in a stream's versions is found", "[eventlog]") {
  VerifyFixture f;
  f.log.add_bytes(facts_at_version(20, f.log.now()));
  f.log.seal();
  check_only_problem(verify_log(f.log.store(), {}), Position{20}, "version 20 where version 19");
}

TEST_CASE("a version that comes twice is found", "[eventlog]") {
  VerifyFixture f;
  f.log.add_bytes(facts_at_version(18, f.log.now()));
  f.log.seal();
  check_only_problem(verify_log(f.log.store(), {}), Position{20}, "version 18 where version 19");
}

TEST_CASE("log time that goes back is found", "[eventlog]") {
  VerifyFixture f;
  f.log.add_bytes(facts_at_version(19, base::Time{f.log.now().us - 5}));
  f.log.seal();
  check_only_problem(verify_log(f.log.store(), {}), Position{20}, "goes back by 5 us");
}

TEST_CASE("facts that cannot be read are found", "[eventlog]") {
  VerifyFixture f;
  SECTION("no map at all") {
    f.log.add_bytes("nonsense");
    f.log.seal();
    check_only_problem(verify_log(f.log.store(), {}), Position{20}, "facts cannot be read");
  }
  SECTION("a type of a later release") {
    domain::Envelope envelope;
    envelope.stream = kStream;
    envelope.version.value = 19;
    envelope.type = "SessionTeleported";
    envelope.log_time = f.log.now();
    f.log.add_bytes(base::encode(envelope));
    f.log.seal();
    f.log.add_bytes(facts_at_version(20, f.log.now()));
    f.log.seal();
    check_only_problem(verify_log(f.log.store(), {}), Position{20}, "SessionTeleported",
                       ErrorCode::wrong_log);
  }
  SECTION("a stream of no known kind") {
    f.log.append("$nowhere", domain::AgentExited{});
    check_only_problem(verify_log(f.log.store(), {}), Position{20}, "not the name of a stream");
  }
}

TEST_CASE("an event that its session cannot have had is found once", "[eventlog]") {
  VerifyFixture f;
  f.log.append(kStream, domain::LeaseReleased{{5}});
  f.log.append(kStream, domain::LeaseReleased{{5}});
  check_only_problem(verify_log(f.log.store(), {}), Position{20}, "LeaseReleased is impossible");
}

// Replaces the content of block 5 6 7 and verifies the log. Its first and last event have content.
VerifyReport verify_with_content(VerifyFixture& f, const eventlog::ContentBlock& content) {
  REQUIRE(f.log.store().replace_content({5}, base::encode(content)));
  return verify_log(f.log.store(), {});
}

void log_line(LogBuilder& log, std::string text, bool ends_block) {
  if (ends_block) {
    log.append(kStream, domain::AgentLineRecorded{}, std::move(text));
  } else {
    log.add(kStream, domain::AgentLineRecorded{}, std::move(text));
  }
}

TEST_CASE("content is proved by its digest, and may be erased", "[eventlog]") {
  VerifyFixture f;
  auto stored = *f.log.store().read({5}, 1, true);
  auto content = *base::decode<eventlog::ContentBlock>(stored.front().content);
  REQUIRE(content.entries.size() == 2);
  SECTION("other bytes") {
    content.entries[1].content.bytes.back() ^= 1;
    check_only_problem(verify_with_content(f, content), Position{7}, "does not match its digest");
  }
  SECTION("another salt") {
    content.entries[0].salt[3] ^= 1;
    check_only_problem(verify_with_content(f, content), Position{5}, "does not match its digest");
  }
  SECTION("of an event that has none") {
    content.entries[1].index = 1;
    f.erase(7);
    const auto report = verify_with_content(f, content);
    check_only_problem(report, Position{6}, "content of an event that has none");
    CHECK(report.contents_erased == 1);
  }
  SECTION("of no event") {
    content.entries[1].index = 3;
    f.erase(7);
    check_only_problem(verify_with_content(f, content), Position{5}, "not in the block");
  }
  SECTION("chunks that are missing") {
    content.entries[1].content.bytes.clear();
    content.entries[1].chunks = 2;
    check_only_problem(verify_with_content(f, content), Position{7}, "no such chunk");
  }
  SECTION("no content block at all") {
    REQUIRE(f.log.store().replace_content({5}, "nonsense"));
    const auto report = verify_log(f.log.store(), {});
    INFO(lines(report));
    CHECK(report.problems.size() == 1);
    CHECK(report.problems[0].position == Position{5});
  }
  SECTION("one erased") {
    content.entries.pop_back();
    f.erase(7);
    const auto report = verify_with_content(f, content);
    CHECK(report.problems.empty());
    CHECK(report.contents_erased == 1);
  }
  SECTION("both erased") {
    REQUIRE(f.log.store().replace_content({5}, {}));
    f.erase(5);
    f.erase(7);
    const auto report = verify_log(f.log.store(), {});
    CHECK(report.problems.empty());
    CHECK(report.contents_erased == 2);
  }
}

TEST_CASE("of many contents in a block the one that was changed is named", "[eventlog]") {
  constexpr int kContents = 20;
  for (int changed = 0; changed < kContents; ++changed) {
    VerifyFixture f(1);
    for (int i = 0; i < kContents; ++i) {
      log_line(f.log, std::string(static_cast<std::size_t>(i + 1) * 40, 'x'), i + 1 == kContents);
    }
    const Position first{5};
    const auto stored = *f.log.store().read(first, 1, true);
    auto content = *base::decode<eventlog::ContentBlock>(stored.front().content);
    REQUIRE(content.entries.size() == kContents);
    content.entries[static_cast<std::size_t>(changed)].content.bytes.back() ^= 1;
    REQUIRE(f.log.store().replace_content(first, base::encode(content)));
    check_only_problem(verify_log(f.log.store(), {}), first.plus(changed),
                       "does not match its digest");
  }
}

TEST_CASE("content that is missing must have been erased on the record", "[eventlog]") {
  VerifyFixture f;
  auto stored = *f.log.store().read({5}, 1, true);
  auto content = *base::decode<eventlog::ContentBlock>(stored.front().content);
  SECTION("missing, and nobody erased anything") {
    content.entries.pop_back();
    check_only_problem(verify_with_content(f, content), Position{7},
                       "content of event 7 is missing");
  }
  SECTION("missing, and another was erased") {
    f.erase(5);
    REQUIRE(f.log.store().replace_content({5}, {}));
    check_only_problem(verify_log(f.log.store(), {}), Position{7}, "content of event 7 is missing");
  }
  SECTION("consecutive ones are named together") {
    REQUIRE(f.log.store().replace_content({5}, {}));
    check_only_problem(verify_log(f.log.store(), {}), Position{5},
                       "content of events 5 to 7 is missing");
  }
  SECTION("to be erased, and not done yet") {
    f.erase(7);
    CHECK(verify_log(f.log.store(), {}).problems.empty());
  }
  SECTION("still there, though that was completed") {
    f.erase(7, true);
    check_only_problem(verify_log(f.log.store(), {}), Position{7},
                       "content of event 7 is still there");
  }
  SECTION("gone, as it was completed") {
    f.erase(7, true);
    content.entries.pop_back();
    CHECK(verify_with_content(f, content).problems.empty());
  }
}

TEST_CASE("the head must be what the log holds there", "[eventlog]") {
  VerifyFixture f;
  auto head = head_of(f.log.store());
  SECTION("another hash") {
    head.hash[0] ^= 1;
    check_only_problem(verify_log(f.log.store(), head), Position{19}, "another block");
  }
  SECTION("inside a block") {
    head.position = Position{18};
    check_only_problem(verify_log(f.log.store(), head), Position{18}, "another block");
  }
  SECTION("another log") {
    head.log.bytes[0] ^= 1;
    check_only_problem(verify_log(f.log.store(), head), Position{19}, "head file is of log",
                       ErrorCode::wrong_log);
  }
  SECTION("ahead") {
    head.position = Position{40};
    check_only_problem(verify_log(f.log.store(), head), Position{20},
                       "events 20 to 40 are missing");
  }
  SECTION("behind") {
    f.log.append(kStream, domain::AgentExited{});
    const auto report = verify_log(f.log.store(), head);
    CHECK(report.problems.empty());
    CHECK(report.after_head == 1);
  }
}

// Cannot read the blocks that begin in [from, through], like a device with bad sectors.
class BadSectors final : public support::ForwardingStore {
 public:
  BadSectors(eventlog::BlockStore& inner, Position from, Position through)
      : ForwardingStore(inner), from_(from), through_(through) {}
  base::Result<std::vector<eventlog::StoredBlock>> read(Position from, std::size_t bytes_max,
                                                        bool with_content) override {
    auto blocks = ForwardingStore::read(from, bytes_max, with_content);
    for (const auto& block : *blocks) {
      const auto first = eventlog::parse_block(block.facts)->header.first;
      if (first >= from_ && first <= through_ && (with_content || !is_content_only)) {
        return base::failure(ErrorCode::damaged, "bad sector");
      }
    }
    return blocks;
  }

  bool is_content_only = false;

 private:
  Position from_;
  Position through_;
};

TEST_CASE("a stretch that the device cannot read is named, and the rest is proved", "[eventlog]") {
  VerifyFixture f(40);
  SECTION("facts, in the middle") {
    BadSectors store(f.log.store(), {5}, {26});
    const auto report = verify_log(store, head_of(f.log.store()));
    check_only_problem(report, Position{5}, "events 5 to 28 are not readable: bad sector");
    CHECK(report.events == 121 - 24);
  }
  SECTION("facts, at the end") {
    BadSectors store(f.log.store(), {110}, {121});
    check_only_problem(verify_log(store, head_of(f.log.store())), Position{110},
                       "events 110 to 121 are not readable: bad sector");
  }
  SECTION("content") {
    BadSectors store(f.log.store(), {50}, {50});
    store.is_content_only = true;
    const auto report = verify_log(store, head_of(f.log.store()));
    check_only_problem(report, Position{50}, "content cannot be read: bad sector");
    CHECK(report.events == 121);
  }
}

TEST_CASE("a long list of problems is cut", "[eventlog]") {
  LogBuilder log;
  const auto count = static_cast<std::int64_t>(eventlog::kProblemsMax) + 20;
  for (std::int64_t i = 0; i < count; ++i)
    log.append("$nowhere" + std::to_string(i), domain::AgentExited{});
  const auto report = verify_log(log.store(), {});
  CHECK(report.problems.size() == eventlog::kProblemsMax);
  CHECK(report.problems_left_out == 20);
}

TEST_CASE("progress reaches the end", "[eventlog]") {
  VerifyFixture f;
  std::vector<Position> seen;
  verify_log(f.log.store(), {}, [&](Position reached, Position tail) {
    CHECK(tail == Position{19});
    seen.push_back(reached);
  });
  REQUIRE_FALSE(seen.empty());
  CHECK(seen.back() == Position{19});
}

}  // namespace
