// All projections together: the same log gives the same rows and digests, in any portions, with
// restarts, in memory or on disk.
#include "projections/projections.hpp"

#include <stdlib.h>

#include <filesystem>

#include "projections/fold/digest.hpp"
#include "projections/views/session_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/history.hpp"

namespace {

using base::Position;
using projections::ProjectionDigest;
using projections::ProjectionSet;
using support::History;

// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "steno-rows-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) FAIL("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ProjectionSet open(eventlog::KeyValueStore& rows) {
  auto set = ProjectionSet::open(rows);
  REQUIRE(set);
  return std::move(*set);
}

void catch_up(ProjectionSet& set, History& history) {
  REQUIRE(set.catch_up(history.log().store(), history.log().head(), support::kAllEvents));
  REQUIRE(set.reached(history.log().head()));
}

std::vector<ProjectionDigest> built_in_one_go(History& history) {
  const auto rows = eventlog::make_memory_key_value_store();
  ProjectionSet set = open(*rows);
  catch_up(set, history);
  return *set.digests();
}

TEST_CASE("rows built in one go equal rows built in portions of any size, with restarts",
          "[projections]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    History history(seed, {200, 8, 1 + seed % 20});
    const auto expected = built_in_one_go(history);
    REQUIRE(expected.size() == 5);

    for (std::size_t events_max = 1; events_max <= 64; events_max *= 4) {
      const auto rows = eventlog::make_memory_key_value_store();
      ProjectionSet set = open(*rows);
      while (*set.catch_up(history.log().store(), history.log().head(), events_max) > 0) {
      }
      REQUIRE(*set.digests() == expected);
    }

    // Restarts at every possible checkpoint, which is after every block.
    const auto rows = eventlog::make_memory_key_value_store();
    for (std::int64_t folded = 1; folded > 0;) {
      ProjectionSet set = open(*rows);
      REQUIRE(set.verify_checkpoints(history.log().store()));
      folded = *set.catch_up(history.log().store(), history.log().head(), 1);
    }
    REQUIRE(*open(*rows).digests() == expected);
  }
}

TEST_CASE("following a growing log gives the same rows as reading it at the end", "[projections]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    History history(seed, {});
    base::SeededRandom random(seed);
    const auto rows = eventlog::make_memory_key_value_store();
    ProjectionSet set = open(*rows);
    for (Position head; head < history.log().head();) {
      head = std::min(history.log().head(), head.plus(static_cast<std::int64_t>(random.below(9))));
      if (random.chance(20)) set = open(*rows);
      REQUIRE(set.catch_up(history.log().store(), head, 1 + random.below(20)));
      REQUIRE(set.position() <= head);
    }
    while (*set.catch_up(history.log().store(), history.log().head(), 7) > 0) {
    }
    REQUIRE(*set.digests() == built_in_one_go(history));
  }
}

TEST_CASE("projections may stand at different positions", "[projections]") {
  History history(3, {});
  const auto rows = eventlog::make_memory_key_value_store();
  ProjectionSet set = open(*rows);
  REQUIRE(set.catch_up(history.log().store(), history.log().head(), 100));
  const Position before = set.position();
  REQUIRE(set.rebuild("metrics"));
  CHECK(set.position() == Position{0});
  CHECK_FALSE(set.reached(Position{1}));
  CHECK(set.reached(Position{0}));
  CHECK(set.status().at(0).position == before);
  CHECK(set.status().at(1).position == Position{0});
  catch_up(set, history);
  CHECK(*set.digests() == built_in_one_go(history));
}

TEST_CASE("rows in memory, on disk and rebuilt have the same digests", "[projections]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    History history(seed, {1000, 10, 30});
    const auto expected = built_in_one_go(history);
    TemporaryFolder folder;
    {
      auto rows = eventlog::open_rocksdb_key_value_store(folder.path());
      REQUIRE(rows);
      ProjectionSet set = open(**rows);
      while (*set.catch_up(history.log().store(), history.log().head(), 50) > 0) {
      }
      CHECK(*set.digests() == expected);
    }
    auto rows = eventlog::open_rocksdb_key_value_store(folder.path());
    REQUIRE(rows);
    ProjectionSet set = open(**rows);
    CHECK(set.verify_checkpoints(history.log().store()));
    CHECK(set.position() == history.log().head());
    CHECK(*set.digests() == expected);
    for (const auto& status : set.status()) REQUIRE(set.rebuild(status.name));
    CHECK(*set.digests() != expected);
    catch_up(set, history);
    CHECK(*set.digests() == expected);
    // The digests cover all of the store: it holds only rows and checkpoints.
    REQUIRE((*rows)->clear());
    ProjectionSet anew = open(**rows);
    catch_up(anew, history);
    CHECK(*anew.digests() == expected);
  }
}

TEST_CASE("the digest changes when any row changes", "[projections]") {
  History history(4, {60, 4, 8});
  const auto rows = eventlog::make_memory_key_value_store();
  ProjectionSet set = open(*rows);
  catch_up(set, history);
  const auto expected = *set.digests();
  for (const auto& projection : expected) {
    const auto all = *rows->scan(projection.name + "/", {}, support::kAllEvents);
    REQUIRE(all.size() > 3);
    const auto changed_digest = [&](const eventlog::WriteBatch& change,
                                    const eventlog::KeyValue& row) {
      REQUIRE(rows->write(change));
      const auto digest = *projections::digest(*rows, projection.name);
      eventlog::WriteBatch back;
      back.put(row.key, row.value);
      REQUIRE(rows->write(back));
      return digest;
    };
    for (const eventlog::KeyValue& row : all) {
      eventlog::WriteBatch removed;
      removed.remove(row.key);
      REQUIRE(changed_digest(removed, row) != projection.digest);
      for (const std::size_t at : {std::size_t{0}, row.value.size() / 2, row.value.size() - 1}) {
        eventlog::WriteBatch flipped;
        base::Bytes value = row.value;
        value[at] = static_cast<char>(value[at] ^ 1);
        flipped.put(row.key, value);
        REQUIRE(changed_digest(flipped, row) != projection.digest);
      }
    }
  }
  CHECK(*set.digests() == expected);
}

TEST_CASE("one that is built anew in portions leaves those that are ahead alone", "[projections]") {
  support::LogBuilder log;
  while (log.head().value < 40) {
    log.append(domain::kServerStream, domain::ServerStarted{{}, 1, "test"});
  }
  const auto rows = eventlog::make_memory_key_value_store();
  ProjectionSet set = open(*rows);
  REQUIRE(set.catch_up(log.store(), base::Position{20}, support::kAllEvents));
  REQUIRE(set.rebuild("metrics"));
  for (int i = 0; i < 100 && !set.reached(log.head()); ++i) {
    const auto folded = set.catch_up(log.store(), log.head(), 3);
    REQUIRE(folded);
  }
  CHECK(set.reached(log.head()));
}

TEST_CASE("one projection that stops does not stop the others", "[projections]") {
  History history(5, {});
  const auto rows = eventlog::make_memory_key_value_store();
  {
    ProjectionSet set = open(*rows);
    REQUIRE(set.catch_up(history.log().store(), history.log().head(), 100));
  }
  // The metrics' totals are damaged, so that they are no valid row.
  eventlog::WriteBatch damage;
  const auto totals = *rows->scan("metrics/t/", {}, support::kAllEvents);
  for (const auto& row : totals) damage.put(row.key, "\xC1");
  REQUIRE(rows->write(damage));
  ProjectionSet set = open(*rows);
  const Position before = set.position();
  const auto outcome =
      set.catch_up(history.log().store(), history.log().head(), support::kAllEvents);
  REQUIRE_FALSE(outcome);
  CHECK_THAT(outcome.error().text, Catch::Contains("projection metrics stops"));
  CHECK(*set.catch_up(history.log().store(), history.log().head(), support::kAllEvents) == 0);
  const auto status = set.status();
  CHECK_FALSE(status.at(0).stopped);
  CHECK(status.at(0).position == history.log().head());
  REQUIRE(status.at(1).stopped);
  CHECK(status.at(1).stopped->code == base::ErrorCode::rows_damaged);
  CHECK(status.at(1).position == before);
  CHECK(set.position() == before);
  REQUIRE(set.rebuild("metrics"));
  catch_up(set, history);
  CHECK(*set.digests() == built_in_one_go(history));
}

TEST_CASE("one projection is brought up alone, to a head that is the end of a block",
          "[projections]") {
  History history(5, {});
  auto& log = history.log();
  const auto rows = eventlog::make_memory_key_value_store();
  ProjectionSet set = open(*rows);
  REQUIRE(set.bring_up("metrics", log.store(), log.head()));
  CHECK(set.status().at(0).position == Position{0});
  CHECK(set.status().at(1).position == log.head());
  REQUIRE(set.bring_up("metrics", log.store(), log.head()));
  CHECK(set.bring_up("sessions", log.store(), log.head()).error().code ==
        base::ErrorCode::not_found);
  // The last block of two events ends behind that head.
  log.add(domain::kServerStream, domain::ServerStarted{{}, 1, "test"});
  log.add(domain::kServerStream, domain::ServerStarted{{}, 2, "test"});
  const Position within = log.head().next();
  log.seal();
  const auto within_block = set.bring_up("metrics", log.store(), within);
  REQUIRE_FALSE(within_block);
  CHECK(within_block.error().code == base::ErrorCode::invalid);
  const auto beyond = set.bring_up("metrics", log.store(), log.head().next());
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().code == base::ErrorCode::io);

  History other(6, {});
  REQUIRE_FALSE(set.verify_checkpoints(other.log().store()));
  for (const Position wanted : {log.head(), Position{1}}) {
    const auto stopped = set.bring_up("metrics", log.store(), wanted);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == base::ErrorCode::wrong_log);
  }
}

TEST_CASE("that a log has lost events matters more than that it is another one", "[projections]") {
  History history(6, {60, 4, 8});
  History other(7, {60, 4, 8});
  // Session list and resume index are of the one log, metrics and takeover of the other, longer
  // one.
  const auto rows = eventlog::make_memory_key_value_store();
  {
    ProjectionSet set = open(*rows);
    REQUIRE(set.bring_up("session_list", other.log().store(), Position{1}));
    REQUIRE(set.bring_up("metrics", history.log().store(), history.log().head()));
  }
  support::LogBuilder lost(6);  // begins as `history` does, and ends at its first event
  ProjectionSet set = open(*rows);
  const auto verified = set.verify_checkpoints(lost.store());
  REQUIRE_FALSE(verified);
  CHECK(verified.error().code == base::ErrorCode::damaged);
  CHECK(set.status().at(0).stopped->code == base::ErrorCode::wrong_log);
  CHECK(set.status().at(1).stopped->code == base::ErrorCode::damaged);
  CHECK_FALSE(set.status().at(2).stopped);  // it has not begun
}

TEST_CASE("a projection that does not exist cannot be rebuilt", "[projections]") {
  const auto rows = eventlog::make_memory_key_value_store();
  ProjectionSet set = open(*rows);
  const auto rebuilt = set.rebuild("sessions");
  REQUIRE_FALSE(rebuilt);
  CHECK(rebuilt.error().code == base::ErrorCode::not_found);
  CHECK_THAT(rebuilt.error().text,
             Catch::Contains("session_list, metrics, resume_index, takeover"));
}

TEST_CASE("another log stops all projections at their verification", "[projections]") {
  History history(6, {});
  const auto rows = eventlog::make_memory_key_value_store();
  {
    ProjectionSet set = open(*rows);
    catch_up(set, history);
  }
  History other(7, {});
  ProjectionSet set = open(*rows);
  const auto verified = set.verify_checkpoints(other.log().store());
  REQUIRE_FALSE(verified);
  CHECK(verified.error().code == base::ErrorCode::wrong_log);
  for (const auto& status : set.status()) CHECK(status.stopped);
}

}  // namespace
