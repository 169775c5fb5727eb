// Upkeep: erasures are completed only when no file holds the text, survive restarts, and reach
// backups and archives. Content expires as the rules say.
#include "workers/reactors/upkeep.hpp"

#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "projections/projections.hpp"
#include "projections/views/session_list.hpp"
#include "tests/support/driven_loop.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/searched_files.hpp"
#include "tests/support/temp_folder.hpp"
#include "workers/queries/query_service.hpp"

namespace workers {
namespace {

using base::Duration;
using base::Time;
using domain::RecordedEvent;
using std::chrono::hours;
using std::chrono::minutes;
using support::DrivenLoop;

// A store that reports for a while that a reader holds its files.
class BusyStore final : public support::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  base::Result<void> scrub(const eventlog::ScrubScope&) override {
    if (busy > 0) {
      --busy;
      return base::failure(base::ErrorCode::busy, "somebody reads");
    }
    ++scrubs;
    return {};
  }

  int busy = 0;
  int scrubs = 0;
};

// A copy of texts that keeps those of some streams, or cannot be reached.
class HandCopy final : public eventlog::ErasableCopy {
 public:
  std::string name() const override { return "hand copy"; }
  base::Result<std::vector<base::Result<void>>> erase(
      const std::vector<eventlog::LaterErasure>& erasures) override {
    if (is_away) return base::failure(base::ErrorCode::not_found, "it is away");
    std::vector<base::Result<void>> outcomes;
    for (const eventlog::LaterErasure& one : erasures) {
      const bool is_kept = kept.contains(one.stream);
      if (!is_kept) unscrubbed.insert(one.stream);
      outcomes.push_back(is_kept ? base::failure(base::ErrorCode::damaged, "it keeps this")
                                 : base::Result<void>());
    }
    return outcomes;
  }
  base::Result<void> scrub() override {
    if (!can_scrub) return base::failure(base::ErrorCode::io, "it cannot be scrubbed");
    erased.merge(std::exchange(unscrubbed, {}));
    return {};
  }

  bool is_away = false;
  bool can_scrub = true;
  std::set<std::string> kept;
  std::set<std::string> erased;

 private:
  std::set<std::string> unscrubbed;
};

// The parts that survive the server's restarts.
struct ErasureWorld {
  eventlog::MemoryStore memory;
  BusyStore store{memory};
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  std::unique_ptr<eventlog::KeyValueStore> views = eventlog::make_memory_key_value_store();
  KeepFor keep_for;
  HandCopy copy;
  HandCopy other_copy;
  std::int64_t now_us = 1'000'000;

  UpkeepOptions options() {
    UpkeepOptions options;
    options.keep_for = keep_for;
    options.copies = {&copy, &other_copy};
    return options;
  }
};

class ErasureLife {
 public:
  explicit ErasureLife(ErasureWorld& w, CommandLoopOptions options = {})
      : loop(w.store, *w.rows, options),
        world_(w),
        index_(*w.rows),
        projections_(std::move(*projections::ProjectionSet::open(*w.views))),
        upkeep_(loop.worker,
                std::make_unique<InlineUpkeepPort>(
                    UpkeepJobs(w.store, index_, *w.views, w.options())),
                random_, streams_.of<domain::SessionStream>()) {
    if (w.store.tail().value == 0) begin_log();
    upkeep_.begin(w.store.tail(), 1);
  }

  // Runs for `time`, one step every `pace`.
  void run(Duration time, Duration pace) {
    for (Duration until = Duration{world_.now_us} + time; Duration{world_.now_us} < until;) {
      world_.now_us += pace.count();
      loop.set_time(world_.now_us);
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) upkeep_.on_durable(loop.events[told_]);
      REQUIRE(projections_.catch_up(world_.store, world_.store.tail(), 1000));
      upkeep_.do_work({Time{world_.now_us}, Time{world_.now_us}, Duration{world_.now_us},
                       loop.sequencer.durable(), true, flight_});
      const bool is_done = !of_type<domain::ContentErasureCompleted>().empty();
      if (is_done && world_.store.scrubs == 0) FAIL("completed before the files were scrubbed");
    }
  }
  void run_shortly() { run(std::chrono::seconds(10), std::chrono::milliseconds(10)); }

  // Spawns and kills a session that never had an agent process.
  void spawn_and_kill(int number) {
    REQUIRE(loop.ask(DrivenLoop::message(number, number * 10, DrivenLoop::spawn())));
    REQUIRE(loop.ask(
        DrivenLoop::message(number, number * 10 + 1, support::as_command(domain::KillSession{}))));
  }
  CommandOutcome erase(int number) {
    return loop.ask(
        DrivenLoop::message(number, number * 10 + 2, support::as_command(domain::EraseContent{})));
  }

  template <class E>
  std::vector<RecordedEvent> of_type() const {
    std::vector<RecordedEvent> found;
    for (const RecordedEvent& event : loop.events) {
      if (event.event.is<E>()) found.push_back(event);
    }
    return found;
  }
  projections::SessionRow row(int number) {
    return **projections::get_session(*world_.views, "main",
                                      support::numbered<base::SessionId>(number));
  }
  std::string prompt(int number) {
    const auto content = eventlog::read_content(world_.store, row(number).prompt);
    if (!content) return "error: " + content.error().text;
    return *content ? (*content)->text : "";
  }
  const std::optional<base::Error>& fault() const { return upkeep_.fault(); }

  DrivenLoop loop;

 private:
  void begin_log() { REQUIRE(loop.record(domain::StartServer{{}, 1, "test", 1})); }

  ErasureWorld& world_;
  base::SeededRandom random_{9};
  FlightRecorder flight_;
  eventlog::StreamIndex index_;
  projections::ProjectionSet projections_;
  StreamsUnderWay streams_;
  Upkeep upkeep_;
  std::size_t told_ = 0;
};

TEST_CASE("an erasure is completed only when no file holds the text", "[workers]") {
  ErasureWorld world;
  world.store.busy = 3;
  ErasureLife life(world);
  life.spawn_and_kill(1);
  life.spawn_and_kill(2);
  REQUIRE(life.erase(1));
  life.run_shortly();
  CHECK(world.store.busy == 0);
  const auto done = life.of_type<domain::ContentErasureCompleted>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].envelope.actor_kind == domain::ActorKind::server);
  CHECK(life.row(1).is_erased);
  CHECK_FALSE(life.row(1).is_erasing);
  CHECK(life.prompt(1).empty());
  CHECK(life.prompt(2) == "work on it");
  CHECK_FALSE(life.row(2).is_erased);
  CHECK_FALSE(life.fault());
}

TEST_CASE("what says who erased something and when is kept", "[workers]") {
  ErasureWorld world;
  ErasureLife life(world);
  life.spawn_and_kill(1);
  REQUIRE(life.erase(1));
  life.run_shortly();
  const auto erasures = *projections::read_erasures(
      *world.views, domain::session_stream("main", support::numbered<base::SessionId>(1)));
  REQUIRE(erasures.size() == 1);
  CHECK(erasures[0].actor == "tester");
  CHECK(erasures[0].actor_kind == domain::ActorKind::client);
  CHECK(erasures[0].reason == domain::ErasureReason::requested);
  CHECK(domain::contains(erasures[0].events, {2}));
  CHECK(erasures[0].at.us > 0);
  CHECK(erasures[0].completed_at >= erasures[0].at);
}

TEST_CASE("an erasure that a server left undone is completed by the next one", "[workers]") {
  ErasureWorld world;
  {
    ErasureLife life(world);
    life.spawn_and_kill(1);
    REQUIRE(life.erase(1));
    SECTION("before anything was done") {}
    SECTION("while the files could not be scrubbed") {
      world.store.busy = 1'000'000;
      life.run_shortly();
      CHECK(life.prompt(1).empty());
      CHECK(life.row(1).is_erasing);
      REQUIRE(life.fault());
      CHECK(life.fault()->code == base::ErrorCode::busy);
    }
  }
  world.store.busy = 0;
  ErasureLife next(world);
  next.run_shortly();
  CHECK(next.of_type<domain::ContentErasureCompleted>().size() == 1);
  CHECK(next.prompt(1).empty());
  CHECK_FALSE(next.row(1).is_erasing);
}

TEST_CASE("a text that cannot be erased does not keep others", "[workers]") {
  ErasureWorld world;
  ErasureLife life(world);
  life.spawn_and_kill(1);
  life.spawn_and_kill(2);
  // Damages the content block of the first session's first event.
  REQUIRE(world.store.replace_content(life.of_type<domain::SessionOpened>()[0].envelope.position,
                                      "nonsense"));
  REQUIRE(life.erase(1));
  REQUIRE(life.erase(2));
  life.run_shortly();
  CHECK(life.row(1).is_erasing);
  CHECK_FALSE(life.row(2).is_erasing);
  CHECK(life.prompt(2).empty());
  CHECK(life.fault());
}

TEST_CASE("however many texts cannot be erased, later ones are", "[workers]") {
  ErasureWorld world;
  ErasureLife life(world);
  constexpr int kFailing = static_cast<int>(kErasuresMax) + 6;
  for (int number = 1; number <= kFailing + 1; ++number) life.spawn_and_kill(number);
  const auto opened = life.of_type<domain::SessionOpened>();
  for (int i = 0; i < kFailing; ++i) {
    const Position position = opened[static_cast<std::size_t>(i)].envelope.position;
    REQUIRE(world.store.replace_content(position, "nonsense"));
  }
  for (int number = 1; number <= kFailing + 1; ++number) REQUIRE(life.erase(number));
  life.run_shortly();
  CHECK(life.row(1).is_erasing);
  CHECK(life.row(kFailing).is_erasing);
  CHECK_FALSE(life.row(kFailing + 1).is_erasing);
  CHECK(life.prompt(kFailing + 1).empty());
  REQUIRE(life.fault());
  CHECK_THAT(life.fault()->text, Catch::Contains("main/" + life.row(1).alias));
  CHECK_THAT(life.fault()->text, Catch::Contains("and " + std::to_string(kFailing - 5) + " more"));
}

TEST_CASE("nothing is completed while a copy of texts is not reached", "[workers]") {
  ErasureWorld world;
  ErasureLife life(world);
  life.spawn_and_kill(1);
  const std::string stream = domain::session_stream("main", support::numbered<base::SessionId>(1));
  SECTION("because it is away") {
    world.copy.is_away = true;
  }
  SECTION("because its files keep the text") {
    world.copy.can_scrub = false;
  }
  REQUIRE(life.erase(1));
  life.run_shortly();
  CHECK(life.row(1).is_erasing);
  CHECK(world.other_copy.erased == std::set{stream});  // the others are reached all the same
  REQUIRE(life.fault());
  CHECK_THAT(life.fault()->text, Catch::StartsWith("hand copy is not reached by erasures: it "));
  world.copy.is_away = false;
  world.copy.can_scrub = true;
  life.run(minutes(2), std::chrono::seconds(1));
  CHECK_FALSE(life.row(1).is_erasing);
  CHECK(world.copy.erased == std::set{stream});
  CHECK_FALSE(life.fault());
}

TEST_CASE("a text that one copy keeps does not hold up others", "[workers]") {
  ErasureWorld world;
  ErasureLife life(world);
  world.copy.kept = {domain::session_stream("main", support::numbered<base::SessionId>(1))};
  for (const int number : {1, 2, 3}) {
    life.spawn_and_kill(number);
    REQUIRE(life.erase(number));
  }
  life.run_shortly();
  CHECK(life.row(1).is_erasing);
  CHECK_FALSE(life.row(2).is_erasing);
  CHECK_FALSE(life.row(3).is_erasing);
  REQUIRE(life.fault());
  CHECK_THAT(life.fault()->text, Catch::Contains("erasing main/" + life.row(1).alias + " fails"));
  CHECK_THAT(life.fault()->text, Catch::Contains("hand copy is not reached by erasures"));
  world.copy.kept.clear();
  life.run(minutes(3), std::chrono::seconds(1));
  CHECK_FALSE(life.row(1).is_erasing);
  CHECK_FALSE(life.fault());
}

TEST_CASE("a text that can be erased again is, after a while", "[workers]") {
  ErasureWorld world;
  ErasureLife life(world);
  life.spawn_and_kill(1);
  const Position opened = life.of_type<domain::SessionOpened>()[0].envelope.position;
  const auto content = world.store.read(opened, 1, true)->front().content;
  REQUIRE(world.store.replace_content(opened, "nonsense"));
  REQUIRE(life.erase(1));
  life.run_shortly();
  REQUIRE(life.fault());
  REQUIRE(world.store.replace_content(opened, content));
  life.run(minutes(2), std::chrono::seconds(1));
  CHECK_FALSE(life.row(1).is_erasing);
  CHECK_FALSE(life.fault());
}

TEST_CASE("what finds the inbox full when it is to be recorded is recorded soon", "[workers]") {
  ErasureWorld world;
  CommandLoopOptions options;
  options.inbox_max = 1;
  ErasureLife life(world, options);
  for (int number = 1; number <= 3; ++number) {
    life.spawn_and_kill(number);
    REQUIRE(life.erase(number));
  }
  life.run_shortly();
  CHECK(life.of_type<domain::ContentErasureCompleted>().size() == 3);
}

TEST_CASE("an ended session's text is kept for as long as the rules say", "[workers]") {
  ErasureWorld world;
  world.keep_for = {hours(1), hours(1), hours(10)};
  ErasureLife life(world);
  life.spawn_and_kill(1);
  REQUIRE(life.loop.ask(DrivenLoop::message(2, 20, DrivenLoop::spawn())));
  life.run(hours(10) - minutes(1), minutes(1));
  CHECK(life.of_type<domain::ContentErased>().empty());
  CHECK(life.prompt(1) == "work on it");
  life.run(minutes(5), std::chrono::seconds(5));
  const auto erased = life.of_type<domain::ContentErased>();
  REQUIRE(erased.size() == 1);
  CHECK(erased[0].event.get<domain::ContentErased>().reason == domain::ErasureReason::retention);
  CHECK(erased[0].envelope.actor_kind == domain::ActorKind::server);
  CHECK(life.of_type<domain::ContentErasureCompleted>().size() == 1);
  CHECK(life.prompt(1).empty());
  // A live session is not touched, however old it is, and nothing is erased twice.
  life.run(hours(40), minutes(30));
  CHECK(life.of_type<domain::ContentErased>().size() == 1);
  CHECK(life.prompt(2) == "work on it");
}

TEST_CASE("without rules nothing is erased", "[workers][C25]") {
  ErasureWorld world;
  ErasureLife life(world);
  life.spawn_and_kill(1);
  life.run(hours(24 * 400), hours(6));
  CHECK(life.of_type<domain::ContentErased>().empty());
}

TEST_CASE("many sessions that expire at once are erased in portions", "[workers]") {
  ErasureWorld world;
  world.keep_for = {{}, {}, hours(1)};
  ErasureLife life(world);
  constexpr int kSessions = 150;
  for (int i = 1; i <= kSessions; ++i) life.spawn_and_kill(i);
  life.run(hours(1) + minutes(1), minutes(1));
  life.run_shortly();
  CHECK(life.of_type<domain::ContentErased>().size() == kSessions);
  CHECK(life.of_type<domain::ContentErasureCompleted>().size() == kSessions);
  CHECK(world.store.scrubs < kSessions / 10);
}

// A log on a disk, with a session that has ended and a backup of it.
struct OnDisk {
  OnDisk() {
    REQUIRE(log);
    REQUIRE(loop.record(domain::StartServer{{}, 1, "test", 1}));
    REQUIRE(loop.ask(DrivenLoop::message(1, 10, DrivenLoop::spawn())));
    REQUIRE(loop.ask(DrivenLoop::message(1, 11, support::as_command(domain::KillSession{}))));
    REQUIRE(eventlog::make_backup(**log, backup.folder, {1}));
    backup.through = (*log)->tail();
    REQUIRE(loop.ask(DrivenLoop::message(1, 12, support::as_command(domain::EraseContent{}))));
  }
  UpkeepOutcome run() {
    auto set = std::move(*projections::ProjectionSet::open(*views));
    REQUIRE(set.catch_up(**log, (*log)->tail(), 1000));
    eventlog::StreamIndex index(*rows);
    UpkeepJob job;
    if (is_archive) {
      job.archives["copy"] = {backup.folder, {1}, {1}, backup.through, is_trimmed};
    } else {
      job.backups["copy"] = backup;
    }
    return UpkeepJobs(**log, index, *views, {}).run(job);
  }

  support::TempFolder folder;
  base::Result<std::unique_ptr<eventlog::BlockStore>> log =
      eventlog::open_rocksdb_store({folder.file("log")});
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  std::unique_ptr<eventlog::KeyValueStore> views = eventlog::make_memory_key_value_store();
  DrivenLoop loop{**log, *rows};
  domain::NamedBackup backup{folder.file("copy"), {1}, {}};
  bool is_archive = false;
  bool is_trimmed = true;
};

void check_reached(OnDisk& disk, const std::string& unreached) {
  const std::string prompt = "work on it";
  REQUIRE_FALSE(support::files_with(disk.backup.folder, prompt).empty());
  SECTION("there") {
    const auto outcome = disk.run();
    if (outcome.error) FAIL(base::describe(*outcome.error));
    CHECK(outcome.erased.size() == 1);
    CHECK(support::files_with(disk.backup.folder, prompt).empty());
    CHECK(support::files_with(disk.folder.file("log"), prompt).empty());
  }
  SECTION("away") {
    const std::string away = disk.folder.file("away");
    std::filesystem::rename(disk.backup.folder, away);
    const auto outcome = disk.run();
    CHECK(outcome.erased.empty());
    REQUIRE(outcome.error);
    CHECK_THAT(outcome.error->text, Catch::Contains(unreached));
    std::filesystem::rename(away, disk.backup.folder);
    CHECK(disk.run().erased.size() == 1);
    CHECK(support::files_with(disk.backup.folder, prompt).empty());
  }
}

TEST_CASE("nothing counts as erased while the index has not come to it", "[workers]") {
  const std::string prompt = "work on it";
  OnDisk disk;
  const auto indexed = std::exchange(disk.rows, eventlog::make_memory_key_value_store());
  const auto behind = disk.run();
  CHECK(behind.erased.empty());
  REQUIRE(behind.error);
  CHECK_THAT(behind.error->text, Catch::Contains("stream index"));
  CHECK_FALSE(support::files_with(disk.folder.file("log"), prompt).empty());
  REQUIRE(eventlog::StreamIndex(*disk.rows).catch_up(**disk.log, (*disk.log)->tail()));
  CHECK(disk.run().erased.size() == 1);
  CHECK(support::files_with(disk.folder.file("log"), prompt).empty());
}

TEST_CASE("an erasure reaches into backups, and waits for those that are away", "[workers]") {
  OnDisk disk;
  check_reached(disk, "backup copy is not reached");
}

TEST_CASE("an erasure reaches into archives, and waits for those that are away", "[workers]") {
  OnDisk disk;
  disk.is_archive = true;
  check_reached(disk, "archive copy is not reached");
}

TEST_CASE("an erasure waits for a log that is half trimmed", "[workers]") {
  const std::string prompt = "work on it";
  OnDisk disk;
  disk.is_archive = true;
  disk.is_trimmed = false;
  {
    auto set = std::move(*projections::ProjectionSet::open(*disk.views));
    REQUIRE(set.catch_up(**disk.log, (*disk.log)->tail(), 1000));
  }
  REQUIRE((*disk.log)->trim_before(disk.backup.through.next()));
  const auto outcome = disk.run();
  CHECK(outcome.erased.empty());
  REQUIRE(outcome.error);
  CHECK(outcome.error->code == base::ErrorCode::busy);
  // The rest of the trim needs the text to know which chunks must go.
  CHECK_FALSE(support::files_with(disk.backup.folder, prompt).empty());
  disk.is_trimmed = true;
  CHECK(disk.run().erased.size() == 1);
  CHECK(support::files_with(disk.backup.folder, prompt).empty());
}

}  // namespace
}  // namespace workers
