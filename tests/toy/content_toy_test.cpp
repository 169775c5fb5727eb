// A toy aggregate with texts and a toy content index, each added to the product by two lines.
// Erasures, backups, restores and salvage treat the aggregate's streams as they treat sessions; the
// index is fed, reached by erasures and built anew.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "eventlog/copies/erase.hpp"
#include "eventlog/log/log_reader.hpp"
#include "eventlog/proof/verify.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "eventlog/salvage/salvage.hpp"
#include "projections/content/word_index.hpp"
#include "projections/views/session_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/driven_loop.hpp"
#include "tests/support/searched_files.hpp"
#include "tests/support/temp_folder.hpp"
#include "workers/queries/query_service.hpp"
#include "workers/reactors/upkeep.hpp"

namespace {

using base::Duration;
using base::Position;
using base::Time;
using domain::NoteCommand;
using domain::NoteStream;
using projections::ContentSet;
using support::DrivenLoop;

constexpr int kPage = 7;  // the page of notes
const auto kPageId = support::numbered<base::SessionId>(kPage);
const std::string kPageStream = domain::format_stream(NoteStream::kPattern, "main", kPageId);
const std::string kSessionWord = "on";  // of the prompt of DrivenLoop::spawn()

// A data folder with a real log, and what a server remembers between two lives.
struct DataFolder {
  support::TempFolder temp;
  eventlog::LogFolder folder{temp.file("data")};
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  std::unique_ptr<eventlog::KeyValueStore> views = eventlog::make_memory_key_value_store();
  std::int64_t now_us = 1'000'000;

  DataFolder() { std::filesystem::create_directories(folder.log()); }
};

std::unique_ptr<eventlog::BlockStore> open_store(const eventlog::LogFolder& folder) {
  auto store = eventlog::open_rocksdb_store({folder.log()});
  REQUIRE(store);
  return std::move(*store);
}

std::unique_ptr<ContentSet> open_contents(const eventlog::LogFolder& folder,
                                          eventlog::BlockStore& log,
                                          projections::ContentOptions options = {}) {
  options.step_bytes = 1;  // a block in each step
  auto set = ContentSet::open(folder.content(), log, options);
  REQUIRE(set);
  return std::move(*set);
}

// Feeds all that is durable. Returns the number of steps.
int feed_all(ContentSet& contents, eventlog::BlockStore& log) {
  for (int steps = 1;; ++steps) {
    const auto fed = contents.feed(log.tail());
    REQUIRE_FALSE(fed.has_failed);
    if (!fed.has_more) return steps;
  }
}

std::vector<Position> found(ContentSet& contents, std::string_view word) {
  auto positions = projections::find_word(contents, word);
  if (!positions) FAIL(base::describe(positions.error()));
  return *positions;
}

std::vector<std::pair<base::Bytes, base::Bytes>> rows_of(ContentSet& contents) {
  auto rows = projections::word_rows(contents);
  REQUIRE(rows);
  std::vector<std::pair<base::Bytes, base::Bytes>> all;
  for (const auto& row : *rows) all.emplace_back(row.key, row.value);
  return all;
}

// The rows of an index that is built from the log in one go, elsewhere.
std::vector<std::pair<base::Bytes, base::Bytes>> rows_built_anew(eventlog::BlockStore& log) {
  support::TempFolder elsewhere;
  auto set = ContentSet::open(elsewhere.file("content"), log);
  REQUIRE(set);
  feed_all(**set, log);
  return rows_of(**set);
}

// One life of a server, as far as erasures and content indexes go.
class Life {
 public:
  explicit Life(DataFolder& d, std::uint64_t seed = 5)
      : store(open_store(d.folder)),
        loop(*store, *d.rows, {}, seed),
        contents(open_contents(d.folder, *store)),
        data_(d),
        index_(*d.rows),
        projections_(std::move(*projections::ProjectionSet::open(*d.views))),
        upkeep_(loop.worker,
                std::make_unique<workers::InlineUpkeepPort>(
                    workers::UpkeepJobs(*store, index_, *d.views, options())),
                random_, streams_.of<domain::SessionStream>()) {
    if (store->tail().value == 0) REQUIRE(loop.record(domain::StartServer{{}, 1, "test", 1}));
    upkeep_.begin(store->tail(), 1);
  }

  Position write(int number, const std::string& text) {
    const auto written = loop.ask(message(number, domain::WriteNote{text}));
    REQUIRE(written);
    return written->position;
  }
  workers::CommandOutcome erase_notes(int number, domain::VersionRanges events = {}) {
    return loop.ask(message(number, domain::EraseNotes{std::move(events)}));
  }
  // A session that has ended. Returns the position of its prompt.
  Position spawn_and_kill(int number) {
    REQUIRE(loop.ask(DrivenLoop::message(number, ++commands_, DrivenLoop::spawn())));
    Position prompt;
    for (const auto& event : loop.events) {
      if (event.event.is<domain::TurnQueued>()) prompt = event.envelope.position;
    }
    REQUIRE(loop.ask(
        DrivenLoop::message(number, ++commands_, support::as_command(domain::KillSession{}))));
    return prompt;
  }
  void erase_session(int number) {
    REQUIRE(loop.ask(
        DrivenLoop::message(number, ++commands_, support::as_command(domain::EraseContent{}))));
  }
  void feed() { feed_all(*contents, *store); }

  // Runs upkeep for a while. Nothing may be completed while the index finds `erased`.
  void run(std::string_view erased, Duration time = std::chrono::seconds(2),
           Duration pace = std::chrono::milliseconds(10)) {
    for (Duration until = Duration{data_.now_us} + time; Duration{data_.now_us} < until;) {
      data_.now_us += pace.count();
      loop.set_time(data_.now_us);
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) upkeep_.on_durable(loop.events[told_]);
      REQUIRE(projections_.catch_up(*store, store->tail(), 1000));
      upkeep_.do_work({Time{data_.now_us}, Time{data_.now_us}, Duration{data_.now_us},
                       loop.sequencer.durable(), true, flight_});
      if (completed() > 0 && !erased.empty()) REQUIRE(found(*contents, erased).empty());
    }
  }
  std::size_t completed() const {
    return static_cast<std::size_t>(
        std::count_if(loop.events.begin(), loop.events.end(), [](const auto& event) {
          return event.event.template is<domain::ContentErasureCompleted>();
        }));
  }
  std::vector<projections::PendingErasure> pending() const {
    return *projections::pending_erasures(*data_.views, 10);
  }
  const std::optional<base::Error>& fault() const { return upkeep_.fault(); }

  // Removes a text from the log's files, without a record of it.
  void remove(const std::string& stream, domain::VersionRanges events) {
    eventlog::ScrubScope scope;
    REQUIRE(eventlog::erase_content(*store, index_, stream, events, scope));
    REQUIRE(store->scrub(scope));
  }
  workers::UpkeepOutcome run_job(const workers::UpkeepJob& job) {
    REQUIRE(projections_.catch_up(*store, store->tail(), 1000));
    return workers::UpkeepJobs(*store, index_, *data_.views, options()).run(job);
  }

  std::unique_ptr<eventlog::BlockStore> store;
  DrivenLoop loop;
  std::unique_ptr<ContentSet> contents;

 private:
  workers::UpkeepOptions options() const {
    workers::UpkeepOptions options;
    options.copies = contents->copies();
    return options;
  }
  DrivenLoop::Message message(int number, NoteCommand command) {
    return DrivenLoop::message(number, ++commands_, std::move(command));
  }

  DataFolder& data_;
  int commands_ = 100;
  base::SeededRandom random_{9};
  workers::FlightRecorder flight_;
  eventlog::StreamIndex index_;
  projections::ProjectionSet projections_;
  workers::StreamsUnderWay streams_;
  workers::Upkeep upkeep_;
  std::size_t told_ = 0;
};

TEST_CASE("a content index finds the texts of all aggregates, as they come and built anew",
          "[toy]") {
  DataFolder data;
  Life life(data);
  const Position prompt = life.spawn_and_kill(1);
  const Position milk = life.write(kPage, "remember the milk");
  life.feed();
  CHECK(found(*life.contents, "milk") == std::vector{milk});
  CHECK(found(*life.contents, kSessionWord) == std::vector{prompt});
  const Position more = life.write(kPage, "more milk");
  CHECK(found(*life.contents, "milk") == std::vector{milk});
  life.feed();
  CHECK(found(*life.contents, "milk") == std::vector{milk, more});
  CHECK(rows_of(*life.contents) == rows_built_anew(*life.store));
  const auto status = life.contents->status();
  REQUIRE(status.size() == projections::all_content_indexes().size());
  CHECK(status[0].name == "words");
  CHECK(status[0].position == life.store->tail());
  CHECK_FALSE(status[0].failed);
}

TEST_CASE("a content index is fed beside the queries", "[toy]") {
  DataFolder data;
  Life life(data);
  eventlog::StreamIndex index(*data.rows);
  workers::QueryServiceOptions options;
  options.contents = life.contents.get();
  workers::QueryService service({}, *life.store, *data.views,
                                std::move(*projections::ProjectionSet::open(*data.views)), index,
                                std::move(options));
  const auto is_inline = GENERATE(true, false);
  const auto port = is_inline ? std::make_unique<workers::InlineQueryPort>(service)
                              : workers::make_thread_query_port(service);
  for (const std::string word : {"milk", "bread"}) {
    const Position at = life.write(kPage, word);
    port->submit({{}, {}, {}, {}, life.store->tail()});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (found(*life.contents, word).empty()) {
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      pollfd wake{port->wake_fd(), POLLIN, 0};
      ::poll(&wake, 1, 1000);
      while (port->poll()) {
      }
    }
    CHECK(found(*life.contents, word) == std::vector{at});
  }
}

TEST_CASE("a query port asks for another try when a content index fails, and feeds the others",
          "[toy]") {
  DataFolder data;
  Life life(data);
  const std::string folder = data.folder.root + "/indexes";
  const projections::ContentIndexKind broken{
      "broken", 1,
      [](const std::string&,
         eventlog::Disk&) -> base::Result<std::unique_ptr<projections::ContentIndex>> {
        return base::failure(base::ErrorCode::io, "the disk is gone");
      }};
  // So small steps that one would not do.
  auto set = ContentSet::open(folder, *life.store, {eventlog::system_disk(), {}, 1},
                              {&broken, &projections::kWordIndex});
  REQUIRE(set);
  const Position bread = life.write(kPage, "bread");
  const Position milk = life.write(kPage, "milk");
  eventlog::StreamIndex index(*data.rows);
  workers::QueryServiceOptions options;
  options.contents = set->get();
  workers::QueryService service({}, *life.store, *data.views,
                                std::move(*projections::ProjectionSet::open(*data.views)), index,
                                std::move(options));
  const auto is_inline = GENERATE(true, false);
  const auto port = is_inline ? std::make_unique<workers::InlineQueryPort>(service)
                              : workers::make_thread_query_port(service);
  port->submit({{}, {}, {}, {}, life.store->tail()});
  bool is_behind = false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!is_behind) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    pollfd wake{port->wake_fd(), POLLIN, 0};
    ::poll(&wake, 1, 1000);
    while (const auto answer = port->poll()) is_behind |= answer->is_behind;
  }
  CHECK(found(**set, "bread") == std::vector{bread});
  CHECK(found(**set, "milk") == std::vector{milk});
  CHECK((*set)->status()[0].failed);
  CHECK_FALSE((*set)->status()[1].failed);
}

TEST_CASE("a folder that holds no content indexes is not taken for one", "[toy]") {
  DataFolder data;
  std::ofstream(data.folder.content()) << "not a folder";
  auto store = open_store(data.folder);
  CHECK_FALSE(ContentSet::open(data.folder.content(), *store));
}

TEST_CASE("an erasure is completed only when the content index has lost the text", "[toy]") {
  DataFolder data;
  Life life(data);
  life.spawn_and_kill(1);
  const Position bread = life.write(kPage, "buy bread");
  const Position milk = life.write(kPage + 1, "remember the milk");
  const bool is_fed = GENERATE(true, false);
  if (is_fed) life.feed();
  SECTION("of a session") {
    life.erase_session(1);
    life.run(kSessionWord);
    CHECK(life.completed() == 1);
    life.feed();
    CHECK(found(*life.contents, kSessionWord).empty());
    CHECK(support::files_with(data.folder.root, "work on it").empty());
    CHECK(found(*life.contents, "milk") == std::vector{milk});
  }
  SECTION("of another aggregate's stream") {
    REQUIRE(life.erase_notes(kPage + 1));
    life.run("milk");
    CHECK(life.completed() == 1);
    CHECK(life.pending().empty());
    life.feed();
    CHECK(found(*life.contents, "milk").empty());
    CHECK(support::files_with(data.folder.root, "milk").empty());
    CHECK(found(*life.contents, "bread") == std::vector{bread});
    CHECK(found(*life.contents, kSessionWord).size() == 1);
  }
  // An erased text is not found again by an index that is built anew.
  CHECK(rows_of(*life.contents) == rows_built_anew(*life.store));
}

TEST_CASE("an aggregate says which of its texts cannot be erased yet", "[toy]") {
  DataFolder data;
  Life life(data);
  life.write(kPage, "one");
  life.write(kPage, "two");
  const auto refused = life.erase_notes(kPage, {{{2}, {2}}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == domain::RejectionCode::content_in_use);
  const auto unknown = life.erase_notes(kPage, {{{1}, {9}}});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().text == "the page of 2 notes has events 1 to 2, not 1 to 9");
  REQUIRE(life.erase_notes(kPage, {{{1}, {1}}}));
  life.run("");
  const auto erasures = projections::read_erasures(*data.views, kPageStream);
  REQUIRE(erasures);
  REQUIRE(erasures->size() == 1);
  CHECK((*erasures)[0].events == domain::VersionRanges{{{1}, {1}}});
  CHECK((*erasures)[0].completed_at.us > 0);
  const auto* page = life.loop.worker.find<NoteStream>(kPageStream);
  REQUIRE(page != nullptr);
  CHECK(page->inconsistent.value == 0);
  CHECK(page->contents.erasure == page->contents.erasure_completed);
}

TEST_CASE("an erasure that its server did not complete is completed by the next one", "[toy]") {
  DataFolder data;
  {
    Life life(data);
    life.write(kPage, "remember the milk");
    life.feed();
    REQUIRE(life.erase_notes(kPage));
    SECTION("before anything was done") {}
    SECTION("between the log and the index") {
      life.remove(kPageStream, {{{1}, {1}}});
    }
    SECTION("between the index and the record") {
      const auto outcome = life.run_job({life.store->tail(), {}, {}});
      CHECK(outcome.erased.size() == 1);
    }
    CHECK(life.completed() == 0);
  }
  Life next(data, 6);
  next.run("milk");
  CHECK(next.completed() == 1);
  CHECK(support::files_with(data.folder.root, "milk").empty());
}

TEST_CASE("a content index that cannot be reached keeps erasures from being completed", "[toy]") {
  DataFolder data;
  Life life(data);
  life.write(kPage, "remember the milk");
  std::ofstream(data.folder.content()) << "not a folder";
  REQUIRE(life.erase_notes(kPage));
  life.run("");
  CHECK(life.completed() == 0);
  REQUIRE(life.fault());
  CHECK_THAT(life.fault()->text, Catch::Contains("content index words is not reached"));
  std::filesystem::remove(data.folder.content());
  life.run("milk", std::chrono::minutes(3), std::chrono::seconds(1));
  CHECK(life.completed() == 1);
  CHECK_FALSE(life.fault());
}

// A closed log with texts, and an index of it.
struct BuiltIndex {
  DataFolder data;
  std::vector<std::pair<base::Bytes, base::Bytes>> rows;

  BuiltIndex() {
    Life life(data);
    life.spawn_and_kill(1);
    for (const char* text : {"remember the milk", "buy bread", "the bread is gone"}) {
      life.write(kPage, text);
    }
    life.feed();
    rows = rows_of(*life.contents);
  }
  std::string index() const { return data.folder.content() + "/words"; }
};

TEST_CASE("a content index that cannot be used is built anew, to the same rows", "[toy]") {
  BuiltIndex built;
  const std::string index = built.index();
  bool is_told = true;
  SECTION("of which a file is missing") {
    for (const auto& entry : std::filesystem::directory_iterator(index)) {
      if (entry.path().extension() == ".sst") std::filesystem::remove(entry.path());
    }
  }
  SECTION("of which files are cut") {
    for (const auto& entry : std::filesystem::directory_iterator(index)) {
      if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 1);
    }
  }
  SECTION("in whose place is a file") {
    std::filesystem::remove_all(index);
    std::ofstream(index) << "not a folder";
  }
  SECTION("that is not there") {
    std::filesystem::remove_all(built.data.folder.content());
    is_told = false;
  }
  SECTION("of another schema") {
    static projections::ContentIndexKind earlier = projections::kWordIndex;
    earlier.schema = 7;
    const auto store = open_store(built.data.folder);
    auto set = ContentSet::open(built.data.folder.content(), *store, {}, {&earlier});
    REQUIRE(set);
    feed_all(**set, *store);
  }
  const auto store = open_store(built.data.folder);
  projections::ContentOptions options;
  std::vector<std::string> told;
  options.on_rebuilt = [&](std::string_view folder, const base::Error&) {
    told.emplace_back(folder);
  };
  const auto contents = open_contents(built.data.folder, *store, options);
  feed_all(*contents, *store);
  CHECK(rows_of(*contents) == built.rows);
  CHECK(told == (is_told ? std::vector<std::string>{"content/words"} : std::vector<std::string>{}));
}

TEST_CASE("a content index that is ahead of its log, or of another one, is built anew", "[toy]") {
  BuiltIndex built;
  support::TempFolder temp;
  const eventlog::LogFolder older{temp.file("older")};
  DataFolder other;
  SECTION("ahead") {
    std::filesystem::create_directories(older.root);
    std::filesystem::copy(built.data.folder.root, older.root,
                          std::filesystem::copy_options::recursive);
    {
      Life life(built.data, 6);
      life.write(kPage, "later words");
      life.feed();
    }
    std::filesystem::remove_all(older.content());
    std::filesystem::copy(built.data.folder.content(), older.content(),
                          std::filesystem::copy_options::recursive);
    const auto store = open_store(older);
    const auto contents = open_contents(older, *store);
    CHECK(found(*contents, "later").empty());
    feed_all(*contents, *store);
    CHECK(rows_of(*contents) == built.rows);
  }
  SECTION("of another log") {
    {
      Life life(other, 77);
      life.write(kPage, "other words");
    }
    std::filesystem::copy(built.data.folder.content(), other.folder.content(),
                          std::filesystem::copy_options::recursive);
    const auto store = open_store(other.folder);
    const auto contents = open_contents(other.folder, *store);
    feed_all(*contents, *store);
    CHECK(found(*contents, "milk").empty());
    CHECK(found(*contents, "other").size() == 1);
  }
}

TEST_CASE("a content index goes on where a trimmed log begins", "[toy]") {
  BuiltIndex built;
  const auto store = open_store(built.data.folder);
  const Position bread = found(*open_contents(built.data.folder, *store), "buy").front();
  REQUIRE(store->trim_before(bread));
  SECTION("with what it has of the beginning") {
    const auto contents = open_contents(built.data.folder, *store);
    feed_all(*contents, *store);
    CHECK(rows_of(*contents) == built.rows);
  }
  SECTION("without the beginning, if it is built anew") {
    std::filesystem::remove_all(built.data.folder.content());
    const auto contents = open_contents(built.data.folder, *store);
    feed_all(*contents, *store);
    CHECK(found(*contents, "milk").empty());
    CHECK(found(*contents, "bread").size() == 2);
  }
}

TEST_CASE("texts of indexes that this release has not are removed", "[toy]") {
  BuiltIndex built;
  const std::string foreign = built.data.folder.content() + "/earlier";
  std::filesystem::create_directories(foreign);
  std::ofstream(foreign + "/file") << "remember the milk";
  const auto store = open_store(built.data.folder);
  const auto contents = open_contents(built.data.folder, *store);
  CHECK_FALSE(std::filesystem::exists(foreign));
  CHECK(rows_of(*contents) == built.rows);
}

// ---- a process that is killed at a commit ----

constexpr const char* kChildFolder = "STENO_TOY_FOLDER";
constexpr const char* kChildPoint = "STENO_TOY_POINT";
int points_left = 0;

void count_down() {
  if (--points_left == 0) std::raise(SIGKILL);
}

// Feeds the index, then erases the first note from the log and from the index, as upkeep does.
void feed_and_erase(const eventlog::LogFolder& folder) {
  const auto store = open_store(folder);
  const auto rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index(*rows);
  REQUIRE(index.catch_up(*store, store->tail()));
  const auto contents = open_contents(folder, *store);
  feed_all(*contents, *store);
  const std::vector<eventlog::LaterErasure> erasures{{kPageStream, {{{1}, {1}}}}};
  eventlog::ScrubScope scope;
  REQUIRE(eventlog::erase_content(*store, index, kPageStream, erasures[0].events, scope));
  REQUIRE(store->scrub(scope));
  for (eventlog::ErasableCopy* copy : contents->copies()) {
    const auto outcomes = copy->erase(erasures);
    REQUIRE(outcomes);
    for (const auto& outcome : *outcomes) REQUIRE(outcome);
    REQUIRE(copy->scrub());
  }
}

TEST_CASE("feeds and erases until it is killed", "[.toy_child]") {
  const char* folder = std::getenv(kChildFolder);
  const char* point = std::getenv(kChildPoint);
  if (folder == nullptr || point == nullptr) return;
  points_left = std::atoi(point);
  projections::at_word_index_commit = count_down;
  feed_and_erase({folder});
}

// Returns true if it was killed, false if it came to its end.
bool run_child(const std::string& folder, int point) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv(kChildFolder, folder.c_str(), 1);
    setenv(kChildPoint, std::to_string(point).c_str(), 1);
    execl("/proc/self/exe", "test_toy", "feeds and erases until it is killed", nullptr);
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) {
    REQUIRE(WTERMSIG(status) == SIGKILL);
    return true;
  }
  REQUIRE(WEXITSTATUS(status) == 0);
  return false;
}

TEST_CASE("wherever a content index's process is killed, the next one makes the same rows",
          "[toy]") {
  DataFolder data;
  {
    Life life(data);
    life.write(kPage, "remember the milk");
    life.spawn_and_kill(1);
    life.write(kPage, "buy bread");
  }
  std::vector<std::pair<base::Bytes, base::Bytes>> expected;
  int kills = 0;
  for (bool is_killed = true; is_killed; ++kills) {
    support::TempFolder temp;
    const eventlog::LogFolder folder{temp.file("data")};
    std::filesystem::create_directories(folder.root);
    std::filesystem::copy(data.folder.root, folder.root, std::filesystem::copy_options::recursive);
    is_killed = run_child(folder.root, kills + 1);
    INFO("killed at commit point " << kills + 1);
    feed_and_erase(folder);
    CHECK(support::files_with(folder.root, "milk").empty());
    const auto store = open_store(folder);
    const auto contents = open_contents(folder, *store);
    feed_all(*contents, *store);
    if (expected.empty()) expected = rows_built_anew(*store);
    CHECK(rows_of(*contents) == expected);
    CHECK(found(*contents, "bread").size() == 1);
  }
  CHECK(kills > 8);
}

// ---- copies of a log with texts of another aggregate ----

void check_whole(const eventlog::LogFolder& folder, const domain::ContentErased& expected) {
  const auto store = open_store(folder);
  const auto report = eventlog::verify_log(*store, std::nullopt);
  for (const auto& problem : report.problems) UNSCOPED_INFO(problem.text);
  CHECK(report.problems.empty());
  domain::NoteState page;
  std::vector<domain::ContentErased> erased;
  const auto events = eventlog::read_events(*store, {1}, store->tail(), {SIZE_MAX, true});
  REQUIRE(events);
  for (const auto& event : *events) {
    if (event.envelope.stream != kPageStream) continue;
    evolve(page, event.envelope, event.event);
    if (const auto* one = event.event.as<domain::ContentErased>()) erased.push_back(*one);
  }
  CHECK(page.inconsistent.value == 0);
  CHECK(erased == std::vector{expected});
}

TEST_CASE("an erasure of any stream reaches a backup, and is on the record of what is restored",
          "[toy]") {
  DataFolder data;
  Life life(data);
  life.write(kPage, "remember the milk");
  life.write(kPage, "buy bread");
  const std::string copy = data.temp.file("copy");
  REQUIRE(eventlog::make_backup(*life.store, copy, {1}));
  const Position through = life.store->tail();
  REQUIRE_FALSE(support::files_with(copy, "milk").empty());
  REQUIRE(life.erase_notes(kPage, {{{1}, {1}}}));
  workers::UpkeepJob job{life.store->tail(), {}, {}};
  job.backups["copy"] = {copy, {1}, through};
  const auto outcome = life.run_job(job);
  if (outcome.error) FAIL(base::describe(*outcome.error));
  CHECK(outcome.erased == std::vector{projections::PendingErasure{kPageStream, {3}}});
  CHECK(support::files_with(copy, "milk").empty());
  base::SeededRandom random(3);
  const eventlog::LogFolder restored{data.temp.file("restored")};
  const auto made = eventlog::restore_backup(copy, restored.root, random);
  if (!made) FAIL(base::describe(made.error()));
  check_whole(restored, {{{{1}, {1}}}, domain::ErasureReason::requested});
  CHECK_FALSE(support::files_with(restored.root, "bread").empty());
}

TEST_CASE("a lost text of any stream is on the record of the log that is salvaged", "[toy]") {
  DataFolder data;
  {
    Life life(data);
    life.write(kPage, "remember the milk");
    life.write(kPage, "buy bread");
    life.remove(kPageStream, {{{1}, {1}}});
    REQUIRE_FALSE(eventlog::verify_log(*life.store, std::nullopt).problems.empty());
  }
  base::SeededRandom random(3);
  const eventlog::LogFolder salvaged{data.temp.file("salvaged")};
  eventlog::SalvageOptions options;
  options.to = salvaged.root;
  options.take_rest = [](const eventlog::RestBlock&) { return base::Result<void>(); };
  const auto made = eventlog::salvage_log(data.folder.root, options, random);
  if (!made) FAIL(base::describe(made.error()));
  CHECK(made->contents_lost.size() == 1);
  check_whole(salvaged, {{{{1}, {1}}}, domain::ErasureReason::lost});
}

}  // namespace
