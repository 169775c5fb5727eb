// The takeover rows: a server that starts from them knows exactly what a fold of the whole log
// gives, at a bounded cost.
#include "projections/start/startup_rows.hpp"

#include <set>

#include "eventlog/store/memory_store.hpp"
#include "projections/projections.hpp"
#include "tests/support/under_way.hpp"
#include "tests/support/driven_log.hpp"
#include "tests/support/log_builder.hpp"

namespace {

using base::Position;
using eventlog::LoadedStream;
using eventlog::MemoryStore;
using projections::ProjectionSet;
using projections::StartupRows;
using projections::Takeover;
using support::StoreWriter;

// A log with its first event.
struct Log {
  Log() {
    StoreWriter writer(store);
    writer.append(std::string(domain::kServerStream), domain::EpochStarted{1, "created"});
    writer.flush();
  }
  MemoryStore store;
};

std::unique_ptr<eventlog::KeyValueStore> no_rows() {
  return eventlog::make_memory_key_value_store();
}

Takeover taken_over(eventlog::BlockStore& log, eventlog::KeyValueStore& rows) {
  auto set = ProjectionSet::open(rows);
  REQUIRE(set);
  REQUIRE(set->verify_checkpoints(log));
  const auto reached = set->bring_up(StartupRows::kName, log, log.tail());
  if (!reached) FAIL(base::describe(reached.error()));
  auto takeover = projections::read_takeover(rows);
  if (!takeover) FAIL(base::describe(takeover.error()));
  return std::move(*takeover);
}

// Requires that the takeover equals a fold of the whole log.
void require_is_of(const Takeover& takeover, eventlog::BlockStore& log) {
  std::map<std::string, LoadedStream> shared;
  std::map<std::string, domain::SessionState> sessions;
  for (const std::string& kept : domain::kept_streams()) {
    shared.emplace(kept, LoadedStream{*domain::initial_state(kept), {}, {}});
  }
  auto streams = support::fold_all(log);
  std::set<std::string> registries;  // of the agents that have a session under way
  for (auto& [name, stream] : streams) {
    auto* state = std::get_if<domain::SessionState>(&stream.state);
    if (state == nullptr) continue;
    state->commands.clear();
    if (!domain::is_under_way(*state)) continue;
    registries.insert(domain::registry_stream(state->agent));
    sessions.emplace(name, *state);
  }
  for (const auto& [name, stream] : streams) {
    const bool is_needed = domain::residency_of(stream.state) == domain::Residency::with_server ||
                           registries.contains(name);
    if (is_needed) shared.insert_or_assign(name, stream);
  }
  REQUIRE(takeover.shared.size() == shared.size());
  for (const auto& [name, stream] : shared) {
    INFO(name);
    REQUIRE(takeover.shared.contains(name));
    const LoadedStream& taken = takeover.shared.at(name);
    REQUIRE((taken.state == stream.state));
    REQUIRE(taken.version == stream.version);
    REQUIRE(taken.last == stream.last);
  }
  REQUIRE(support::sessions_of(takeover).size() == sessions.size());
  for (const auto& taken : support::sessions_of(takeover)) {
    const std::string name = domain::session_stream(taken.agent, taken.session);
    INFO(name);
    REQUIRE((taken == sessions.at(name)));
  }
}

TEST_CASE("what a server takes over is what the whole log says, wherever it ends",
          "[projections]") {
  std::size_t sessions = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    Log begun;
    MemoryStore& log = begun.store;
    const auto rows = no_rows();
    for (std::int64_t through = 40; log.tail().value == through - 39; through += 40) {
      support::write_history(log, seed, through - 39, through);
      const Takeover takeover = taken_over(log, *rows);
      require_is_of(takeover, log);
      require_is_of(taken_over(log, *no_rows()), log);
      sessions += support::sessions_of(takeover).size();
    }
  }
  CHECK(sessions > 20);
}

TEST_CASE("sessions are taken over without the commands that they have accepted", "[projections]") {
  support::LogBuilder log;
  domain::SessionOpened opened;
  opened.session.bytes[0] = 1;
  opened.agent = "main";
  const std::string stream = domain::session_stream(opened.agent, opened.session);
  log.append(stream, opened);
  log.append(stream, domain::TurnQueued{});
  const auto rows = no_rows();
  const Takeover takeover = taken_over(log.store(), *rows);
  REQUIRE(support::sessions_of(takeover).size() == 1);
  CHECK(support::sessions_of(takeover).front().queue.size() == 1);
  CHECK(support::sessions_of(takeover).front().commands.size() == 0);
}

void write_spawns(StoreWriter& writer, int from, int through) {
  for (int i = from; i <= through; ++i) {
    base::SessionId id;
    id.bytes[0] = static_cast<char>(i % 200 + 1);
    id.bytes[1] = static_cast<char>(i / 200);
    writer.append("$admission", domain::SessionAdmitted{id, "main", std::to_string(i)});
    if (i % 3 != 0) writer.append("$admission", domain::SessionReleased{id, i % 6 == 1});
    if (i % 50 == 0) writer.flush();
  }
  writer.flush();
}

TEST_CASE("of a shared stream few events are kept beside its state, however long it is",
          "[projections]") {
  Log begun;
  MemoryStore& log = begun.store;
  StoreWriter writer(log);
  const auto rows = no_rows();
  for (int spawns = 0; spawns < 4000; spawns += 500) {
    write_spawns(writer, spawns + 1, spawns + 500);
    require_is_of(taken_over(log, *rows), log);
    const auto kept = rows->scan("takeover/j/", {}, 100'000);
    REQUIRE(kept);
    CHECK(kept->size() < 256 + 10);  // those of $admission and a few of $server
  }
}

TEST_CASE("rows of what is taken over that do not follow each other are damaged", "[projections]") {
  Log begun;
  MemoryStore& log = begun.store;
  StoreWriter writer(log);
  write_spawns(writer, 1, 400);
  const auto rows = no_rows();
  taken_over(log, *rows);
  const auto expect_damaged = [&](const eventlog::WriteBatch& damage) {
    const auto before = *rows->scan("", {}, 100'000);
    REQUIRE(rows->write(damage));
    const auto read = projections::read_takeover(*rows);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == base::ErrorCode::rows_damaged);
    eventlog::WriteBatch back;
    for (const auto& row : before) back.put(row.key, row.value);
    REQUIRE(rows->write(back));
    REQUIRE(projections::read_takeover(*rows));
  };
  const auto kept = *rows->scan("takeover/j/", {}, 100'000);
  REQUIRE(kept.size() > 3);
  eventlog::WriteBatch lost;
  lost.remove(kept[1].key);
  expect_damaged(lost);
  eventlog::WriteBatch no_state;
  no_state.remove("takeover/b/$admission");
  expect_damaged(no_state);
  eventlog::WriteBatch unreadable;
  unreadable.put("takeover/b/$admission", "\xC1");
  expect_damaged(unreadable);
}

}  // namespace
