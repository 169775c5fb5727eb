// The contract of every block store. A store's test makes a fixture (tests/support/stores.hpp) and
// calls block_store_contract() in a test case of its own; Catch runs that case once for each
// section.
#pragma once

#include "tests/support/blocks.hpp"
#include "tests/support/stores.hpp"

namespace contract {

using base::Position;
using eventlog::AppendStatus;
using eventlog::BlockStore;
using eventlog::SealedBlock;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// Appends blocks of 1, 2, 3, … events; every second one has content. Returns them.
inline std::vector<SealedBlock> append_blocks(BlockStore& store, support::BlockChain& chain,
                                              std::int64_t count) {
  std::vector<SealedBlock> blocks;
  for (std::int64_t i = 1; i <= count; ++i) {
    const std::string content = i % 2 == 0 ? "content " + std::to_string(i) : std::string();
    blocks.push_back(chain.next(i, content));
    const auto outcome = store.append(blocks.back());
    REQUIRE(outcome.status == AppendStatus::stored);
    REQUIRE(outcome.tail == blocks.back().header.last());
    REQUIRE(store.tail() == blocks.back().header.last());
  }
  return blocks;
}

// Returns the index of the block that holds the position.
inline std::size_t holding(const std::vector<SealedBlock>& blocks, Position position) {
  std::size_t i = 0;
  while (blocks[i].header.last() < position) ++i;
  return i;
}

inline void require_same(const eventlog::StoredBlock& stored, const SealedBlock& block,
                         bool with_content) {
  REQUIRE(stored.facts == block.facts);
  REQUIRE(stored.content == (with_content ? block.content : eventlog::Bytes()));
}

inline void require_all(BlockStore& store, const std::vector<SealedBlock>& blocks) {
  const auto found = store.read({1}, kAll, true);
  REQUIRE(found);
  REQUIRE(found->size() == blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) require_same((*found)[i], blocks[i], true);
}

template <class Fixture>
void check_reading(Fixture& fixture) {
  BlockStore& store = fixture.store();
  support::BlockChain chain;
  SECTION("an empty store has no first, no tail, and nothing to read") {
    CHECK(store.first() == Position{0});
    CHECK(store.tail() == Position{0});
    for (const std::int64_t from : {0, 1, 100}) {
      REQUIRE(store.read({from}, kAll, true));
      CHECK(store.read({from}, kAll, true)->empty());
      REQUIRE(store.read_reverse({from}, kAll));
      CHECK(store.read_reverse({from}, kAll)->empty());
    }
  }
  SECTION("blocks are read from the one that holds a position, in order") {
    const auto blocks = append_blocks(store, chain, 6);
    for (Position from{1}; from <= store.tail(); from = from.next()) {
      const std::size_t at = holding(blocks, from);
      const bool with_content = from.value % 2 == 0;
      const auto found = store.read(from, kAll, with_content);
      REQUIRE(found);
      REQUIRE(found->size() == blocks.size() - at);
      for (std::size_t i = at; i < blocks.size(); ++i) {
        require_same((*found)[i - at], blocks[i], with_content);
      }
    }
  }
  SECTION("blocks are read backwards from the one that holds a position") {
    const auto blocks = append_blocks(store, chain, 6);
    for (Position from{1}; from <= store.tail().plus(2); from = from.next()) {
      const std::size_t at = holding(blocks, std::min(from, store.tail()));
      const auto found = store.read_reverse(from, kAll);
      REQUIRE(found);
      REQUIRE(found->size() == at + 1);
      for (std::size_t i = 0; i <= at; ++i) require_same((*found)[i], blocks[at - i], true);
    }
    CHECK(store.read_reverse({0}, kAll)->empty());
  }
  SECTION("behind the tail there is nothing") {
    append_blocks(store, chain, 3);
    REQUIRE(store.read(store.tail().next(), kAll, true));
    CHECK(store.read(store.tail().next(), kAll, true)->empty());
    CHECK(store.read({1'000'000}, kAll, false)->empty());
  }
  SECTION("reading stops at the bound of bytes, but never before one block") {
    const auto blocks = append_blocks(store, chain, 6);
    CHECK(store.read({1}, 0, false)->size() == 1);
    CHECK(store.read({1}, 1, false)->size() == 1);
    CHECK(store.read({1}, blocks[0].facts.size(), false)->size() == 1);
    CHECK(store.read({1}, blocks[0].facts.size() + 1, false)->size() == 2);
    const auto whole = [&](std::size_t at) {
      return blocks[at].facts.size() + blocks[at].content.size();
    };
    CHECK(store.read({1}, whole(0), true)->size() == 1);
    CHECK(store.read({1}, whole(0) + 1, true)->size() == 2);
    CHECK(store.read_reverse(store.tail(), 1)->size() == 1);
    CHECK(store.read_reverse(store.tail(), whole(5) + 1)->size() == 2);
  }
}

template <class Fixture>
void check_appending(Fixture& fixture) {
  BlockStore& store = fixture.store();
  support::BlockChain chain;
  SECTION("blocks are appended densely") {
    const auto blocks = append_blocks(store, chain, 5);
    CHECK(store.first() == Position{1});
    CHECK(store.tail() == Position{15});
    require_all(store, blocks);
  }
  SECTION("a block that does not begin behind the tail leaves no trace") {
    const auto blocks = append_blocks(store, chain, 2);
    for (const std::int64_t first : {1, 2, 3, 5, 100}) {
      support::BlockChain other;
      other.header().first = {first};
      eventlog::BlockBuilder builder;
      builder.add("intruder");
      builder.add_content({}, "content");
      builder.add("intruder");
      builder.add_chunks({}, {{"chunk-of-intruder", "bytes"}});
      const auto outcome = store.append(other.sealed(builder));
      REQUIRE(outcome.status == AppendStatus::conflict);
      REQUIRE(outcome.tail == Position{3});
      REQUIRE(outcome.error.code == base::ErrorCode::conflict);
      REQUIRE(store.tail() == Position{3});
    }
    require_all(store, blocks);
    CHECK_FALSE(store.read_chunk("chunk-of-intruder"));
    fixture.reopen();
    require_all(fixture.store(), blocks);
  }
  SECTION("after a conflict the right block is stored") {
    append_blocks(store, chain, 2);
    support::BlockChain other;
    REQUIRE(store.append(other.next(1)).status == AppendStatus::conflict);
    CHECK(store.append(chain.next(1)).status == AppendStatus::stored);
  }
  if constexpr (Fixture::kLasts) {
    SECTION("what was stored is there after the store was opened again") {
      auto blocks = append_blocks(store, chain, 4);
      fixture.reopen();
      BlockStore& again = fixture.store();
      CHECK(again.first() == Position{1});
      CHECK(again.tail() == Position{10});
      require_all(again, blocks);
      blocks.push_back(chain.next(2));
      REQUIRE(again.append(blocks.back()).status == AppendStatus::stored);
      fixture.reopen();
      require_all(fixture.store(), blocks);
    }
  }
}

template <class Fixture>
void check_content(Fixture& fixture) {
  BlockStore& store = fixture.store();
  support::BlockChain chain;
  SECTION("content is replaced and removed, facts stay") {
    auto blocks = append_blocks(store, chain, 4);
    REQUIRE(store.replace_content(blocks[1].header.first, "new"));
    REQUIRE(store.replace_content(blocks[3].header.first, ""));
    REQUIRE(store.replace_content(blocks[0].header.first, "was none"));
    blocks[1].content = "new";
    blocks[3].content.clear();
    blocks[0].content = "was none";
    require_all(store, blocks);
    fixture.reopen();
    require_all(fixture.store(), blocks);
  }
  SECTION("content of a block that is not there cannot be replaced") {
    append_blocks(store, chain, 2);
    for (const std::int64_t position : {0, 3, 100}) {
      const auto replaced = store.replace_content({position}, "x");
      REQUIRE_FALSE(replaced);
      CHECK(replaced.error().code == base::ErrorCode::not_found);
    }
  }
  SECTION("chunks come with their block and are read one by one") {
    eventlog::BlockBuilder builder;
    builder.add("event");
    const eventlog::Bytes large(300'000, 'L');
    builder.add_chunks({}, {{"a/0", large}, {"a/1", "tail"}});
    REQUIRE(store.append(chain.sealed(builder)).status == AppendStatus::stored);
    CHECK(*store.read_chunk("a/0") == large);
    CHECK(*store.read_chunk("a/1") == "tail");
    const auto missing = store.read_chunk("a/2");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == base::ErrorCode::not_found);
  }
  SECTION("chunks are erased by their prefix, and no others") {
    eventlog::BlockBuilder builder;
    builder.add("event");
    const eventlog::Bytes high = eventlog::Bytes("s\xFF", 2);
    builder.add_chunks({}, {{"a", "1"},
                            {"s", "2"},
                            {"s/1", "3"},
                            {"s/2", "4"},
                            {"s0", "5"},
                            {"t", "6"},
                            {high + "x", "7"},
                            {"S", "8"}});
    REQUIRE(store.append(chain.sealed(builder)).status == AppendStatus::stored);
    REQUIRE(store.erase_chunks("s/"));
    for (const std::string key : {"s/1", "s/2"}) CHECK_FALSE(store.read_chunk(key));
    for (const std::string key : {"a", "s", "s0", "t", "S"}) CHECK(store.read_chunk(key));
    REQUIRE(store.erase_chunks(high));
    CHECK_FALSE(store.read_chunk(high + "x"));
    CHECK(store.read_chunk("t"));
    REQUIRE(store.erase_chunks("nothing has this prefix"));
    fixture.reopen();
    CHECK_FALSE(fixture.store().read_chunk("s/1"));
    CHECK(fixture.store().read_chunk("s0"));
  }
  SECTION("an empty prefix is refused: it would erase everything") {
    eventlog::BlockBuilder builder;
    builder.add("event");
    builder.add_chunks({}, {{"a", "1"}});
    REQUIRE(store.append(chain.sealed(builder)).status == AppendStatus::stored);
    const auto erased = store.erase_chunks("");
    REQUIRE_FALSE(erased);
    CHECK(erased.error().code == base::ErrorCode::invalid);
    CHECK(store.read_chunk("a"));
  }
}

template <class Fixture>
void check_trimming(Fixture& fixture) {
  BlockStore& store = fixture.store();
  support::BlockChain chain;
  SECTION("blocks that lie wholly before a position go, with their content") {
    const auto blocks = append_blocks(store, chain, 5);  // first positions 1, 2, 4, 7, 11
    REQUIRE(store.trim_before({8}));
    CHECK(store.first() == Position{7});
    CHECK(store.tail() == Position{15});
    const auto found = store.read({1}, kAll, true);
    REQUIRE(found);
    REQUIRE(found->size() == 2);
    require_same((*found)[0], blocks[3], true);
    CHECK_FALSE(store.replace_content({2}, "x"));
    CHECK(store.read_reverse(store.tail(), kAll)->size() == 2);
    CHECK(store.read_reverse({3}, kAll)->empty());
    fixture.reopen();
    CHECK(fixture.store().first() == Position{7});
    CHECK(fixture.store().tail() == Position{15});
    CHECK(fixture.store().append(chain.next(1)).status == AppendStatus::stored);
  }
  SECTION("trimming before the first block, twice, or an empty store changes nothing") {
    REQUIRE(store.trim_before({5}));
    CHECK(store.tail() == Position{0});
    const auto blocks = append_blocks(store, chain, 3);
    REQUIRE(store.trim_before({1}));
    REQUIRE(store.trim_before({0}));
    require_all(store, blocks);
    REQUIRE(store.trim_before({4}));
    REQUIRE(store.trim_before({4}));
    CHECK(store.first() == Position{4});
  }
  SECTION("the last block stays, however far a trim reaches") {
    append_blocks(store, chain, 3);
    REQUIRE(store.trim_before({1000}));
    CHECK(store.first() == Position{4});
    CHECK(store.tail() == Position{6});
    CHECK(store.append(chain.next(1)).status == AppendStatus::stored);
  }
}

template <class Fixture>
void block_store_contract() {
  Fixture fixture;
  check_appending(fixture);
  check_reading(fixture);
  check_content(fixture);
  check_trimming(fixture);
}

}  // namespace contract
