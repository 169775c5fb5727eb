// The threads of the log, over stores in memory that no lock protects. Each side sees the other's
// writes only because they were handed over; under the preset `tsan` a race would be reported.
#include "eventlog/log/committer.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/history.hpp"
#include "tests/support/stores.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wake.hpp"

namespace eventlog {
namespace {

class MemoryHead final : public HeadFile {
 public:
  Result<void> write(const Checkpoint& head) override {
    last = head.position;
    return {};
  }
  Position last;
};

CommitOutcome committed(Committer& committer) {
  for (;;) {
    if (auto outcome = committer.poll()) return std::move(*outcome);
    REQUIRE(support::wakes(committer.wake_fd()));
  }
}

TEST_CASE("a block that the committing thread gave back is in store and head", "[eventlog]") {
  MemoryStore store;
  MemoryHead head;
  support::BlockChain chain;
  const auto committer = make_thread_committer(store, &head);
  for (int number = 0; number < 3000; ++number) {
    REQUIRE(committer->is_idle());
    SealedBlock block = chain.next(1 + number % 5);
    const Position last = block.header.last();
    const Bytes facts = block.facts;
    committer->submit(std::move(block));
    REQUIRE_FALSE(committer->is_idle());
    const CommitOutcome outcome = committed(*committer);
    REQUIRE(outcome.outcome.status == AppendStatus::stored);
    REQUIRE(outcome.block.facts == facts);
    REQUIRE(store.tail() == last);
    REQUIRE(head.last == last);
  }
}

TEST_CASE("a committing thread that is ended stores the block on its way", "[eventlog]") {
  MemoryStore store;
  MemoryHead head;
  support::BlockChain chain;
  for (int life = 0; life < 300; ++life) {
    const SealedBlock block = chain.next(2);
    make_thread_committer(store, &head)->submit(block);
    REQUIRE(store.tail() == block.header.last());
    REQUIRE(head.last == store.tail());
  }
}

struct Streams {
  MemoryStore store;
  std::unique_ptr<KeyValueStore> rows = make_memory_key_value_store();
  StreamIndex index{*rows};
  SnapshotStore snapshots{*rows};
  std::vector<std::string> names;

  Streams() {
    support::History history(5, {200, 8, 8});
    for (base::Position at{1}; at <= history.log().store().tail();) {
      const auto blocks = history.log().store().read(at, 1, true);
      REQUIRE(blocks);
      const auto block = parse_block(blocks->front().facts);
      REQUIRE(block);
      SealedBlock sealed;
      sealed.header = block->header;
      sealed.facts = blocks->front().facts;
      REQUIRE(store.append(sealed).status == AppendStatus::stored);
      at = block->header.last().next();
    }
    for (const auto& [name, state] : history.states()) names.push_back(name);
    REQUIRE(index.catch_up(store, store.tail()));
  }
};

TEST_CASE("loads and saves that wait for each other wake until both are taken", "[eventlog]") {
  Streams streams;
  const auto loader = make_thread_loader(streams.store, streams.index, streams.snapshots);
  // Only the load is ready; polling for the save leaves it and its wake-up alone.
  loader->request(streams.names[0]);
  REQUIRE(support::wakes(loader->wake_fd()));
  CHECK_FALSE(loader->poll_saved());
  CHECK(support::is_readable(loader->wake_fd()));
  CHECK(loader->poll());
  CHECK_FALSE(support::is_readable(loader->wake_fd()));

  std::size_t loads = 0;
  std::size_t saves = 0;
  constexpr std::size_t kRounds = 400;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::string& name = streams.names[round % streams.names.size()];
    loader->request(name);
    loader->save(name, {domain::SessionState{}, {1}, {1}});
  }
  while (loads < kRounds || saves < kRounds) {
    REQUIRE(support::wakes(loader->wake_fd()));
    while (const auto outcome = loader->poll()) {
      REQUIRE(outcome->stream == streams.names[loads++ % streams.names.size()]);
      REQUIRE(outcome->loaded);
    }
    while (const auto outcome = loader->poll_saved()) {
      REQUIRE(outcome->stream == streams.names[saves++ % streams.names.size()]);
      REQUIRE(outcome->is_saved);
    }
  }
  CHECK_FALSE(support::is_readable(loader->wake_fd()));
}

TEST_CASE("a loading thread that is ended while busy saves what it was given", "[eventlog]") {
  Streams streams;
  for (int life = 0; life < 100; ++life) {
    const std::string& name = streams.names[static_cast<std::size_t>(life) % streams.names.size()];
    const base::StreamVersion version{life + 1};
    {
      const auto loader = make_thread_loader(streams.store, streams.index, streams.snapshots);
      loader->request(name);
      loader->save(name, {domain::SessionState{}, version, {1}});
    }
    const auto saved = streams.snapshots.load(name);
    REQUIRE((saved && *saved));
    REQUIRE((*saved)->version == version);
  }
}

Checkpoint head_at(std::int64_t position) {
  Checkpoint head;
  head.position = {position};
  return head;
}

TEST_CASE("the head file is whole at every moment while its syncer runs", "[eventlog]") {
  const support::TempFolder folder;
  const std::string path = folder.file("head");
  std::int64_t position = 0;
  for (int life = 0; life < 20; ++life) {
    const auto file = open_head_file(path);
    REQUIRE(file);
    for (int number = 0; number < 500; ++number) {
      REQUIRE((*file)->write(head_at(++position)));
      if (number % 50 != 0) continue;
      const auto head = read_head_file(path);
      REQUIRE((head && *head));
      REQUIRE((*head)->position.value == position);
    }
  }
}

}  // namespace
}  // namespace eventlog
