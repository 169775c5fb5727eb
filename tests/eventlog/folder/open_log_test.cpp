// Opening a data folder: whole logs go on where they ended. Missing, damaged, foreign or newer ones
// are refused with the reason, and their files stay as they were.
#include "eventlog/folder/open_log.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "eventlog/copies/log_rebuild.hpp"
#include "eventlog/proof/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/child_writer.hpp"
#include "tests/support/forwarding_disk.hpp"
#include "tests/support/listing.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/raw_log.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using base::ErrorCode;
using base::Position;
using Catch::Contains;
using eventlog::LogFolder;
using eventlog::LogMode;
using eventlog::open_log;
using support::LogWriter;

struct LogFolderFixture {
  support::TemporaryFolder temporary;
  LogFolder folder{temporary.file("data")};
  base::SeededRandom random{7};

  base::Result<eventlog::OpenedLog> open(LogMode mode = LogMode::read_write) {
    return open_log(folder.root, mode, random);
  }
  // Makes a log of `events` events, one in each block, and closes it.
  eventlog::Checkpoint make_log(int events) {
    auto log = open();
    LogWriter writer(*log, random);
    while (writer.durable().position.value < events) add_event(writer);
    return writer.durable();
  }
  static Position add_event(LogWriter& writer) {
    return writer.append(domain::kServerStream, domain::ServerStarted{{}, 1, "test"}, "text");
  }
  void write_head(eventlog::Checkpoint head) {
    REQUIRE((*eventlog::open_head_file(folder.head()))->write(head));
  }
  // Returns the error of opening for writing; opening for reading must fail with the same code.
  base::Error error() {
    const auto read_only = open(LogMode::read_only);
    const auto read_write = open(LogMode::read_write);
    REQUIRE_FALSE(read_only);
    REQUIRE_FALSE(read_write);
    CHECK(read_only.error().code == read_write.error().code);
    return read_write.error();
  }
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST_CASE("a folder that is not there becomes a log of its own", "[eventlog]") {
  LogFolderFixture f;
  f.folder.root = f.temporary.file("a/b/data");
  const auto log = f.open();
  REQUIRE(log);
  CHECK(log->is_new);
  CHECK(log->tail.log.is_set());
  CHECK(log->tail.epoch.counter == 1);
  CHECK(log->tail.epoch.random != std::array<char, 8>{});
  CHECK(log->tail.position == Position{0});
  CHECK(mode_of(f.folder.root) == 0700);
  CHECK(mode_of(f.folder.log()) == 0700);
  CHECK(mode_of(f.folder.index()) == 0700);
  CHECK(mode_of(f.folder.views()) == 0700);
  CHECK(mode_of(f.folder.lock()) == 0600);
  CHECK(mode_of(f.folder.head()) == 0600);
}

TEST_CASE("a log goes on where it ended", "[eventlog]") {
  LogFolderFixture f;
  const auto head = f.make_log(3);
  const auto log = f.open();
  REQUIRE(log);
  CHECK_FALSE(log->is_new);
  CHECK(log->tail.position == Position{3});
  CHECK(log->tail.hash == head.hash);
  CHECK(log->tail.log == head.log);
  CHECK(log->tail.writer_term == 1);
}

TEST_CASE("a second opener is told who has the folder", "[eventlog]") {
  LogFolderFixture f;
  const auto log = f.open();
  REQUIRE(log);
  const auto second = f.open();
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::in_use);
  CHECK_THAT(second.error().text, Contains("process " + std::to_string(::getpid())));
  CHECK_THAT(second.error().text, Contains("steno replay"));
}

TEST_CASE("a folder that holds something else is refused and left alone", "[eventlog]") {
  LogFolderFixture f;
  SECTION("other files") {
    std::filesystem::create_directories(f.folder.root);
    std::ofstream(f.folder.root + "/thesis.txt") << "words";
    const auto log = f.open();
    REQUIRE_FALSE(log);
    CHECK(log.error().code == ErrorCode::invalid);
    CHECK_THAT(log.error().text, Contains("thesis.txt"));
    CHECK_FALSE(std::filesystem::exists(f.folder.log()));
  }
  SECTION("a folder named log with other files") {
    std::filesystem::create_directories(f.folder.log());
    std::ofstream(f.folder.log() + "/system.log") << "words";
    const auto log = f.open();
    REQUIRE_FALSE(log);
    CHECK(log.error().code == ErrorCode::invalid);
    CHECK(std::filesystem::exists(f.folder.log() + "/system.log"));
  }
  SECTION("a file in its place") {
    std::ofstream(f.folder.root) << "words";
    const auto log = f.open();
    REQUIRE_FALSE(log);
    CHECK(log.error().code == ErrorCode::invalid);
  }
  SECTION("one that everybody writes into") {
    std::filesystem::create_directories(f.folder.root);
    REQUIRE(::chmod(f.folder.root.c_str(), 01777) == 0);
    const auto log = f.open();
    REQUIRE_FALSE(log);
    CHECK(log.error().code == ErrorCode::refused);
    CHECK(mode_of(f.folder.root) == 01777);
  }
  SECTION("another user's") {
    std::filesystem::create_directories(f.folder.root);
    if (::chown(f.folder.root.c_str(), 12345, 12345) != 0) return;  // needs root
    const auto log = f.open();
    REQUIRE_FALSE(log);
    CHECK(log.error().code == ErrorCode::refused);
    CHECK_THAT(log.error().text, Contains("12345"));
  }
}

TEST_CASE("there is nothing to read where there is no log", "[eventlog]") {
  LogFolderFixture f;
  CHECK(f.open(LogMode::read_only).error().code == ErrorCode::not_found);
  CHECK_FALSE(std::filesystem::exists(f.folder.root));
}

TEST_CASE("a log that ends before its head names what is missing", "[eventlog]") {
  LogFolderFixture f;
  auto head = f.make_log(4);
  head.position = Position{9};
  f.write_head(head);
  const auto error = f.error();
  CHECK(error.code == ErrorCode::damaged);
  CHECK_THAT(error.text, Contains("events 5 to 9 are missing"));
}

TEST_CASE("a head file without its log names all that is missing", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(4);
  std::filesystem::remove_all(f.folder.log());
  const auto error = f.error();
  CHECK(error.code == ErrorCode::damaged);
  CHECK_THAT(error.text, Contains("events 1 to 4 are missing"));
  CHECK_FALSE(std::filesystem::exists(f.folder.log()));
}

TEST_CASE("an emptied log with a head file is damaged", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(3);
  {
    support::RawLog raw(f.folder.log());
    for (const int first : {1, 2, 3}) raw.remove_block(first);
  }
  const auto error = f.error();
  CHECK(error.code == ErrorCode::damaged);
  CHECK_THAT(error.text, Contains("events 1 to 3 are missing"));
}

TEST_CASE("a log that goes on behind its head is whole", "[eventlog]") {
  LogFolderFixture f;
  const auto early = f.make_log(2);
  f.make_log(5);
  f.write_head(early);
  CHECK(f.open(LogMode::read_only)->tail.position == Position{5});
  CHECK(f.open()->tail.position == Position{5});
}

TEST_CASE("the head must be a block of this log", "[eventlog]") {
  LogFolderFixture f;
  auto head = f.make_log(3);
  SECTION("another block") {
    head.hash[0] = static_cast<char>(head.hash[0] ^ 1);
    f.write_head(head);
    CHECK(f.error().code == ErrorCode::damaged);
  }
  SECTION("another log") {
    head.log = base::LogId::make(support::kNoon, f.random);
    f.write_head(head);
    CHECK(f.error().code == ErrorCode::wrong_log);
  }
  SECTION("another epoch") {
    head.epoch.counter = 2;
    f.write_head(head);
    CHECK(f.error().code == ErrorCode::damaged);
  }
  SECTION("not whole") {
    std::ofstream(f.folder.head(), std::ios::trunc) << "nonsense";
    CHECK(f.error().code == ErrorCode::damaged);
  }
}

TEST_CASE("a block that was exchanged for another whole one is found when the log is opened",
          "[eventlog]") {
  LogFolderFixture f;
  f.make_log(6);
  {
    support::RawLog raw(f.folder.log());
    std::string facts = raw.facts(4);
    facts.resize(facts.size() - 8);
    facts[67] = static_cast<char>(facts[67] ^ 1);  // log time, then its checksum
    base::append_u64(facts, base::xxh3(facts));
    raw.put_facts(4, facts);
  }
  const auto error = f.error();
  CHECK(error.code == ErrorCode::damaged);
  CHECK_THAT(error.text, Contains("chain is broken"));
  CHECK(error.where == "position 5");
}

TEST_CASE("damage in the last blocks is found when the log is opened", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(6);
  {
    support::RawLog raw(f.folder.log());
    if (const int which = GENERATE(0, 1, 2, 3); which == 0) {
      auto bytes = raw.facts(4);
      bytes[bytes.size() / 2] ^= 4;
      raw.put_facts(4, bytes);
    } else if (which == 1) {
      raw.remove_block(4);
    } else if (which == 2) {
      raw.remove_block(1);
    } else {
      auto bytes = raw.facts(6);
      bytes.pop_back();
      raw.put_facts(6, bytes);
    }
  }
  CHECK(f.error().code == ErrorCode::damaged);
}

TEST_CASE("a part of the database that is missing is damage", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(6);
  { support::RawLog(f.folder.log()).flush(); }
  const std::string part = GENERATE(".sst", "MANIFEST", "CURRENT");
  std::vector<std::string> parts;
  for (const auto& entry : std::filesystem::directory_iterator(f.folder.log())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(part) || name.ends_with(part)) parts.push_back(entry.path());
  }
  REQUIRE_FALSE(parts.empty());
  std::filesystem::remove(parts.front());
  CHECK(f.error().code == ErrorCode::damaged);
  std::filesystem::remove(f.folder.head());
  CHECK(f.open().error().code == ErrorCode::damaged);
}

TEST_CASE("damage is called damage, whatever words the folder's path has", "[eventlog]") {
  LogFolderFixture f;
  f.folder.root =
      f.temporary.file(GENERATE("blocks/clockwork", "lock", "does not exist", "Column family"));
  f.make_log(6);
  for (const auto& entry : std::filesystem::directory_iterator(f.folder.log())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("MANIFEST")) std::filesystem::remove(entry.path());
  }
  const auto before = support::listing(f.folder.log());
  CHECK(f.error().code == ErrorCode::damaged);
  CHECK(support::listing(f.folder.log()) == before);
}

TEST_CASE("a lock that may not be taken is not in use", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(3);
  std::filesystem::remove(f.folder.log() + "/LOCK");
  std::filesystem::create_directory(f.folder.log() + "/LOCK");
  CHECK(f.open().error().code == ErrorCode::io);
}

TEST_CASE("a log whose head file is gone, or may have said more, is not whole", "[eventlog]") {
  LogFolderFixture f;
  const auto head = f.make_log(4);
  SECTION("gone") {
    std::filesystem::remove(f.folder.head());
    CHECK_THAT(f.error().text, Contains("the head file is missing: events behind position 4"));
    CHECK(eventlog::open_unproved_log(f.folder.root)->head_error);
  }
  SECTION("gone while a server writes") {
    const auto server = f.open();
    std::filesystem::remove(f.folder.head());
    CHECK_THAT(f.open(LogMode::read_only).error().text, Contains("the head file is missing"));
  }
  // Odd heads lie in the second slot.
  const auto damage_second_slot = [&] {
    std::fstream file(f.folder.head(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 + 6).put('!');
  };
  SECTION("with a slot damaged that may have been the newest") {
    damage_second_slot();
    CHECK_THAT(f.error().text, Contains("a slot of the head file is damaged"));
  }
  SECTION("with the newest slot damaged, and the log goes on behind the other") {
    f.make_log(5);
    damage_second_slot();
    CHECK(eventlog::read_head_file(f.folder.head())->value().position == head.position);
    CHECK(f.open(LogMode::read_only)->tail.position == Position{5});
  }
}

TEST_CASE("a folder of logs or sessions that are somebody else's is no data folder", "[eventlog]") {
  const auto name = GENERATE(as<std::string>(), "logs", "sessions", "workers", "keys");
  LogFolderFixture f;
  std::filesystem::create_directories(f.folder.root + "/" + name);
  const auto log = f.open();
  REQUIRE_FALSE(log);
  CHECK(log.error().code == ErrorCode::invalid);
  CHECK_THAT(log.error().text, Contains("'" + name + "'"));
}

TEST_CASE("a folder that a server died in before there was a log is taken", "[eventlog]") {
  LogFolderFixture f;
  std::filesystem::create_directories(f.folder.log());
  for (const std::string name : {"/LOG", "/LOCK", "/IDENTITY", "/MANIFEST-000001"}) {
    std::ofstream(f.folder.log() + name) << "";
  }
  const auto log = f.open();
  REQUIRE(log);
  CHECK(log->is_new);
}

TEST_CASE("a folder may be named with slashes at its end", "[eventlog]") {
  LogFolderFixture f;
  f.folder.root = f.temporary.file("a/data") + "//";
  CHECK(f.open());
  CHECK(f.open(LogMode::read_only));
}

TEST_CASE("a log of a newer format is not opened", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(3);
  {
    support::RawLog raw(f.folder.log());
    auto bytes = raw.facts(3);
    bytes[7] = 99;
    raw.put_facts(3, bytes);
  }
  const auto error = f.error();
  CHECK(error.code == ErrorCode::wrong_log);
  CHECK_THAT(error.text, Contains("99"));
}

constexpr std::int64_t kEpochMax = base::kIntegerLimit - 1;

// Leaves a log whose last block has this writer term and this epoch.
void leave_log(LogFolderFixture& f, std::int64_t writer_term, std::int64_t epoch) {
  auto log = *f.open();
  log.tail.writer_term = writer_term - 1;
  log.tail.epoch.counter = epoch;
  const LogWriter writer(log, f.random);
}

TEST_CASE("the last writer and the last epoch have their turn", "[eventlog]") {
  LogFolderFixture f;
  leave_log(f, eventlog::kWriterTermMax - 1, kEpochMax - 1);
  CHECK(f.open());
}

TEST_CASE("a log whose numbers end is read, and nobody goes on with it", "[eventlog]") {
  LogFolderFixture f;
  std::string number;
  SECTION("of writers") {
    leave_log(f, eventlog::kWriterTermMax, 1);
    number = "writer term 2097151";
  }
  SECTION("of epochs") {
    leave_log(f, 1, kEpochMax);
    number = "epoch 9007199254740991";
  }
  const auto refused = f.open();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::invalid);
  CHECK_THAT(refused.error().text, Contains(number + " is the highest possible"));
  CHECK(f.open(LogMode::read_only));
  // A copy of its blocks is not finished either, and the folder begun for it is no log.
  const auto blocks = *f.open(LogMode::read_only)->store->read({1}, SIZE_MAX, true);
  const std::string target = f.temporary.file("copy");
  auto copy = *eventlog::LogCopy::begin(target);
  for (const auto& block : blocks) {
    const auto view = *eventlog::parse_block(block.facts);
    eventlog::SealedBlock sealed;
    sealed.header = view.header;
    sealed.hash = view.hash();
    sealed.facts = block.facts;
    sealed.content = block.content;
    REQUIRE(copy.append(sealed));
  }
  const auto finished = copy.finish(f.random);
  REQUIRE_FALSE(finished);
  CHECK(finished.error().code == ErrorCode::invalid);
  CHECK_FALSE(std::filesystem::exists(LogFolder{target}.head()));
}

TEST_CASE("a start that is refused leaves the log's files as they were", "[eventlog]") {
  LogFolderFixture f;
  auto head = f.make_log(3);
  auto ahead = head;
  ahead.position = Position{4};
  f.write_head(ahead);
  const auto files = [&] {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(f.folder.log())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("LOG") || name.starts_with("OPTIONS-")) continue;  // RocksDB's notes
      std::ifstream in(entry.path(), std::ios::binary);
      found[name] = std::string(std::istreambuf_iterator<char>(in), {});
    }
    return found;
  };
  const auto before = files();
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(f.open());
    CHECK(files() == before);
    CHECK_FALSE(std::filesystem::exists(f.folder.evidence()));
  }
  f.write_head(head);
  CHECK(f.open());
}

TEST_CASE("a log whose evidence cannot be removed is not opened", "[eventlog]") {
  struct StuckDisk final : support::ForwardingDisk {
    void remove_all(const std::string& path) override {
      if (!path.ends_with("/evidence")) support::ForwardingDisk::remove_all(path);
    }
  };
  LogFolderFixture f;
  f.make_log(3);
  StuckDisk disk;
  const auto log = open_log(f.folder.root, LogMode::read_write, f.random, {disk});
  REQUIRE_FALSE(log);
  CHECK(log.error().code == ErrorCode::io);
  CHECK_THAT(base::describe(log.error()), Contains("cannot be removed") && Contains("evidence"));
  CHECK(f.open());
}

TEST_CASE("a start takes nothing from a process that has the log's database open", "[eventlog]") {
  LogFolderFixture f;
  const auto head = f.make_log(3);
  auto store = eventlog::open_rocksdb_store({f.folder.log()});
  REQUIRE(store);
  const auto before = support::listing(f.folder.log());
  const auto log = f.open();
  REQUIRE_FALSE(log);
  CHECK(log.error().code == ErrorCode::in_use);
  CHECK(support::listing(f.folder.log()) == before);
  CHECK_FALSE(std::filesystem::exists(f.folder.evidence()));
  store->reset();
  const auto opened = f.open();
  REQUIRE(opened);
  CHECK(opened->tail.position == head.position);
}

TEST_CASE("what a start that was killed had found is kept as evidence until the log is proved",
          "[eventlog]") {
  LogFolderFixture f;
  auto head = f.make_log(3);
  auto ahead = head;
  ahead.position = Position{4};
  f.write_head(ahead);
  REQUIRE(eventlog::keep_evidence(f.folder, eventlog::system_disk()));
  const auto log = f.open();
  REQUIRE_FALSE(log);
  CHECK_THAT(log.error().text, Contains(f.folder.evidence()));
  CHECK_FALSE(support::newest_file(f.folder.evidence(), ".log").empty());
  f.write_head(head);
  CHECK(f.open());
  CHECK_FALSE(std::filesystem::exists(f.folder.evidence()));
}

TEST_CASE("a read-only log ends at the head while it is written", "[eventlog]") {
  LogFolderFixture f;
  auto log = f.open();
  REQUIRE(log);
  CHECK(f.open(LogMode::read_only)->is_new);
  LogWriter writer(*log, f.random);
  for (int i = 0; i < 20; ++i) {
    LogFolderFixture::add_event(writer);
    const auto before = support::listing(f.folder.root);
    auto reader = f.open(LogMode::read_only);
    REQUIRE(reader);
    CHECK(reader->tail.position == writer.durable().position);
    CHECK(reader->tail.hash == writer.durable().hash);
    CHECK(eventlog::verify_log(*reader->store, {}).problems.empty());
    CHECK(support::listing(f.folder.root) == before);
  }
}

TEST_CASE("what was not acknowledged is shown only when nobody writes", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(1);
  auto log = f.open();
  REQUIRE(log);
  // The state after a server that died between the store and the head.
  const auto head = std::move(log->head);
  LogWriter writer(*log, f.random);
  LogFolderFixture::add_event(writer);
  CHECK(f.open(LogMode::read_only)->tail.position == Position{1});
  log->lock.reset();
  CHECK(f.open(LogMode::read_only)->tail.position == Position{2});
}

TEST_CASE("a reader beside another process sees only what was acknowledged", "[eventlog][C06]") {
  LogFolderFixture f;
  support::ChildWriter writer(f.folder.root);
  REQUIRE(writer.wait_for(Position{5}));
  CHECK(f.open().error().code == ErrorCode::in_use);
  CHECK_THAT(f.open().error().text, Contains("process " + std::to_string(writer.pid())));
  Position last;
  for (int i = 0; i < 10; ++i) {
    const Position acknowledged = writer.acknowledged();
    auto reader = f.open(LogMode::read_only);
    REQUIRE(reader);
    CHECK(reader->tail.position >= acknowledged);
    CHECK(reader->tail.position >= last);
    last = reader->tail.position;
    const auto report = eventlog::verify_log(*reader->store, {});
    CHECK(report.problems.empty());
    CHECK(report.last == last);
    REQUIRE(writer.wait_for(last.plus(5)));
  }
}

TEST_CASE("whatever a killed writer had acknowledged is there", "[eventlog]") {
  LogFolderFixture f;
  for (int round = 0; round < 3; ++round) {
    support::ChildWriter writer(f.folder.root);
    REQUIRE(writer.wait_for(Position{20 * (round + 1)}));
    writer.kill();
    const Position acknowledged = writer.acknowledged();
    CHECK(f.open(LogMode::read_only)->tail.position >= acknowledged);
    CHECK(f.open()->tail.position >= acknowledged);
  }
}

constexpr auto kLinks =
    std::filesystem::copy_options::recursive | std::filesystem::copy_options::create_hard_links;

TEST_CASE("nothing is stored for good once the log is not where it was opened", "[eventlog]") {
  LogFolderFixture f;
  auto log = f.open();
  REQUIRE(log);
  LogWriter writer(*log, f.random);
  LogFolderFixture::add_event(writer);
  const std::string elsewhere = f.temporary.file("elsewhere");
  const auto refused = [&] {
    try {
      LogFolderFixture::add_event(writer);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  SECTION("its folder is removed") {
    std::filesystem::remove_all(f.folder.log());
    CHECK_THAT(refused(), Contains("is gone") && Contains(f.folder.log()));
  }
  SECTION("its folder is moved") {
    std::filesystem::rename(f.folder.log(), elsewhere);
    CHECK_THAT(refused(), Contains("is gone"));
  }
  SECTION("the data folder is moved, and another one is there") {
    std::filesystem::rename(f.folder.root, elsewhere);
    std::filesystem::create_directory(f.folder.root);
    CHECK_THAT(refused(), Contains("is gone"));
  }
  SECTION("a copy is in its place") {
    std::filesystem::rename(f.folder.log(), elsewhere);
    std::filesystem::copy(elsewhere, f.folder.log());
    CHECK_THAT(refused(), Contains("another file"));
  }
  SECTION("a copy of links is in its place") {
    std::filesystem::rename(f.folder.log(), elsewhere);
    std::filesystem::copy(elsewhere, f.folder.log(), kLinks);
    CHECK_THAT(refused(), Contains("another file"));
  }
  SECTION("a copy of links, made while it was written, is in its place") {
    const std::string copy = f.temporary.file("copy");
    std::filesystem::copy(f.folder.log(), copy, kLinks);
    LogFolderFixture::add_event(writer);
    std::filesystem::rename(f.folder.log(), elsewhere);
    std::filesystem::rename(copy, f.folder.log());
    CHECK_THAT(refused(), Contains("another file"));
  }
  SECTION("another folder is in its place, with its files") {
    std::filesystem::rename(f.folder.log(), elsewhere);
    std::filesystem::create_directory(f.folder.log());
    for (const auto& file : std::filesystem::directory_iterator(elsewhere)) {
      std::filesystem::rename(file.path(),
                              std::filesystem::path(f.folder.log()) / file.path().filename());
    }
    CHECK_THAT(refused(), Contains("another file"));
  }
  SECTION("its head file is gone, which is noticed after a while") {
    std::filesystem::remove(f.folder.head());
    const auto begun = std::chrono::steady_clock::now();
    std::string said;
    while (said.empty() && std::chrono::steady_clock::now() < begun + std::chrono::seconds(30)) {
      said = refused();
    }
    CHECK_THAT(said, Contains("is gone") && Contains(f.folder.head()));
  }
  CHECK(refused() != "");
}

TEST_CASE("a manifest that RocksDB begins anew is no other log", "[eventlog]") {
  LogFolderFixture f;
  auto log = f.open();
  REQUIRE(log);
  LogWriter writer(*log, f.random);
  LogFolderFixture::add_event(writer);
  const std::string current = f.folder.log() + "/CURRENT";
  std::filesystem::copy_file(current, current + ".dbtmp");
  std::filesystem::rename(current + ".dbtmp", current);
  LogFolderFixture::add_event(writer);
  CHECK(log->store->tail() == Position{3});
}

TEST_CASE("a torn end of the write-ahead log is told from a whole one", "[eventlog][C03]") {
  LogFolderFixture f;
  const auto head = f.make_log(4);
  CHECK_FALSE(eventlog::open_unproved_log(f.folder.root)->is_torn);
  // Reopened, so that the event lies in the newest write-ahead log.
  f.make_log(6);
  f.write_head(head);
  const std::string file = support::newest_file(f.folder.log(), ".log");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 20);
  const auto log = eventlog::open_unproved_log(f.folder.root);
  REQUIRE(log);
  CHECK(log->is_torn);
  CHECK(log->store->tail() == Position{5});
  CHECK(f.open(LogMode::read_only));
}

TEST_CASE("a torn write that a later server has gone on behind is history", "[eventlog]") {
  LogFolderFixture f;
  f.make_log(4);
  const std::string file = support::newest_file(f.folder.log(), ".log");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) + 20);
  REQUIRE(eventlog::open_unproved_log(f.folder.root)->is_torn);
  f.make_log(6);
  REQUIRE(std::filesystem::exists(file));
  REQUIRE(support::newest_file(f.folder.log(), ".log") != file);
  CHECK_FALSE(eventlog::open_unproved_log(f.folder.root)->is_torn);
  CHECK(f.open(LogMode::read_only)->tail.position == Position{6});
}

}  // namespace
