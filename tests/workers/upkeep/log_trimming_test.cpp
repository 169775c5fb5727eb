// Trimming: the log's beginning moves into an archive as far as no live session needs it, rows can
// be rebuilt from the anchor's, and an interrupted archive is removed.
#include "workers/upkeep/log_trimming.hpp"

#include <fstream>

#include "eventlog/folder/open_log.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "projections/anchored_rows.hpp"
#include "tests/support/driven_loop.hpp"
#include "tests/support/searched_files.hpp"
#include "tests/support/temp_folder.hpp"
#include "workers/server/derived_stores.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;
using support::DrivenLoop;
using support::stream_of;

constexpr std::string_view kPrompt = "work on it";

// A log in a data folder, with everything that trims it.
struct TrimmedLog {
  TrimmedLog() {
    REQUIRE(log);
    record(domain::StartServer{{}, 1, "test", 1});
  }
  eventlog::BlockStore& store() { return **log; }
  void record(domain::ServerCommand command) { REQUIRE(loop.record(std::move(command))); }
  void spawn(int number) {
    REQUIRE(loop.ask(DrivenLoop::message(number, number * 10, DrivenLoop::spawn())));
  }
  void spawn_and_kill(int number) {
    spawn(number);
    REQUIRE(loop.ask(
        DrivenLoop::message(number, number * 10 + 1, support::as_command(domain::KillSession{}))));
  }
  // All events of a session.
  NeededEvents needed(int number) const {
    for (const auto& event : loop.events) {
      if (event.envelope.stream != stream_of(number)) continue;
      return {*domain::parse_stream(event.envelope.stream), event.envelope.position};
    }
    return {};
  }
  ArchiveOrder order() {
    ArchiveOrder wanted;
    wanted.name = "one";
    wanted.folder = archive;
    wanted.before = store().tail();
    wanted.durable = store().tail();
    return wanted;
  }
  LogTrimming trimming() { return {store(), index, root}; }
  // Archives what the order says and trims the log. Returns the archive's last position.
  Position move_away(const ArchiveOrder& wanted) {
    const auto made = trimming().archive(wanted, key);
    if (!made) FAIL(base::describe(made.error()));
    record(domain::RecordAnchor{made->anchor});
    const TrimOrder trim{wanted.name, wanted.folder, made->outcome.through, {}};
    const auto trimmed = trimming().trim(trim, *rows);
    if (!trimmed) FAIL(base::describe(trimmed.error()));
    return made->outcome.through;
  }
  workers::DerivedStoresOptions derived_options() {
    workers::DerivedStoresOptions options;
    options.read_base = [this]() -> base::Result<std::optional<eventlog::LogBase>> {
      return std::optional(base());
    };
    return options;
  }
  eventlog::LogBase base() {
    auto found = eventlog::read_base(root, store());
    if (!found) FAIL(base::describe(found.error()));
    REQUIRE(*found);
    return std::move(**found);
  }
  // Folds all projections and streams; returns an anchor over them.
  eventlog::Anchor fold(eventlog::KeyValueStore& into) {
    const auto folded = projections::fold_anchor(store(), store().tail(), into);
    if (!folded) FAIL(base::describe(folded.error()));
    return *folded;
  }

  support::TempFolder folder;
  const eventlog::LogFolder root{folder.file("data")};
  const std::string archive = folder.file("archive");
  const bool is_made = fs::create_directories(root.root);
  base::Result<std::unique_ptr<eventlog::BlockStore>> log =
      eventlog::open_rocksdb_store({root.log()});
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index{*rows};
  DrivenLoop loop{**log, *rows};
  base::SystemRandom random;
  base::SigningKey key{base::SigningKey::make_seed(random)};
};

TEST_CASE("a log is trimmed up to where the sessions that live begin", "[workers]") {
  TrimmedLog w;
  w.spawn_and_kill(1);
  const Position old = w.store().tail();
  w.spawn(2);
  w.spawn_and_kill(3);
  ArchiveOrder order = w.order();
  SECTION("one lives") {
    order.needed = {w.needed(2)};
    CHECK(w.move_away(order) == old);
    CHECK_FALSE(support::files_with(w.root.log(), kPrompt).empty());
  }
  SECTION("none does") {
    CHECK(w.move_away(order) > old);
  }
  SECTION("all do") {
    order.needed = {w.needed(1), w.needed(2)};
    const Position tail = w.store().tail();
    const auto made = w.trimming().archive(order, w.key);
    // Only the events before the first session are archived.
    REQUIRE(made);
    CHECK(made->outcome.through == Position{2});
    CHECK(w.store().first() == Position{1});
    CHECK(w.store().tail() == tail);
  }
}

TEST_CASE("an archive ends where the order says, at the end of a block", "[workers]") {
  TrimmedLog w;
  for (int i = 1; i <= 4; ++i) w.spawn_and_kill(i);
  ArchiveOrder order = w.order();
  SECTION("before a position") {
    order.before = {6};
    const auto made = w.trimming().archive(order, w.key);
    REQUIRE(made);
    CHECK(made->outcome.through < Position{6});
    CHECK(made->outcome.first == Position{1});
  }
  SECTION("before a time") {
    order.before = {};
    const auto events = *eventlog::read_events(w.store(), {8}, {8}, {});
    order.before_time = events.front().envelope.log_time;
    const auto made = w.trimming().archive(order, w.key);
    REQUIRE(made);
    CHECK(made->outcome.through < Position{8});
  }
  SECTION("before all there is") {
    order.before = {1};
    const auto made = w.trimming().archive(order, w.key);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == base::ErrorCode::invalid);
    CHECK_FALSE(fs::exists(w.archive));
    CHECK_FALSE(fs::exists(w.root.bases()));
  }
}

TEST_CASE("rows that are lost are built upon those that the anchor names", "[workers]") {
  TrimmedLog w;
  for (int i = 1; i <= 5; ++i) w.spawn_and_kill(i);
  w.move_away(w.order());
  w.spawn_and_kill(6);
  const auto whole = [&] {
    auto into = eventlog::make_memory_key_value_store();
    const auto opened = projections::open_anchored_rows(w.base());
    if (!opened) FAIL(base::describe(opened.error()));
    REQUIRE(projections::copy_all_anchored_rows(**opened, *into));
    return w.fold(*into).rows;
  };
  const auto rows = whole();
  // The server's own rows are all lost; it begins with those beside the anchor.
  auto index_rows = eventlog::make_memory_key_value_store();
  auto view_rows = eventlog::make_memory_key_value_store();
  const auto tail = *eventlog::read_tail(w.store());
  const auto side =
      open_derived_stores(w.store(), tail, *index_rows, *view_rows, w.derived_options());
  if (!side) FAIL(base::describe(side.error()));
  for (const int number : {1, 6}) {
    const auto loaded =
        eventlog::load_stream(w.store(), (*side)->index, (*side)->snapshots, stream_of(number));
    REQUIRE(loaded);
    const auto& state = std::get<domain::SessionState>(loaded->state);
    CHECK(state.status == domain::SessionStatus::killed);
  }
  SECTION("also where only what a server takes over is damaged") {
    const auto taken = (*side)->takeover.shared.at(std::string(domain::kAdmissionStream)).version;
    const auto taken_over = *view_rows->scan("takeover/", "takeover/", 100);
    REQUIRE_FALSE(taken_over.empty());
    for (const auto& row : taken_over) {
      eventlog::WriteBatch damage;
      damage.put(row.key, "\xC1");
      REQUIRE(view_rows->write(damage));
    }
    const auto again =
        open_derived_stores(w.store(), tail, *index_rows, *view_rows, w.derived_options());
    if (!again) FAIL(base::describe(again.error()));
    CHECK((*again)->takeover.shared.at(std::string(domain::kAdmissionStream)).version == taken);
  }
  SECTION("and upon no others, unless the archive is at hand to fold them anew") {
    const std::string kept = w.root.base(w.store().first().plus(-1)) + "/rows";
    {
      auto changed = *eventlog::open_rocksdb_key_value_store(kept);
      const auto row = changed->scan("session_list/", "session_list/", 1)->front();
      eventlog::WriteBatch batch;
      batch.remove(row.key);
      REQUIRE(changed->write(batch));
    }
    CHECK(whole() == rows);
    const std::string away = w.folder.file("away");
    fs::rename(w.archive, away);
    const auto refused = projections::open_anchored_rows(w.base());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == base::ErrorCode::damaged);
    CHECK_THAT(refused.error().text,
               Catch::Contains("archive one") && Catch::Contains("session_list"));
  }
}

TEST_CASE("rows that cannot be used are folded anew from all archives that there are",
          "[workers]") {
  TrimmedLog w;
  w.spawn_and_kill(1);
  w.move_away(w.order());
  w.spawn_and_kill(2);
  ArchiveOrder second = w.order();
  second.name = "two";
  second.folder = w.folder.file("second");
  w.move_away(second);
  w.spawn_and_kill(3);
  const auto anchored = w.base().anchor;
  const std::string kept = w.root.base(w.store().first().plus(-1)) + "/rows";
  SECTION("they lack what says where the archives are") {
    auto changed = *eventlog::open_rocksdb_key_value_store(kept);
    eventlog::WriteBatch batch;
    batch.remove(std::string(eventlog::kBaseStreams) + std::string(domain::kServerStream));
    REQUIRE(changed->write(batch));
  }
  SECTION("there are none") {
    fs::remove_all(kept);
  }
  const auto opened = projections::open_anchored_rows(w.base());
  if (!opened) FAIL(base::describe(opened.error()));
  const auto folded = projections::fold_anchor(w.store(), anchored.at.position, **opened);
  REQUIRE(folded);
  CHECK(folded->rows == anchored.rows);
  fs::rename(w.archive, w.folder.file("away"));
  const auto refused = projections::open_anchored_rows(w.base());
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().text, Catch::Contains(w.archive));
}

TEST_CASE("the log is archived in steps, each before what says so of the last", "[workers]") {
  TrimmedLog w;
  for (int i = 1; i <= 4; ++i) w.spawn_and_kill(i);
  const Position tail = w.store().tail();
  ArchiveOrder first = w.order();
  first.before = {tail.value / 2};
  w.move_away(first);
  ArchiveOrder second = w.order();
  second.name = "two";
  second.folder = w.folder.file("second");
  second.before = tail;
  CHECK(w.move_away(second) < tail);
  const auto copy = eventlog::open_unproved_log(second.folder);
  REQUIRE(copy);
  CHECK_FALSE(copy->base_error);
}

TEST_CASE("a log that lacks the rows for its anchor is trimmed with rows folded anew",
          "[workers]") {
  TrimmedLog w;
  w.spawn_and_kill(1);
  w.spawn_and_kill(2);
  const auto made = w.trimming().archive(w.order(), w.key);
  REQUIRE(made);
  const TrimOrder order{"one", w.archive, made->outcome.through, {}};
  SECTION("as a backup of just then does") {
    w.record(domain::RecordAnchor{made->anchor});
    fs::remove_all(w.root.bases());
    const auto trimmed = w.trimming().trim(order, *w.rows);
    if (!trimmed) FAIL(base::describe(trimmed.error()));
    CHECK(w.store().first() == order.through.next());
    CHECK(projections::check_anchored_rows(w.base()));
  }
  SECTION("but not where the anchor names others") {
    auto anchor = *eventlog::open_anchor(made->anchor);
    anchor.rows.front().digest[0] ^= 1;
    w.record(domain::RecordAnchor{eventlog::sign_anchor(anchor, w.key)});
    fs::remove_all(w.root.bases());
    const auto trimmed = w.trimming().trim(order, *w.rows);
    REQUIRE_FALSE(trimmed);
    CHECK(trimmed.error().code == base::ErrorCode::damaged);
    CHECK(w.store().first() == Position{1});
  }
}

TEST_CASE("a trim that cannot look at its folders is an error, not an exception", "[workers]") {
  TrimmedLog w;
  w.spawn_and_kill(1);
  w.spawn_and_kill(2);
  const auto made = w.trimming().archive(w.order(), w.key);
  REQUIRE(made);
  w.record(domain::RecordAnchor{made->anchor});
  const TrimOrder order{"one", w.archive, made->outcome.through, {}};
  fs::remove_all(w.root.bases());
  fs::create_symlink("base", w.root.bases());  // a link to itself
  const auto trimmed = w.trimming().trim(order, *w.rows);
  REQUIRE_FALSE(trimmed);
  CHECK(trimmed.error().code == base::ErrorCode::io);
  CHECK(w.store().first() == Position{1});
  w.trimming().remove_left_over(w.folder.file("never made"));
  fs::remove(w.root.bases());
  CHECK(w.trimming().trim(order, *w.rows));
}

TEST_CASE("what a killed server left of an archive is removed", "[workers]") {
  TrimmedLog w;
  w.spawn_and_kill(1);
  REQUIRE(w.trimming().archive(w.order(), w.key));
  REQUIRE(fs::exists(w.archive));
  w.trimming().remove_left_over(w.archive);
  CHECK_FALSE(fs::exists(w.archive));
  CHECK(fs::is_empty(w.root.bases()));
  CHECK(w.store().first() == Position{1});
  SECTION("also with a list of erasures that was being written") {
    REQUIRE(w.trimming().archive(w.order(), w.key));
    std::ofstream(eventlog::unfinished(eventlog::LogFolder{w.archive}.erased())) << "half";
    w.trimming().remove_left_over(w.archive);
    CHECK_FALSE(fs::exists(w.archive));
  }
  SECTION("also before its mark had a name") {
    fs::create_directory(w.archive);
    std::ofstream(eventlog::unfinished(eventlog::LogFolder{w.archive}.making()));
    w.trimming().remove_left_over(w.archive);
    CHECK_FALSE(fs::exists(w.archive));
  }
  SECTION("and nothing that somebody else has there") {
    REQUIRE(w.trimming().archive(w.order(), w.key));
    REQUIRE(eventlog::finish_archive(w.archive));
    w.trimming().remove_left_over(w.archive);
    CHECK(fs::exists(w.archive + "/log/CURRENT"));
    w.trimming().remove_left_over(w.root.root);
    CHECK(fs::exists(w.root.log() + "/CURRENT"));
  }
  const std::string mark = eventlog::LogFolder{w.archive}.making();
  const std::string part = eventlog::unfinished(mark);
  SECTION("and nothing of what another log has there") {
    fs::create_directory(w.archive);
    std::ofstream(mark) << "archive of log " << base::LogId().text() << '\n';
    fs::create_directory(w.archive + "/log");
    w.trimming().remove_left_over(w.archive);
    CHECK(fs::exists(w.archive + "/log"));
  }
  SECTION("and no file beside the beginning of a mark") {
    fs::create_directory(w.archive);
    std::ofstream{part};
    std::ofstream{w.archive + "/letter"};
    w.trimming().remove_left_over(w.archive);
    CHECK(fs::exists(w.archive + "/letter"));
  }
  SECTION("and no folder of its name") {
    fs::create_directories(part + "/letters");
    w.trimming().remove_left_over(w.archive);
    CHECK(fs::exists(part + "/letters"));
  }
  SECTION("and no file where the folder was to be") {
    std::ofstream{w.archive};
    w.trimming().remove_left_over(w.archive);
    CHECK(fs::exists(w.archive));
  }
  SECTION("and nothing can be of a name that is too long") {
    w.trimming().remove_left_over(w.folder.file(std::string(300, 'x')));
    CHECK_FALSE(fs::exists(w.archive));
  }
}

}  // namespace
}  // namespace workers
