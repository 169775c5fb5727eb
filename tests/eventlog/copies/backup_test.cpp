// Backups, which are made while the log is written, and logs that are restored from them.
#include "eventlog/copies/backup.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "eventlog/copies/erase.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/folder/data_layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forwarding_disk.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/one_session.hpp"
#include "tests/support/searched_files.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using base::ErrorCode;
using base::Position;
using eventlog::LogFolder;
using eventlog::LogMode;
using eventlog::make_backup;
using eventlog::restore_backup;
using support::kStream;

struct BackupFixture {
  BackupFixture() { open(); }
  void open() {
    writer.reset();
    log = {};
    auto opened = eventlog::open_log(folder.file("data"), LogMode::read_write, random);
    if (!opened) FAIL(base::describe(opened.error()));
    log = std::move(*opened);
    writer.emplace(log, random);
  }
  void say(int count) {
    if (log.store->tail().value < 2) {
      domain::SessionOpened e;
      e.agent = "main";
      e.session = *base::SessionId::parse(support::kOnlySession);
      writer->append(kStream, e, "be brief");
    }
    for (int i = 0; i < count; ++i) {
      writer->append(kStream, domain::AgentLineRecorded{},
                     i % 5 == 0 ? std::string(200'000, 'x') : "a line");
    }
  }

  support::TempFolder folder;
  base::SystemRandom random;
  eventlog::OpenedLog log;
  std::optional<support::LogWriter> writer;
};

void check_whole(const std::string& folder, std::int64_t last, std::int64_t epochs) {
  const auto log = eventlog::open_unproved_log(folder);
  if (!log) FAIL(base::describe(log.error()));
  REQUIRE(log->head);
  const auto report = eventlog::verify_log(*log->store, log->head);
  for (const auto& problem : report.problems) UNSCOPED_INFO(problem.text);
  CHECK(report.problems.empty());
  CHECK(report.last == Position{last});
  CHECK(report.epochs == epochs);
  CHECK(log->head->position == Position{last});
}

TEST_CASE("a backup holds the log as it was, and proves itself", "[eventlog]") {
  BackupFixture f;
  f.say(20);
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  if (!made) FAIL(base::describe(made.error()));
  CHECK(made->through == f.log.store->tail());
  // Later events of the log are not in the copy.
  f.say(5);
  check_whole(copy, made->through.value, 1);
  check_whole(f.folder.file("data"), f.log.store->tail().value, 1);
  // A later copy is made beside it.
  const auto later = make_backup(*f.log.store, f.folder.file("later"), {1});
  REQUIRE(later);
  CHECK(later->through.value == made->through.value + 5);
  f.open();
  check_whole(f.folder.file("later"), later->through.value, 1);
}

TEST_CASE("a backup is not made where something is", "[eventlog]") {
  BackupFixture f;
  f.say(3);
  const std::string copy = f.folder.file("copy");
  const auto refused = [&] {
    const auto made = make_backup(*f.log.store, copy, {1});
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::invalid);
  };
  SECTION("a file") {
    std::filesystem::create_directory(copy);
    std::ofstream(copy + "/letter") << "dear";
    refused();
    CHECK(std::filesystem::exists(copy + "/letter"));
  }
  SECTION("a backup") {
    REQUIRE(make_backup(*f.log.store, copy, {1}));
    refused();
    check_whole(copy, 5, 1);
  }
  SECTION("no folder above it") {
    const auto made = make_backup(*f.log.store, copy + "/a/b", {1});
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::invalid);
  }
}

TEST_CASE("of a backup that was cut short only what is labelled as it is taken or removed",
          "[eventlog]") {
  BackupFixture f;
  f.say(3);
  const std::string copy = f.folder.file("copy");
  const auto finish = [&](Position begun) {
    return eventlog::finish_backup(*f.log.store, copy, begun);
  };
  SECTION("it is whole") {
    REQUIRE(make_backup(*f.log.store, copy, {1}));
    const auto finished = finish({1});
    REQUIRE(finished);
    CHECK(finished->through == f.log.store->tail());
  }
  SECTION("it is another one, or has no label") {
    REQUIRE(make_backup(*f.log.store, copy, {1}));
    CHECK(finish({2}).error().code == ErrorCode::not_found);
    check_whole(copy, 5, 1);
    std::filesystem::remove(copy + "/label");
    CHECK(finish({1}).error().code == ErrorCode::not_found);
    check_whole(copy, 5, 1);
  }
  SECTION("it has no head yet") {
    REQUIRE(make_backup(*f.log.store, copy, {1}));
    std::filesystem::remove(copy + "/head");
    CHECK(finish({1}).error().code == ErrorCode::not_found);
    CHECK_FALSE(std::filesystem::exists(copy));
  }
  SECTION("its label is being written") {
    std::filesystem::create_directory(copy);
    std::ofstream(copy + "/label.new") << "backup of";
    CHECK(finish({1}).error().code == ErrorCode::not_found);
    CHECK_FALSE(std::filesystem::exists(copy));
  }
  SECTION("somebody else's file is there") {
    std::filesystem::create_directory(copy);
    std::ofstream(copy + "/letter") << "dear";
    CHECK(finish({1}).error().code == ErrorCode::not_found);
    CHECK(std::filesystem::exists(copy + "/letter"));
  }
}

// Notes every sync in order, and fails it for one path.
struct SyncedDisk final : support::ForwardingDisk {
  base::Result<void> sync_folder(const std::string& path) override { return note(path); }
  base::Result<void> settle(const std::string& path) override { return note(path); }
  base::Result<void> note(const std::string& path) {
    synced.push_back(path);
    removed_before_sync = std::exchange(removed, {});
    if (path != failing) return {};
    return base::failure(ErrorCode::io, "the disk is gone", path);
  }

  void remove_all(const std::string& path) override {
    support::ForwardingDisk::remove_all(path);
    removed.push_back(path);
  }

  bool has_synced(const std::string& path) const { return synced_at(path) != synced.end(); }
  bool synced_before(const std::string& path, const std::string& later) const {
    return synced_at(path) < synced_at(later);
  }
  std::vector<std::string>::const_iterator synced_at(const std::string& path) const {
    return std::find(synced.begin(), synced.end(), path);
  }

  std::vector<std::string> synced;               // in order
  std::vector<std::string> removed;              // since the last sync
  std::vector<std::string> removed_before_sync;  // between the last two syncs
  std::string failing;
};

TEST_CASE("all files of a backup are durable before its head is", "[eventlog]") {
  BackupFixture f;
  f.say(3);
  const std::string copy = f.folder.file("copy");
  SyncedDisk disk;
  SECTION("each of them") {
    REQUIRE(make_backup(*f.log.store, copy, {1}, {disk}));
    const LogFolder made{copy};
    std::set<std::string> paths{made.log()};
    for (const auto& entry : std::filesystem::directory_iterator(made.log()))
      paths.insert(entry.path());
    CHECK(paths.size() > 3);
    for (const std::string& path : paths) {
      INFO(path);
      CHECK(disk.synced_before(path, made.head()));
    }
  }
  SECTION("or there is none") {
    disk.failing = LogFolder{copy}.log();
    const auto made = make_backup(*f.log.store, copy, {1}, {disk});
    REQUIRE_FALSE(made);
    CHECK_THAT(base::describe(made.error()), Catch::Contains("the disk is gone"));
    CHECK_FALSE(std::filesystem::exists(copy));
  }
}

std::set<ino_t> inodes_of(const std::string& folder, bool only_tables = false) {
  std::set<ino_t> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (only_tables && entry.path().extension() != ".sst") continue;
    struct stat status {};
    REQUIRE(::stat(entry.path().c_str(), &status) == 0);
    found.insert(status.st_ino);
  }
  return found;
}

bool are_apart(const std::set<ino_t>& one, const std::set<ino_t>& other) {
  return std::none_of(one.begin(), one.end(), [&](ino_t inode) { return other.contains(inode); });
}

TEST_CASE("a backup shares no file with the log, unless it is told to", "[eventlog]") {
  BackupFixture f;
  f.say(20);
  const LogFolder log{f.folder.file("data")};
  const LogFolder copy{f.folder.file("copy")};
  SECTION("a copy of its own") {
    REQUIRE(make_backup(*f.log.store, copy.root, {1}));
    const auto tables = inodes_of(log.log(), true);
    REQUIRE(tables.size() >= 2);  // copying has flushed them
    CHECK(are_apart(inodes_of(copy.log()), inodes_of(log.log())));
    for (const auto& entry : std::filesystem::directory_iterator(copy.log())) {
      INFO(entry.path());
      CHECK(std::filesystem::hard_link_count(entry.path()) == 1);
    }
    // Damage to the log's files leaves the copy whole.
    for (const auto& entry : std::filesystem::directory_iterator(log.log())) {
      if (entry.path().extension() == ".sst") std::filesystem::resize_file(entry.path(), 10);
    }
  }
  SECTION("files of both") {
    REQUIRE(make_backup(*f.log.store, copy.root, {1}, {eventlog::system_disk(), {}, true}));
    const auto tables = inodes_of(log.log(), true);
    REQUIRE(tables.size() >= 2);
    CHECK(inodes_of(copy.log(), true) == tables);
  }
  check_whole(copy.root, 22, 1);
}

TEST_CASE("a backup for which the disk has no room leaves nothing", "[eventlog]") {
  struct FullDisk final : support::ForwardingDisk {
    base::Result<std::unique_ptr<eventlog::DiskFile>> open(const std::string& path) override {
      if (path.ends_with(".sst.new")) {
        return base::failure(ErrorCode::io, "no room", path);
      }
      return ForwardingDisk::open(path);
    }
  };
  BackupFixture f;
  f.say(20);
  FullDisk disk;
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1}, {disk});
  REQUIRE_FALSE(made);
  CHECK_THAT(base::describe(made.error()), Catch::Contains("no room"));
  CHECK_FALSE(std::filesystem::exists(copy));
  CHECK(make_backup(*f.log.store, copy, {1}));
}

TEST_CASE("all files of a restored log are durable before its head is", "[eventlog]") {
  BackupFixture f;
  f.say(3);
  const LogFolder copy{f.folder.file("copy")};
  REQUIRE(make_backup(*f.log.store, copy.root, {1}));
  const LogFolder root{f.folder.file("restored")};
  const std::string part = root.root + "/log.part";
  std::set<std::string> paths{part};
  for (const auto& entry : std::filesystem::directory_iterator(copy.log()))
    paths.insert(part + "/" + entry.path().filename().string());
  paths.erase(part + "/LOCK");
  SyncedDisk disk;
  REQUIRE(restore_backup(copy.root, root.root, f.random, {}, disk));
  CHECK(paths.size() > 3);
  for (const std::string& path : paths) {
    INFO(path);
    CHECK(disk.synced_before(path, root.head()));
  }
}

TEST_CASE("what a copy says of erasures is durable also where a killed server has said it",
          "[eventlog]") {
  const support::TempFolder folder;
  const std::vector<eventlog::LaterErasure> some{{"a", {{{1}, {2}}}}};
  REQUIRE(eventlog::add_later_erasures(folder.file("erased"), some));
  SyncedDisk disk;
  REQUIRE(eventlog::add_later_erasures(folder.file("erased"), some, disk));
  CHECK(disk.has_synced(std::filesystem::path(folder.file("erased")).parent_path().string()));
  REQUIRE(eventlog::add_later_erasures(folder.file("none"), {}, disk));
  CHECK_FALSE(std::filesystem::exists(folder.file("none")));
}

TEST_CASE("a copy that is removed is gone for good", "[eventlog]") {
  BackupFixture f;
  f.say(3);
  const std::string copy = f.folder.file("copy");
  REQUIRE(make_backup(*f.log.store, copy, {1}));
  std::filesystem::remove(copy + "/head");
  SyncedDisk disk;
  REQUIRE_FALSE(eventlog::finish_backup(*f.log.store, copy, {1}, disk));
  CHECK_FALSE(std::filesystem::exists(copy));
  CHECK(disk.has_synced(std::filesystem::path(copy).parent_path().string()));
}

TEST_CASE("of a copy that is removed the label goes last, and that for good", "[eventlog]") {
  BackupFixture f;
  f.say(3);
  const std::string copy = f.folder.file("copy");
  const std::string above = std::filesystem::path(copy).parent_path().string();
  SyncedDisk disk;
  SECTION("one that cannot be made") {
    disk.failing = LogFolder{copy}.log();
    REQUIRE_FALSE(make_backup(*f.log.store, copy, {1}, {disk}));
  }
  SECTION("one that was left") {
    REQUIRE(make_backup(*f.log.store, copy, {1}));
    std::filesystem::remove(copy + "/head");
    REQUIRE_FALSE(eventlog::finish_backup(*f.log.store, copy, {1}, disk));
  }
  REQUIRE(disk.synced.size() > 1);
  CHECK(std::vector(disk.synced.end() - 2, disk.synced.end()) == std::vector{copy, above});
  CHECK(disk.removed_before_sync == std::vector<std::string>{copy + "/label", copy});
  // The folder above is synced even if the copy is gone: a server can have been killed after
  // removing it, before that was durable.
  SyncedDisk later;
  REQUIRE_FALSE(eventlog::finish_backup(*f.log.store, copy, {1}, later));
  CHECK(later.has_synced(above));
}

TEST_CASE("an erasure that reaches a backup while it is restored is not lost", "[eventlog]") {
  // Erases from the copy when the first folder of the new log is synced, or when the last one is.
  struct ErasingDisk final : support::ForwardingDisk {
    base::Result<void> sync_folder(const std::string& path) override {
      if (path == at) REQUIRE(eventlog::add_later_erasures(erased, more));
      return support::ForwardingDisk::sync_folder(path);
    }
    std::string at, erased;
    std::vector<eventlog::LaterErasure> more{{kStream, {{{2}, {3}}}}};
  };
  BackupFixture f;
  f.say(6);
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  REQUIRE(made);
  ErasingDisk disk;
  disk.erased = copy + "/erased";
  const std::string root = f.folder.file("restored");
  disk.at = root + GENERATE("", "/log.part");
  CAPTURE(disk.at);
  const auto restored = restore_backup(copy, root, f.random, {}, disk);
  if (!restored) FAIL(base::describe(restored.error()));
  CHECK(restored->started.value == made->through.value + 2);
}

TEST_CASE("a log is begun in a folder whose name is durable, also where its maker was killed",
          "[eventlog]") {
  BackupFixture f;
  SyncedDisk disk;
  const std::string made = f.folder.file("made");
  std::filesystem::create_directory(made);
  REQUIRE(eventlog::open_log(made, LogMode::read_write, f.random, {disk}));
  CHECK(disk.has_synced(std::filesystem::path(made).parent_path().string()));
}

TEST_CASE("a log is opened to be written once what was found is durable", "[eventlog]") {
  BackupFixture f;
  SyncedDisk disk;
  f.say(3);
  f.writer.reset();
  f.log = {};
  const LogFolder root{f.folder.file("data")};
  const auto log = eventlog::open_log(root.root, LogMode::read_write, f.random, {disk});
  REQUIRE(log);
  // The removal of the evidence is synced last, for an erasure does not look into evidence.
  CHECK(disk.synced.back() == root.root);
  CHECK(disk.removed_before_sync == std::vector<std::string>{root.evidence()});
}

TEST_CASE("a backup that a killed server left counts as made only once it is durable",
          "[eventlog]") {
  BackupFixture f;
  f.say(3);
  const std::string copy = f.folder.file("copy");
  REQUIRE(make_backup(*f.log.store, copy, {1}));
  const std::string above = std::filesystem::path(copy).parent_path().string();
  const std::string paths[] = {copy + "/head", copy, above};
  SyncedDisk disk;
  SECTION("which it is made now") {
    REQUIRE(eventlog::finish_backup(*f.log.store, copy, {1}, disk));
    for (const std::string& path : paths) {
      INFO(path);
      CHECK(disk.has_synced(path));
    }
  }
  SECTION("which it cannot be made") {
    disk.failing = paths[GENERATE(0U, 1U, 2U)];
    const auto finished = eventlog::finish_backup(*f.log.store, copy, {1}, disk);
    REQUIRE_FALSE(finished);
    CHECK_THAT(base::describe(finished.error()), Catch::Contains("the disk is gone"));
  }
}

TEST_CASE("a backup of a damaged log is refused, and nothing of it is left", "[eventlog]") {
  BackupFixture f;
  f.say(6);
  REQUIRE(f.log.store->replace_content({4}, {}));
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  REQUIRE_FALSE(made);
  CHECK(made.error().code == ErrorCode::damaged);
  CHECK_FALSE(std::filesystem::exists(copy));
}

TEST_CASE("a log is restored from a backup into a new epoch", "[eventlog]") {
  BackupFixture f;
  f.say(12);
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  REQUIRE(made);
  const eventlog::Checkpoint before = f.writer->durable();
  const std::string root = f.folder.file("restored");
  const auto restored = restore_backup(copy, root, f.random);
  if (!restored) FAIL(base::describe(restored.error()));
  CHECK(restored->through == made->through);
  CHECK(restored->started == made->through.next());
  CHECK(restored->epoch == before.epoch.counter + 1);
  check_whole(root, restored->started.value, 2);
  check_whole(copy, made->through.value, 1);
  auto log = eventlog::open_log(root, LogMode::read_write, f.random);
  REQUIRE(log);
  CHECK(log->tail.log == before.log);
  CHECK(log->tail.epoch.counter == restored->epoch);
  CHECK(log->tail.epoch.random != before.epoch.random);
  support::LogWriter writer(*log, f.random);
  writer.append(kStream, domain::AgentLineRecorded{}, "goes on");
  check_whole(root, restored->started.value + 1, 2);
}

TEST_CASE("what was erased from a copy is on the record of the log that is made of it",
          "[eventlog]") {
  BackupFixture f;
  f.say(6);
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  REQUIRE(made);
  // Written as an erasure that reaches the copy does; versions that the copy does not have are left
  // out of the record.
  const eventlog::LaterErasures later{{{kStream, {{{2}, {3}}, {{5}, {90}}}}}};
  {
    auto store = eventlog::open_rocksdb_store({copy + "/log"});
    REQUIRE(store);
    auto rows = eventlog::make_memory_key_value_store();
    eventlog::StreamIndex index(*rows);
    REQUIRE(index.catch_up(**store, (*store)->tail()));
    eventlog::ScrubScope scope;
    REQUIRE(eventlog::erase_content(**store, index, kStream, later.erasures[0].events, scope));
    REQUIRE((*store)->scrub(scope));
  }
  REQUIRE_FALSE(restore_backup(copy, f.folder.file("refused"), f.random));
  REQUIRE(eventlog::add_later_erasures(copy + "/erased", later.erasures));
  const std::string root = f.folder.file("restored");
  const auto restored = restore_backup(copy, root, f.random);
  if (!restored) FAIL(base::describe(restored.error()));
  CHECK(restored->started.value == made->through.value + 2);
  check_whole(root, restored->started.value, 2);
  const auto log = eventlog::open_log(root, LogMode::read_only, f.random);
  REQUIRE(log);
  const auto events =
      eventlog::read_events(*log->store, made->through.next(), restored->started, {});
  REQUIRE(events);
  REQUIRE(events->size() == 2);
  CHECK((*events)[1].event.get<domain::ContentErased>().events ==
        domain::VersionRanges{{{2}, {3}}, {{5}, {7}}});
}

TEST_CASE("an erasure that had not reached the content of a copy is not called completed",
          "[eventlog]") {
  BackupFixture f;
  f.say(6);
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  REQUIRE(made);
  REQUIRE(eventlog::add_later_erasures(copy + "/erased", {{kStream, {{{2}, {3}}}}}));
  const std::string root = f.folder.file("restored");
  const auto restored = restore_backup(copy, root, f.random);
  REQUIRE(restored);
  check_whole(root, made->through.value + 2, 2);
}

TEST_CASE("what is left to record of an erasure is what the log has and does not say",
          "[eventlog]") {
  const auto stream = [](char number) {
    base::SessionId id;
    id.bytes.back() = number;
    return domain::session_stream("main", id);
  };
  const std::string a = stream(1);
  const std::string b = stream(2);
  const eventlog::LaterErasures later{
      {{a, {{{2}, {9}}}}, {b, {{{1}, {4}}}}, {a, {{{1}, {1}}}}, {stream(3), {{{1}, {1}}}}}};
  const auto left =
      eventlog::unrecorded(later, {{a, {6}}, {b, {4}}}, {{a, {{{3}, {4}}}}, {b, {{{1}, {9}}}}});
  CHECK(left == eventlog::LaterErasures{{{a, {{{1}, {2}}, {{5}, {6}}}}}});
}

TEST_CASE("an erasure is recorded only in a stream that can hold it", "[eventlog]") {
  BackupFixture f;
  f.say(6);
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  REQUIRE(made);
  const std::string server(domain::kServerStream);
  REQUIRE(eventlog::add_later_erasures(copy + "/erased", {{server, {{{1}, {1}}}}}));
  const std::string root = f.folder.file("restored");
  const auto restored = restore_backup(copy, root, f.random);
  REQUIRE(restored);
  CHECK(restored->started == made->through.next());
  check_whole(root, restored->started.value, 2);
}

TEST_CASE("a backup of an exact copy takes along what was erased from that", "[eventlog]") {
  BackupFixture f;
  f.say(6);
  const eventlog::LaterErasures later{{{kStream, {{{2}, {3}}}}}};
  const eventlog::LogFolder root{f.folder.file("data")};
  REQUIRE(eventlog::add_later_erasures(root.erased(), later.erasures));
  const std::string copy = f.folder.file("copy");
  REQUIRE(make_backup(*f.log.store, copy, {1}, {eventlog::system_disk(), root}));
  CHECK(*eventlog::read_later_erasures(copy + "/erased") == later);
}

TEST_CASE("what a copy's file says of erasures is kept and added to", "[eventlog]") {
  const support::TempFolder folder;
  const std::string path = folder.file("erased");
  CHECK(eventlog::read_later_erasures(path)->erasures.empty());
  REQUIRE(eventlog::add_later_erasures(path, {{"a", {{{1}, {2}}}}}));
  REQUIRE(eventlog::add_later_erasures(path, {{"b", {{{7}, {7}}}}, {"a", {{{3}, {4}}}}}));
  const auto later = eventlog::read_later_erasures(path);
  REQUIRE(later);
  CHECK(*later == eventlog::LaterErasures{{{"a", {{{1}, {4}}}}, {"b", {{{7}, {7}}}}}});
  std::ofstream(path) << "nonsense";
  const auto damaged = eventlog::read_later_erasures(path);
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().code == ErrorCode::damaged);
}

TEST_CASE("two restores of one backup are two histories", "[eventlog]") {
  BackupFixture f;
  f.say(2);
  const std::string copy = f.folder.file("copy");
  REQUIRE(make_backup(*f.log.store, copy, {1}));
  for (const char* name : {"one", "two"}) {
    REQUIRE(restore_backup(copy, f.folder.file(name), f.random));
  }
  const auto one = eventlog::open_log(f.folder.file("one"), LogMode::read_only, f.random);
  const auto two = eventlog::open_log(f.folder.file("two"), LogMode::read_only, f.random);
  REQUIRE(one);
  REQUIRE(two);
  CHECK(one->tail.epoch.counter == two->tail.epoch.counter);
  CHECK(one->tail.epoch != two->tail.epoch);
}

// Fails every sync of the folder once the restored log is in its place.
struct CutDisk final : support::ForwardingDisk {
  explicit CutDisk(std::string restored) : root(std::move(restored)) {}
  base::Result<void> sync_folder(const std::string& path) override {
    if (path != root || !eventlog::LogFolder{root}.has_log()) {
      return ForwardingDisk::sync_folder(path);
    }
    return base::failure(ErrorCode::io, "the disk is gone", path);
  }

  const std::string root;
};

TEST_CASE("a restore that was cut short leaves no log that can be opened", "[eventlog]") {
  BackupFixture f;
  f.say(6);
  const std::string copy = f.folder.file("copy");
  const auto made = make_backup(*f.log.store, copy, {1});
  REQUIRE(made);
  const std::string root = f.folder.file("restored");
  CutDisk disk(root);
  REQUIRE_FALSE(restore_backup(copy, root, f.random, {}, disk));
  REQUIRE(eventlog::LogFolder{root}.has_log());
  for (const LogMode mode : {LogMode::read_write, LogMode::read_only}) {
    const auto log = eventlog::open_log(root, mode, f.random);
    REQUIRE_FALSE(log);
    CHECK(log.error().code == ErrorCode::damaged);
    CHECK_THAT(log.error().text, Catch::Contains("restore it again"));
  }
  const auto restored = restore_backup(copy, root, f.random);
  if (!restored) FAIL(base::describe(restored.error()));
  check_whole(root, made->through.value + 1, 2);
  CHECK(eventlog::open_log(root, LogMode::read_write, f.random));
}

TEST_CASE("what is no whole backup is not restored", "[eventlog]") {
  BackupFixture f;
  f.say(12);
  const std::string copy = f.folder.file("copy");
  REQUIRE(make_backup(*f.log.store, copy, {1}));
  const std::string root = f.folder.file("restored");
  const auto refused = [&](ErrorCode code) {
    const auto restored = restore_backup(copy, root, f.random);
    REQUIRE_FALSE(restored);
    CHECK(restored.error().code == code);
    CHECK_FALSE(std::filesystem::exists(root + "/log"));
    CHECK_FALSE(std::filesystem::exists(root + "/log.part"));
  };
  SECTION("nothing there") {
    std::filesystem::remove_all(copy);
    refused(ErrorCode::not_found);
  }
  SECTION("no head file") {
    std::filesystem::remove(copy + "/head");
    refused(ErrorCode::damaged);
  }
  SECTION("a flipped bit in a table") {
    for (const auto& entry : std::filesystem::directory_iterator(copy + "/log")) {
      if (entry.path().extension() != ".sst") continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(200);
      const char byte = static_cast<char>(file.get());
      file.seekp(200);
      file.put(static_cast<char>(byte ^ 4));
    }
    refused(ErrorCode::damaged);
  }
  SECTION("a log in the place where it is to be") {
    const auto restored = restore_backup(copy, f.folder.file("data"), f.random);
    REQUIRE_FALSE(restored);
    CHECK(restored.error().code == ErrorCode::conflict);
  }
}

}  // namespace
