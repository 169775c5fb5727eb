// Archives: the log's beginning as a copy of its own, and the trimmed log that is left.
#include "eventlog/copies/archive.hpp"

#include "eventlog/copies/erase.hpp"
#include "eventlog/folder/archive_chain.hpp"
#include "eventlog/folder/copy_files.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forwarding_disk.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/one_session.hpp"
#include "tests/support/searched_files.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Position;
using Catch::Contains;
using eventlog::Checkpoint;
using eventlog::LogFolder;
using eventlog::LogMode;
using eventlog::make_archive;
using eventlog::trim_log;
using support::kStream;

const std::string kSecret = "what nobody is to find here any more";

// A log with one session. Its base is written by hand; the tests of projections cover the anchor's
// digests of the rows.
struct ArchiveFixture {
  ArchiveFixture() { open(); }
  void open() {
    writer.reset();
    log = {};
    auto opened = eventlog::open_log(root.root, LogMode::read_write, random);
    if (!opened) FAIL(base::describe(opened.error()));
    log = std::move(*opened);
    writer.emplace(log, random);
    if (log.store->tail().value >= 2) return;
    domain::SessionOpened e;
    e.agent = "main";
    e.session = *base::SessionId::parse(support::kOnlySession);
    writer->append(kStream, e, "be brief");
  }
  // Appends one block for each event; every fifth has a large content.
  void say(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string large = kSecret + std::string(200'000, 'x') + kSecret;
      writer->append(kStream, domain::AgentLineRecorded{}, i % 5 == 0 ? large : kSecret);
    }
  }
  eventlog::BlockStore& store() { return *log.store; }
  Checkpoint end_at(Position position) {
    const auto stored = *store().read(position, 1, false);
    const auto block = *eventlog::parse_block(stored.front().facts);
    return {block.header.log, block.header.epoch, block.header.last(), block.hash()};
  }
  // Writes a base by hand: the states of the only session and of the server's stream as rows, then
  // everything that stands beside a log that is trimmed there.
  void put_base(const Checkpoint& end) {
    const std::string own = root.base(end.position);
    fs::create_directories(own);
    {
      auto rows = *eventlog::open_rocksdb_key_value_store(own + "/rows");
      eventlog::SnapshotStore streams(*rows, eventlog::kBaseStreams);
      auto index_rows = eventlog::make_memory_key_value_store();
      eventlog::StreamIndex index(*index_rows);
      REQUIRE(index.catch_up(store(), end.position));
      eventlog::SnapshotStore none(*index_rows);
      for (const std::string& stream : {kStream, std::string(domain::kServerStream)}) {
        REQUIRE(streams.save(stream, *eventlog::load_stream(store(), index, none, stream)));
      }
    }
    const auto anchor = eventlog::sign_anchor({end, {}, {1}}, key);
    const Position recorded = writer->append(domain::kServerStream, anchor);
    REQUIRE(eventlog::write_base_file(own, {anchor, recorded, "one", archive},
                                      eventlog::system_disk()));
  }
  // Archives and trims everything up to the position.
  void move_away(Position through) {
    const Checkpoint end = end_at(through);
    const auto made = make_archive(store(), root, end, archive);
    if (!made) FAIL(base::describe(made.error()));
    put_base(end);
    const auto trimmed = trim_log(store(), end, archive);
    if (!trimmed) FAIL(base::describe(trimmed.error()));
  }
  eventlog::VerifyReport verify(const std::vector<std::string>& archives = {}) {
    return verify_folder(root.root, archives);
  }
  static eventlog::VerifyReport verify_folder(const std::string& folder,
                                              const std::vector<std::string>& archives = {}) {
    const auto log = eventlog::open_unproved_log(folder, archives);
    if (!log) FAIL(base::describe(log.error()));
    if (log->base_error) FAIL(base::describe(*log->base_error));
    return eventlog::verify_log(*log->store, log->head, {}, eventlog::besides_of(*log));
  }

  support::TempFolder folder;
  const LogFolder root{folder.file("data")};
  const std::string archive = folder.file("archive");
  base::SystemRandom random;
  base::SigningKey key{base::SigningKey::make_seed(random)};
  eventlog::OpenedLog log;
  std::optional<support::LogWriter> writer;
};

void check_whole(const eventlog::VerifyReport& report, std::int64_t first, std::int64_t last) {
  for (const auto& problem : report.problems) UNSCOPED_INFO(problem.text);
  CHECK(report.problems.empty());
  CHECK(report.first == Position{first});
  CHECK(report.last == Position{last});
}

TEST_CASE("an archive holds the log's beginning, and proves itself", "[eventlog]") {
  ArchiveFixture f;
  f.say(20);
  const auto made = make_archive(f.store(), f.root, f.end_at({12}), f.archive);
  if (!made) FAIL(base::describe(made.error()));
  CHECK(made->first == Position{1});
  CHECK(made->through == Position{12});
  check_whole(f.verify_folder(f.archive), 1, 12);
  check_whole(f.verify(), 1, 22);
  const auto again = make_archive(f.store(), f.root, f.end_at({12}), f.archive);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::invalid);
  check_whole(f.verify_folder(f.archive), 1, 12);
}

TEST_CASE("an archive of a damaged log is refused, and nothing of it is left", "[eventlog]") {
  ArchiveFixture f;
  f.say(10);
  REQUIRE(f.store().replace_content({4}, {}));
  const auto made = make_archive(f.store(), f.root, f.end_at({8}), f.archive);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == ErrorCode::damaged);
  CHECK_FALSE(fs::exists(f.archive));
}

TEST_CASE("a trimmed log begins behind its anchor, and its files hold nothing of what went",
          "[eventlog]") {
  ArchiveFixture f;
  f.say(20);
  f.move_away({22});
  CHECK(f.store().first() == Position{23});
  CHECK(support::files_with(f.root.root, kSecret).empty());
  CHECK_FALSE(support::files_with(f.archive, kSecret).empty());
  check_whole(f.verify(), 23, 23);
  f.say(3);
  check_whole(f.verify(), 23, 26);
  f.open();
  CHECK(f.store().first() == Position{23});
  f.say(1);
  check_whole(f.verify(), 23, 27);
  // With the archive it is whole from the first event on.
  check_whole(f.verify({f.archive}), 1, 27);
  check_whole(f.verify_folder(f.archive), 1, 22);
  // A second archive begins where the first one ends.
  const std::string second = f.folder.file("second");
  const auto made = make_archive(f.store(), f.root, f.end_at({25}), second);
  if (!made) FAIL(base::describe(made.error()));
  CHECK(made->first == Position{23});
  check_whole(f.verify_folder(second), 23, 25);
  check_whole(f.verify_folder(second, {f.archive}), 1, 25);
}

TEST_CASE("trimming again, also after a part of it, has the same outcome", "[eventlog]") {
  ArchiveFixture f;
  f.say(12);
  const Checkpoint end = f.end_at({10});
  REQUIRE(make_archive(f.store(), f.root, end, f.archive));
  f.put_base(end);
  // A server that was killed between the two steps leaves this state.
  REQUIRE(f.store().trim_before({11}));
  f.open();
  REQUIRE(trim_log(f.store(), end, f.archive));
  REQUIRE(trim_log(f.store(), end, f.archive));
  check_whole(f.verify(), 11, 15);
}

TEST_CASE("an index that ends before a trimmed log begins is not believed", "[eventlog]") {
  ArchiveFixture f;
  f.say(12);
  auto rows = eventlog::make_memory_key_value_store();
  REQUIRE(eventlog::StreamIndex(*rows).catch_up(f.store(), {5}));
  f.move_away({10});
  eventlog::StreamIndex index(*rows);
  const auto caught_up = index.catch_up(f.store(), f.store().tail());
  REQUIRE_FALSE(caught_up);
  CHECK(caught_up.error().code == ErrorCode::wrong_log);
  REQUIRE(index.rebuild(f.store(), f.store().tail(), [] { return base::Result<void>(); }));
}

TEST_CASE("nothing is trimmed that the archive does not hold", "[eventlog]") {
  ArchiveFixture f;
  f.say(12);
  REQUIRE(make_archive(f.store(), f.root, f.end_at({10}), f.archive));
  for (const std::int64_t end : {9, 11}) {
    const auto trimmed = trim_log(f.store(), f.end_at({end}), f.archive);
    REQUIRE_FALSE(trimmed);
    CHECK(trimmed.error().code == ErrorCode::damaged);
  }
  Checkpoint other = f.end_at({10});
  other.hash[0] ^= 1;
  CHECK_FALSE(trim_log(f.store(), other, f.archive));
  CHECK_FALSE(trim_log(f.store(), f.end_at({10}), f.folder.file("nowhere")));
  CHECK(f.store().first() == Position{1});
  check_whole(f.verify(), 1, 14);
}

TEST_CASE("content that was erased before it was archived is no damage in the archive",
          "[eventlog]") {
  ArchiveFixture f;
  f.say(10);
  f.writer->append(kStream, domain::ContentErased{{{{3}, {4}}}, {}});
  auto rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index(*rows);
  REQUIRE(index.catch_up(f.store(), f.store().tail()));
  eventlog::ScrubScope scope;
  REQUIRE(eventlog::erase_content(f.store(), index, kStream, {{{3}, {4}}}, scope));
  const auto made = make_archive(f.store(), f.root, f.end_at({9}), f.archive);
  if (!made) FAIL(base::describe(made.error()));
  const auto report = f.verify_folder(f.archive);
  check_whole(report, 1, 9);
  CHECK(report.contents_erased == 2);
}

TEST_CASE("what a trimmed log begins with is named when it is missing, changed, or another one",
          "[eventlog]") {
  ArchiveFixture f;
  f.say(12);
  f.move_away({10});
  f.writer.reset();
  f.log = {};
  const std::string file = f.root.base({10}) + "/anchor";
  const auto refused = [&](const std::string& word) {
    for (const LogMode mode : {LogMode::read_write, LogMode::read_only}) {
      const auto log = eventlog::open_log(f.root.root, mode, f.random);
      REQUIRE_FALSE(log);
      CHECK(log.error().code == ErrorCode::damaged);
      CHECK_THAT(base::describe(log.error()), Contains(word) && Contains(f.root.base({10})));
    }
    CHECK(eventlog::open_unproved_log(f.root.root)->base_error);
  };
  const auto read = [&] {
    std::ifstream in(file, std::ios::binary);
    return base::Bytes(std::istreambuf_iterator<char>(in), {});
  };
  const auto change = [&](auto&& how) {
    auto base_file = *base::decode<eventlog::BaseFile>(read());
    how(base_file);
    std::ofstream(file, std::ios::binary) << base::encode(base_file);
  };
  SECTION("missing") {
    fs::remove(file);
    refused("events 1 to 10 are missing");
  }
  SECTION("not an anchor") {
    std::ofstream(file) << "dear";
    refused("not an anchor");
  }
  SECTION("changed") {
    change([](auto& base_file) { base_file.anchor.anchor.encoded.back() ^= 1; });
    refused("signature");
  }
  SECTION("signed by another key") {
    const base::SigningKey other(base::SigningKey::make_seed(f.random));
    change([&](auto& base_file) {
      base_file.anchor = eventlog::sign_anchor(*eventlog::open_anchor(base_file.anchor), other);
    });
    refused("not the one on the record");
  }
  SECTION("signed by another key, and said to be on the record later") {
    const base::SigningKey other(base::SigningKey::make_seed(f.random));
    change([&](auto& base_file) {
      base_file.recorded = {1000};
      base_file.anchor = eventlog::sign_anchor(*eventlog::open_anchor(base_file.anchor), other);
    });
    refused("not the one on the record");
  }
  SECTION("of another block") {
    change([&](auto& base_file) {
      auto anchor = *eventlog::open_anchor(base_file.anchor);
      anchor.at.hash[0] ^= 1;
      base_file.anchor = eventlog::sign_anchor(anchor, f.key);
    });
    refused("does not follow");
  }
  SECTION("without its rows") {
    fs::remove_all(f.root.base({10}) + "/rows");
    // The rows can be folded anew from the archives, but verify must report that they are missing.
    const auto log = eventlog::open_log(f.root.root, LogMode::read_write, f.random);
    REQUIRE(log);
    CHECK_FALSE(log->base->rows);
    const auto unproved = eventlog::open_unproved_log(f.root.root);
    REQUIRE(unproved->base_error);
    CHECK_THAT(base::describe(*unproved->base_error), Contains("no database"));
  }
}

TEST_CASE("archives are chained in any order, and what is missing between them is named",
          "[eventlog]") {
  ArchiveFixture f;
  f.say(20);
  const std::string first = f.folder.file("first");
  REQUIRE(make_archive(f.store(), f.root, f.end_at({8}), first));
  f.move_away({15});
  check_whole(f.verify({f.archive, first}), 1, 23);
  check_whole(f.verify({first, f.archive}), 1, 23);
  const auto gap = eventlog::open_unproved_log(f.root.root, {first});
  REQUIRE_FALSE(gap);
  CHECK(gap.error().code == ErrorCode::not_found);
  CHECK_THAT(gap.error().text, Contains("events 9 to 15"));
  // An archive of another log is refused, though its positions would fit.
  ArchiveFixture other;
  other.say(20);
  other.move_away({15});
  const auto foreign = eventlog::open_unproved_log(f.root.root, {other.archive});
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().code == ErrorCode::wrong_log);
}

// A disk that removes no folder.
struct KeepingDisk final : support::ForwardingDisk {
  void remove_all(const std::string&) override {}
};

TEST_CASE("a base that is copied only in part is none", "[eventlog]") {
  ArchiveFixture f;
  f.say(12);
  f.move_away({10});
  const LogFolder copy{f.folder.file("copy")};
  fs::create_directories(copy.base({10}) + "/rows");
  std::ofstream(copy.base({10}) + "/anchor") << "of before";
  KeepingDisk disk;
  const auto copied = eventlog::copy_base(f.root, copy, {10}, disk);
  REQUIRE_FALSE(copied);
  CHECK(copied.error().code == ErrorCode::io);
  REQUIRE(eventlog::copy_base(f.root, copy, {10}, eventlog::system_disk()));
}

}  // namespace
