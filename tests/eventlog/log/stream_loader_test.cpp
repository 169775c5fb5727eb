// Stream index, snapshots and loader together: a loaded stream is the fold of its events.
#include "eventlog/log/stream_loader.hpp"

#include <poll.h>

#include "eventlog/log/stream_reader.hpp"
#include "tests/support/driven_log.hpp"
#include "tests/support/faulty_rows.hpp"
#include "tests/support/stores.hpp"

namespace eventlog {
namespace {

using support::fold_all;
using support::StoreWriter;
using support::stream_of;
using support::write_history;

void require_same(const LoadedStream& a, const LoadedStream& b) {
  REQUIRE((a.state == b.state));
  REQUIRE(a.version == b.version);
  REQUIRE(a.last == b.last);
}

template <class Store, class Rows>
struct Layers {
  Store blocks;
  Rows rows;
  StreamIndex index{rows.store()};
  SnapshotStore snapshots{rows.store()};

  BlockStore& store() { return blocks.store(); }
  void require_loads_all() {
    for (const auto& [name, expected] : fold_all(store())) {
      INFO(name);
      const auto loaded = load_stream(store(), index, snapshots, name);
      if (!loaded) FAIL(base::describe(loaded.error()));
      require_same(*loaded, expected);
    }
  }
};

using InMemory = Layers<support::MemoryBlockStore, support::MemoryRows>;
using OnDisk = Layers<support::RocksDbBlockStore, support::RocksDbRows>;

TEMPLATE_TEST_CASE("a loaded stream is the fold of its events, for every stream", "[eventlog]",
                   InMemory, OnDisk) {
  TestType layers;
  write_history(layers.store(), 5);
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  CHECK(*layers.index.position() == layers.store().tail());
  layers.require_loads_all();
}

TEST_CASE("an index that names what is not in the log counts as damaged", "[eventlog][C04]") {
  InMemory layers;
  support::FaultyRows rows;
  StreamIndex index(rows);
  SnapshotStore snapshots(rows);
  write_history(layers.store(), 5);
  REQUIRE(index.catch_up(layers.store(), layers.store().tail()));
  const std::string stream = fold_all(layers.store()).begin()->first;
  support::MemoryBlockStore other;
  REQUIRE(load_stream(layers.store(), index, snapshots, stream));
  CHECK_FALSE(rows.damage());
  CHECK_FALSE(load_stream(other.store(), index, snapshots, stream));
  REQUIRE(rows.damage());
  CHECK(rows.damage()->code == base::ErrorCode::rows_damaged);
}

TEST_CASE("a stream reader notes that the index names what is not in the log", "[eventlog]") {
  InMemory layers;
  support::FaultyRows rows;
  StreamIndex index(rows);
  write_history(layers.store(), 5);
  REQUIRE(index.catch_up(layers.store(), layers.store().tail()));
  const std::string stream = fold_all(layers.store()).begin()->first;
  REQUIRE(StreamReader(layers.store(), index, stream).block_of({1}));
  CHECK_FALSE(rows.damage());
  support::MemoryBlockStore other;
  const auto block = StreamReader(other.store(), index, stream).block_of({1});
  REQUIRE_FALSE(block);
  CHECK(block.error().code == base::ErrorCode::rows_damaged);
  CHECK(rows.damage());
}

TEST_CASE("a loaded stream goes on from its snapshot, wherever that was taken", "[eventlog]") {
  InMemory layers;
  write_history(layers.store(), 6, 1, 150);
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  base::SeededRandom random(6);
  for (const auto& [name, state] : fold_all(layers.store())) {
    if (random.chance(60)) REQUIRE(layers.snapshots.save(name, state));
  }
  layers.require_loads_all();
  write_history(layers.store(), 6, 151);
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  layers.require_loads_all();
}

TEST_CASE("a loader that has a snapshot does not read what lies before it", "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  for (int i = 0; i < 4; ++i) {
    writer.append(stream_of(1), domain::AgentExited{i, 0});
    writer.flush();
  }
  REQUIRE(layers.index.catch_up(layers.store(), {4}));
  const std::vector<IndexedBlock> all{{{1}, {0}}, {{2}, {0}}, {{3}, {0}}, {{4}, {0}}};
  CHECK((*layers.index.blocks_after(stream_of(1), {0}) == all));
  CHECK((*layers.index.blocks_after(stream_of(1), {2}) == std::vector(all.begin() + 2, all.end())));
  CHECK(layers.index.blocks_after(stream_of(1), {4})->empty());
  CHECK(layers.index.blocks_after(stream_of(2), {0})->empty());
}

TEST_CASE("the index says which events of a block are a stream's, and others are not decoded",
          "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  for (int i = 0; i < 9; ++i) writer.append(stream_of(1 + i % 3), domain::AgentExited{i, 0});
  writer.flush();
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  const std::vector<IndexedBlock> expected{{{1}, {1, 4, 7}}};
  CHECK((*layers.index.blocks_after(stream_of(2), {0}) == expected));
  CHECK((*layers.index.blocks_after(stream_of(2), {2}) == expected));
  CHECK(layers.index.blocks_after(stream_of(2), {3})->empty());
  layers.require_loads_all();
}

TEST_CASE("blocks that share a row of the index are told apart", "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  constexpr std::int64_t kBlocks = 200;
  for (int i = 0; i < kBlocks; ++i) {
    writer.append(stream_of(1), domain::AgentExited{i, 0});
    writer.flush();
  }
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  CHECK(layers.rows.store().scan("i/" + stream_of(1), "", 1'000)->size() == 4);  // 64 in each
  for (std::int64_t version = 0; version < kBlocks; ++version) {
    const auto after = *layers.index.blocks_after(stream_of(1), {version});
    REQUIRE(after.size() == static_cast<std::size_t>(kBlocks - version));
    REQUIRE(after.front().first == Position{version + 1});
    const auto one = *layers.index.blocks_between(stream_of(1), {version + 1}, {version + 1});
    REQUIRE((one == std::vector<IndexedBlock>{{{version + 1}, {0}}}));
  }
}

TEST_CASE("an index that another release made otherwise is built anew", "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  for (int i = 0; i < 4; ++i) {
    writer.append(stream_of(1), domain::AgentExited{i, 0});
    writer.flush();
  }
  // The form before rows named events: eight bytes in each row, and only the checkpoint.
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  const Checkpoint reached = *layers.index.checkpoint();
  WriteBatch older;
  const auto rows = *layers.rows.store().scan("i/", "", 100);
  for (const KeyValue& row : rows) {
    older.put(row.key, row.key == "i/" ? base::encode(reached) : row.value.substr(0, 8));
  }
  older.put("i/nobody" + Bytes(9, '\0'), Bytes(8, '\1'));
  REQUIRE(layers.rows.store().write(older));
  StreamIndex index(layers.rows.store());
  CHECK(*index.position() == Position{0});
  REQUIRE(index.catch_up(layers.store(), layers.store().tail()));
  layers.require_loads_all();
  CHECK(layers.rows.store().scan("i/nobody", "", 1)->empty());
}

TEST_CASE("a row of the index that names no event of its stream is damaged", "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  writer.append(stream_of(1), domain::AgentExited{1, 0});
  writer.append(stream_of(2), domain::AgentExited{2, 0});
  writer.flush();
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  const KeyValue row = layers.rows.store().scan("i/" + stream_of(1), "", 1)->front();
  for (const char index : {'\1', '\2', '\x7F'}) {
    WriteBatch wrong;
    wrong.put(row.key, row.value.substr(0, row.value.size() - 1) + index);
    REQUIRE(layers.rows.store().write(wrong));
    const auto loaded = load_stream(layers.store(), layers.index, layers.snapshots, stream_of(1));
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == base::ErrorCode::rows_damaged);
  }
}

TEST_CASE("an index that is behind loads what it knows, and catches up in steps", "[eventlog]") {
  InMemory layers;
  write_history(layers.store(), 7);
  const Position tail = layers.store().tail();
  const auto events = support::all_events(layers.store());
  for (Position durable{1}; durable <= tail; durable = durable.plus(13)) {
    REQUIRE(layers.index.catch_up(layers.store(), durable));
    const Position reached = *layers.index.position();
    REQUIRE(reached.plus(100) > durable);
    std::map<std::string, std::int64_t> versions;
    for (const auto& e : events) {
      if (e.envelope.position <= reached) versions[e.envelope.stream] = e.envelope.version.value;
    }
    for (const auto& [name, version] : versions) {
      const auto loaded = load_stream(layers.store(), layers.index, layers.snapshots, name);
      REQUIRE(loaded);
      REQUIRE(loaded->version.value == version);
    }
  }
  REQUIRE(layers.index.catch_up(layers.store(), tail));
  layers.require_loads_all();
}

TEST_CASE("an index that is deleted is built again to the same rows", "[eventlog]") {
  InMemory layers;
  write_history(layers.store(), 8);
  const Position tail = layers.store().tail();
  REQUIRE(layers.index.catch_up(layers.store(), tail));
  const auto before = *layers.rows.store().scan("", "", 1'000'000);
  REQUIRE(layers.snapshots.save(stream_of(99), {domain::SessionState{}, {}, {}}));
  const auto fill = [&]() -> base::Result<void> {
    CHECK(layers.rows.store().scan("", "", 1'000'000)->empty());
    CHECK_FALSE(layers.index.is_whole());
    const auto looked = layers.index.blocks_after(stream_of(1), {0});
    REQUIRE_FALSE(looked);
    CHECK(looked.error().code == base::ErrorCode::busy);
    return {};
  };
  REQUIRE(layers.index.rebuild(layers.store(), tail, fill));
  const auto after = *layers.rows.store().scan("i/", "", 1'000'000);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(after[i].key == before[i].key);
    CHECK(after[i].value == before[i].value);
  }
}

// Builds an index over one history, then requires that it refuses another one.
void expect_wrong_log(std::int64_t events_before, std::int64_t events_after, char log_after) {
  support::MemoryRows rows;
  {
    MemoryStore store;
    StoreWriter writer(store, 'A');
    for (int i = 0; i < events_before; ++i) {
      writer.append(stream_of(1), domain::AgentExited{i, 0});
      writer.flush();
    }
    StreamIndex index(rows.store());
    REQUIRE(index.catch_up(store, store.tail()));
  }
  MemoryStore store;
  StoreWriter writer(store, log_after);
  for (int i = 0; i < events_after; ++i) {
    writer.append(stream_of(1), domain::AgentExited{1000 + i, 0});
    writer.flush();
  }
  StreamIndex index(rows.store());
  const auto caught_up = index.catch_up(store, store.tail());
  REQUIRE_FALSE(caught_up);
  // A shorter log of the same history has lost events that the index holds.
  const bool is_same = log_after == 'A' && events_after < events_before;
  CHECK(caught_up.error().code ==
        (is_same ? base::ErrorCode::damaged : base::ErrorCode::wrong_log));
  REQUIRE(index.rebuild(store, store.tail(), [] { return base::Result<void>(); }));
  CHECK(index.blocks_after(stream_of(1), {0})->size() == static_cast<std::size_t>(events_after));
}

TEST_CASE("an index of another history is refused until it is cleared", "[eventlog]") {
  SECTION("a longer history") {
    expect_wrong_log(3, 6, 'B');
  }
  SECTION("a history of the same length") {
    expect_wrong_log(5, 5, 'B');
  }
  SECTION("a shorter history") {
    expect_wrong_log(6, 3, 'B');
  }
  SECTION("the same log with other events") {
    expect_wrong_log(5, 5, 'A');
  }
  SECTION("the same log with its end missing and another one written") {
    expect_wrong_log(4, 7, 'A');
  }
}

TEST_CASE("an index that was built is taken up again", "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  for (int i = 0; i < 5; ++i) {
    writer.append(stream_of(1), domain::AgentExited{i, 0});
    writer.flush();
    StreamIndex again(layers.rows.store());
    REQUIRE(again.catch_up(layers.store(), layers.store().tail()));
    REQUIRE(again.catch_up(layers.store(), layers.store().tail()));
    CHECK(*again.position() == layers.store().tail());
  }
}

TEST_CASE("a stream in a block of more events than are meant for one loads whole", "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  const int count = static_cast<int>(kBlockEventsMax);
  for (int i = 0; i + 1 < count; ++i) {
    writer.append(stream_of(1), domain::AgentExited{i, 0});
  }
  // One command's events stay together: they overfill the block that was nearly full.
  for (int i = 0; i < 1000; ++i) writer.append(stream_of(2), domain::AgentExited{i, 0});
  writer.flush();
  REQUIRE(layers.store().read({1}, 1, false)->size() == 1);
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  const auto loaded = load_stream(layers.store(), layers.index, layers.snapshots, stream_of(2));
  REQUIRE(loaded);
  CHECK(loaded->version.value == 1000);
  CHECK(loaded->last == layers.store().tail());
}

TEST_CASE("a stream without events is empty at version 0", "[eventlog]") {
  InMemory layers;
  const auto loaded = load_stream(layers.store(), layers.index, layers.snapshots, stream_of(1));
  REQUIRE(loaded);
  CHECK(loaded->version.value == 0);
  CHECK(loaded->last.value == 0);
  CHECK((loaded->state == domain::StreamState(domain::SessionState{})));
}

TEST_CASE("what is no stream's name cannot be loaded", "[eventlog]") {
  InMemory layers;
  const auto loaded = load_stream(layers.store(), layers.index, layers.snapshots, "nonsense");
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code == base::ErrorCode::invalid);
}

TEST_CASE("a stream with a version missing is damaged", "[eventlog]") {
  InMemory layers;
  StoreWriter writer(layers.store());
  writer.append(stream_of(1), domain::AgentExited{1, 0});
  writer.set_version(stream_of(1), {2});
  writer.append(stream_of(1), domain::AgentExited{2, 0});
  writer.flush();
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  const auto loaded = load_stream(layers.store(), layers.index, layers.snapshots, stream_of(1));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code == base::ErrorCode::damaged);
  CHECK(loaded.error().where == stream_of(1));
}

TEST_CASE("a snapshot comes back as it was saved, for every kind of stream", "[eventlog]") {
  support::MemoryRows rows;
  SnapshotStore snapshots(rows.store());
  for (const std::string& name : {stream_of(1), std::string("main/registry"),
                                  std::string("$admission"), std::string("$server")}) {
    REQUIRE(snapshots.load(name));
    CHECK_FALSE(*snapshots.load(name));
    LoadedStream saved{*domain::initial_state(name), {3}, {17}};
    domain::Envelope envelope;
    envelope.position = {17};
    domain::evolve(saved.state, envelope, domain::EpochStarted{4, "created"});
    REQUIRE(snapshots.save(name, saved));
    const auto loaded = snapshots.load(name);
    REQUIRE(loaded);
    REQUIRE(*loaded);
    require_same(**loaded, saved);
  }
}

TEST_CASE("a snapshot of another schema of the state is as none", "[eventlog]") {
  support::MemoryRows rows;
  SnapshotStore snapshots(rows.store());
  REQUIRE(snapshots.save("$server", {domain::ServerState{5, 6, {}}, {1}, {1}}));
  Bytes row = **rows.store().get("s/$server");
  const auto at = row.find("schema");
  REQUIRE(at != Bytes::npos);
  row[at + 6] = static_cast<char>(domain::kFirstSchema + 1);
  WriteBatch batch;
  batch.put("s/$server", row);
  REQUIRE(rows.store().write(batch));
  REQUIRE(snapshots.load("$server"));
  CHECK_FALSE(*snapshots.load("$server"));
}

TEST_CASE("the loading thread loads and saves what it is asked, in order", "[eventlog]") {
  OnDisk layers;
  write_history(layers.store(), 9);
  REQUIRE(layers.index.catch_up(layers.store(), layers.store().tail()));
  const auto expected = fold_all(layers.store());
  const auto loader = make_thread_loader(layers.store(), layers.index, layers.snapshots);
  for (const auto& [name, state] : expected) loader->request(name);
  loader->request("nonsense");
  for (const auto& [name, state] : expected) loader->save(name, state);
  std::vector<LoadOutcome> loaded;
  std::vector<SaveOutcome> saved;
  while (loaded.size() < expected.size() + 1 || saved.size() < expected.size()) {
    pollfd wake{loader->wake_fd(), POLLIN, 0};
    REQUIRE(poll(&wake, 1, 10'000) == 1);
    while (auto outcome = loader->poll()) loaded.push_back(std::move(*outcome));
    while (auto outcome = loader->poll_saved()) saved.push_back(std::move(*outcome));
  }
  std::size_t i = 0;
  for (const auto& [name, state] : expected) {
    CHECK(loaded[i].stream == name);
    REQUIRE(loaded[i].loaded);
    require_same(*loaded[i].loaded, state);
    CHECK(saved[i].stream == name);
    CHECK(saved[i].is_saved);
    const auto snapshot = layers.snapshots.load(name);
    REQUIRE((snapshot && *snapshot));
    require_same(**snapshot, state);
    ++i;
  }
  CHECK_FALSE(loaded.back().loaded);
}

}  // namespace
}  // namespace eventlog
