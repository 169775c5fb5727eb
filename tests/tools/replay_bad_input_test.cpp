// Logs that `replay` cannot accept: each command says clearly why, exits with the right code, and
// leaves the log untouched.
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/listing.hpp"
#include "tests/support/raw_log.hpp"
#include "tests/support/replay_log.hpp"

namespace {

using Catch::Contains;
using support::Answer;
using support::ReplayLog;
using support::run;

struct NamedCommand {
  const char* name;
  int (*run)(const steno::ReplayArguments&);
};

constexpr NamedCommand kCommands[] = {
    {"verify", steno::replay_verify},  {"state", steno::replay_state},
    {"stats", steno::replay_stats},    {"export", steno::replay_export},
    {"diff", steno::replay_diff},      {"rebuild", steno::replay_rebuild},
    {"salvage", steno::replay_salvage}};

struct BadInputFixture : ReplayLog {
  // Requires that each command says `words`, ends with `exit`, and leaves the folder as it was.
  void every_command_says(const std::string& words, int exit) {
    const auto before = support::listing(folder.root);
    int number = 0;
    for (const NamedCommand& command : kCommands) {
      auto wanted = arguments();
      wanted.from = command.run == steno::replay_diff ? "1" : "";
      wanted.target = temporary.file("new" + std::to_string(++number));
      const auto answer = run(command.run, wanted);
      INFO("replay " << command.name << ": " << answer.exit << "\n" << answer.out << answer.err);
      CHECK(answer.exit == exit);
      CHECK_THAT(answer.out + answer.err, Contains(words));
    }
    CHECK(support::listing(folder.root) == before);
  }
  base::Error error_of_serving() {
    auto log = eventlog::open_log(folder.root, eventlog::LogMode::read_write, random);
    REQUIRE_FALSE(log);
    return log.error();
  }
};

std::string sealed(std::string facts) {
  facts.resize(facts.size() - 8);
  base::append_u64(facts, base::xxh3(facts));
  return facts;
}

TEST_CASE("a log of a newer format is named as one by every command", "[tools]") {
  BadInputFixture f;
  {
    const auto first = f.history.log().head().value;  // near the end
    support::RawLog raw(f.folder.log());
    std::int64_t block = 0;
    {
      const auto log = *eventlog::open_rocksdb_view({f.folder.log(), {}});
      const auto stored = *log->read({std::min(first, log->tail().value)}, 1, false);
      block = eventlog::parse_block(stored.front().facts)->header.first.value;
    }
    std::string facts = raw.facts(block);
    facts[7] = 2;
    raw.put_facts(block, sealed(facts));
  }
  f.every_command_says("newer", 11);
  CHECK(f.error_of_serving().code == base::ErrorCode::wrong_log);
}

TEST_CASE("a log of which a part is of another one is named as such", "[tools]") {
  BadInputFixture f;
  const ReplayLog other(6);
  std::filesystem::copy_file(other.folder.head(), f.folder.head(),
                             std::filesystem::copy_options::overwrite_existing);
  const auto before = support::listing(f.folder.root);
  const auto answer = f.verify();
  CHECK(answer.exit == 11);
  CHECK_THAT(answer.out, Contains("the head file is of log " + other.head.log.text()));
  CHECK(f.error_of_serving().code == base::ErrorCode::wrong_log);
  auto wanted = f.arguments();
  wanted.target = f.temporary.file("new");
  const auto salvaged = run(steno::replay_salvage, wanted);
  CHECK(salvaged.exit == 11);
  CHECK_THAT(salvaged.err, Contains("no block is of the log that the head file names"));
}

TEST_CASE("a head of another epoch is not the log's", "[tools]") {
  BadInputFixture f;
  auto head = f.head;
  ++head.epoch.counter;
  REQUIRE((*eventlog::open_head_file(f.folder.head()))->write(head));
  const auto answer = f.verify();
  CHECK(answer.exit == 9);
  CHECK_THAT(answer.out, Contains("another block than the one that the head file names"));
  CHECK(f.error_of_serving().code == base::ErrorCode::damaged);
}

TEST_CASE("of a log that was copied in half it is said what is missing", "[tools]") {
  BadInputFixture f;
  { support::RawLog(f.folder.log()).flush(); }
  SECTION("without its table files") {
    for (const auto& entry : std::filesystem::directory_iterator(f.folder.log())) {
      if (entry.path().extension() == ".sst") std::filesystem::remove(entry.path());
    }
    const auto answer = f.verify(true);
    CHECK(answer.exit == 9);
    const auto problems = answer.parsed()["problems"];
    const bool names_all = std::any_of(problems.begin(), problems.end(), [&](const auto& one) {
      return one["position"] == 1 && one["through"] == f.head.position.value;
    });
    INFO(problems.dump(2));
    CHECK(names_all);
  }
  SECTION("without the folder of the log") {
    std::filesystem::remove_all(f.folder.log());
    f.every_command_says("missing", 9);
    CHECK_THAT(f.verify().out,
               Contains("events 1 to " + std::to_string(f.head.position.value) + " are missing"));
  }
  SECTION("without its head file") {
    std::filesystem::remove(f.folder.head());
    CHECK_THAT(f.verify().out, Contains("the head file is missing"));
    CHECK(f.verify().exit == 9);
    CHECK_THAT(f.error_of_serving().text, Contains("steno replay salvage"));
  }
  SECTION("without CURRENT and head") {
    std::filesystem::remove(f.folder.head());
    std::filesystem::remove(f.folder.log() + "/CURRENT");
    CHECK_THAT(f.verify().out, Contains("CURRENT is missing"));
    CHECK(f.verify().exit == 9);
  }
}

TEST_CASE("a folder of somebody else's files is no log", "[tools]") {
  BadInputFixture f;
  std::filesystem::remove_all(f.folder.root);
  std::filesystem::create_directories(f.folder.log());
  std::ofstream(f.folder.log() + "/system.log") << "words";
  const auto answer = f.verify();
  CHECK(answer.exit == 2);
  CHECK_THAT(answer.err, Contains("system.log"));
  CHECK(std::filesystem::exists(f.folder.log() + "/system.log"));
  std::filesystem::remove_all(f.folder.log());
  std::ofstream(f.folder.log()) << "a file in its place";
  CHECK(f.verify().exit == 3);
}

TEST_CASE("files of something else beside a log are named and left alone", "[tools]") {
  BadInputFixture f;
  CHECK(f.verify(true).parsed()["foreign"].empty());
  for (const char* name : {"/notes.txt", "/log/system.log"}) {
    std::ofstream(f.folder.root + name) << "words";
  }
  const auto before = support::listing(f.folder.root);
  CHECK(f.verify(true).parsed()["foreign"] ==
        nlohmann::json::array({"log/system.log", "notes.txt"}));
  const auto answer = f.verify();
  CHECK(answer.exit == 0);
  CHECK_THAT(answer.out, Contains("notes.txt is no part of a log, and is left alone"));
  CHECK(support::listing(f.folder.root) == before);
  CHECK(eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random));
  for (const char* name : {"/notes.txt", "/log/system.log"}) {
    CHECK(std::filesystem::file_size(f.folder.root + name) == 5);
  }
}

// Runs `work` as another user in a child process and returns its exit code. Works only as root.
int exit_as_another_user(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_changed = ::setgid(65534) == 0 && ::setuid(65534) == 0;
    ::_exit(is_changed ? work() : 99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST_CASE("a log of another user is refused, and it is said whose it is", "[tools]") {
  if (::geteuid() != 0) return;
  BadInputFixture f;
  const auto before = support::listing(f.folder.root);
  const std::string said = f.temporary.file("said");
  std::filesystem::permissions(f.temporary.path(), std::filesystem::perms::all);
  for (const NamedCommand& command : kCommands) {
    auto wanted = f.arguments();
    wanted.from = command.run == steno::replay_diff ? "1" : "";
    wanted.target = f.temporary.file("new");
    CHECK(exit_as_another_user([&] {
            wanted.err = std::fopen(said.c_str(), "w");
            const int exit = command.run(wanted);
            std::fclose(wanted.err);
            return exit;
          }) == 5);
    std::ifstream in(said);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    INFO(command.name);
    CHECK_THAT(text, Contains("belongs to user 0, and this is user 65534"));
    std::filesystem::remove(said);
  }
  CHECK(support::listing(f.folder.root) == before);
}

// A file system of this many KiB, mounted at the path for the lifetime of the object. Without the
// right to mount there is none; see is_mounted().
class SmallDisk {
 public:
  SmallDisk(const std::string& path, const std::string& kib) : path_(path) {
    std::filesystem::create_directories(path);
    is_mounted_ = ::mount("tmpfs", path.c_str(), "tmpfs", 0, ("size=" + kib + "k").c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool is_mounted() const { return is_mounted_; }
  bool make_read_only() const {
    return ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0;
  }

 private:
  const std::string path_;
  bool is_mounted_ = false;
};

TEST_CASE("a log on a read-only disk can be read, and not served", "[tools]") {
  BadInputFixture f;
  const std::string path = f.temporary.file("disk");
  const SmallDisk disk(path, "65536");
  if (!disk.is_mounted()) return;
  std::filesystem::copy(f.folder.root, path + "/data", std::filesystem::copy_options::recursive);
  f.folder.root = path + "/data";
  REQUIRE(disk.make_read_only());
  const auto before = support::listing(f.folder.root);
  CHECK(f.verify().exit == 0);
  CHECK(f.state("").exit == 0);
  CHECK(run(steno::replay_export, f.arguments()).exit == 0);
  CHECK(run(steno::replay_stats, f.arguments()).exit == 0);
  auto wanted = f.arguments();
  wanted.target = path + "/new";
  CHECK(run(steno::replay_salvage, wanted).exit == 5);
  wanted.target = f.temporary.file("new");
  CHECK(run(steno::replay_salvage, wanted).exit == 0);
  const auto error = f.error_of_serving();
  CHECK(error.code == base::ErrorCode::refused);
  CHECK_THAT(base::describe(error), Contains("Read-only file system"));
  CHECK(support::listing(f.folder.root) == before);
}

TEST_CASE("salvage and import say that the disk is full, and leave no log that would be opened",
          "[tools]") {
  BadInputFixture f;
  const std::string path = f.temporary.file("disk");
  const SmallDisk disk(path, "100");
  if (!disk.is_mounted()) return;
  const auto before = support::listing(f.folder.root);
  auto wanted = f.arguments();
  wanted.target = path + "/new";
  const auto salvaged = run(steno::replay_salvage, wanted);
  INFO(salvaged.err);
  CHECK(salvaged.exit == 1);
  CHECK_THAT(salvaged.err, Contains("space"));
  auto made = f.arguments();
  made.folder = wanted.target;
  CHECK(run(steno::replay_verify, made).exit != 0);
  CHECK_FALSE(eventlog::open_log(wanted.target, eventlog::LogMode::read_only, f.random));
  CHECK(support::listing(f.folder.root) == before);

  std::filesystem::remove_all(wanted.target);
  wanted.file = f.temporary.file("log.jsonl");
  std::ofstream(wanted.file) << run(steno::replay_export, f.arguments()).out;
  const auto imported = run(steno::replay_import, wanted);
  CHECK(imported.exit == 1);
  CHECK_THAT(imported.err, Contains("space"));
  CHECK_FALSE(eventlog::open_log(wanted.target, eventlog::LogMode::read_only, f.random));
}

}  // namespace
