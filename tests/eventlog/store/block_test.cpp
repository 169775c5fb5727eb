// The format of a block: the bytes of the documentation, refusal of every flipped or missing bit,
// and bounds for its builder.
#include "eventlog/store/block.hpp"

#include <limits>

#include "eventlog/base/random.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"

namespace eventlog {
namespace {

using support::block_event;
using support::BlockChain;

// Returns the block of the golden files: two events, the first with content.
SealedBlock sample() {
  BlockChain chain;
  chain.next(1);
  return chain.next(2, "content of event 2");
}

TEST_CASE("a sealed block parses to what was put in", "[eventlog]") {
  BlockChain chain;
  const SealedBlock first = chain.next(1);
  const SealedBlock second = chain.next(3);
  const auto view = parse_block(second.facts);
  REQUIRE(view);
  CHECK(view->header == second.header);
  CHECK(view->hash() == second.hash);
  CHECK(view->hash() == base::blake2b(second.facts));
  CHECK(view->header.previous == first.hash);
  CHECK(view->header.first == Position{2});
  CHECK(view->header.last() == Position{4});
  REQUIRE(view->events.size() == 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(view->events[static_cast<std::size_t>(i)] == block_event({2 + i}));
  }
}

TEST_CASE("a block keeps the bytes that it was first written with", "[eventlog]") {
  const auto facts = support::golden("block/facts.v1.hex", [] { return sample().facts; });
  const auto content = support::golden("block/content.v1.hex", [] { return sample().content; });
  REQUIRE(facts);
  REQUIRE(content);
  CHECK(*facts == sample().facts);
  CHECK(*content == sample().content);
  const auto view = parse_block(*facts);
  REQUIRE(view);
  CHECK(view->header == sample().header);
  CHECK(view->events == std::vector<ByteView>{"event 2", "event 3"});
  const auto entries = base::decode<ContentBlock>(*content);
  REQUIRE(entries);
  REQUIRE(entries->entries.size() == 1);
  CHECK(entries->entries[0].content.bytes == "content of event 2");
}

TEST_CASE("the worked examples of the README are the golden block and its content", "[eventlog]") {
  const auto example = [](const char* start) {
    return support::readme_example("eventlog/README.md", start);
  };
  CHECK(example("53544e42 ") == sample().facts);
  CHECK(example("81 a165 91 ") == sample().content);
}

TEST_CASE("a block with one flipped bit anywhere is refused", "[eventlog]") {
  const Bytes good = sample().facts;
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bad = good;
      bad[byte] = static_cast<char>(static_cast<unsigned char>(bad[byte]) ^ (1u << bit));
      const auto view = parse_block(bad);
      INFO("byte " << byte << " bit " << bit);
      REQUIRE_FALSE(view);
      // A flip that raises the format number looks like a block of a later release.
      const bool is_format = byte >= 4 && byte < 8;
      REQUIRE((view.error().code == base::ErrorCode::damaged ||
               (is_format && view.error().code == base::ErrorCode::wrong_log)));
    }
  }
}

TEST_CASE("a block that is cut short anywhere, or longer, is refused as damaged", "[eventlog]") {
  const Bytes good = sample().facts;
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto view = parse_block(ByteView(good).substr(0, size));
    REQUIRE_FALSE(view);
    REQUIRE(view.error().code == base::ErrorCode::damaged);
  }
  CHECK_FALSE(parse_block(good + '\0'));
  CHECK_FALSE(parse_block(good + good));
}

TEST_CASE("a block whose header holds a number that no checkpoint can hold is refused",
          "[eventlog]") {
  const auto with = [](auto&& change) {
    BlockChain chain;
    change(chain.header());
    BlockBuilder builder;
    builder.add("x");
    builder.add("y");
    return parse_block(builder.seal(chain.header()).facts);
  };
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  CHECK(with([](BlockHeader&) {}));
  CHECK_FALSE(with([](BlockHeader& h) { h.first = {kMax}; }));
  CHECK_FALSE(with([](BlockHeader& h) { h.first = {base::kIntegerLimit - 1}; }));
  CHECK_FALSE(with([](BlockHeader& h) { h.epoch.counter = -kMax; }));
  CHECK_FALSE(with([](BlockHeader& h) { h.writer_term = base::kIntegerLimit; }));
  CHECK_FALSE(with([](BlockHeader& h) { h.time.us = kMax; }));
}

TEST_CASE("a block of a newer format is another release's, whatever follows", "[eventlog]") {
  Bytes newer = sample().facts;
  newer[7] = static_cast<char>(kBlockFormat + 1);
  const auto view = parse_block(newer);
  REQUIRE_FALSE(view);
  CHECK(view.error().code == base::ErrorCode::wrong_log);
}

TEST_CASE("random bytes are no block", "[eventlog]") {
  base::SeededRandom random(4);
  for (int round = 0; round < 2000; ++round) {
    Bytes bytes(random.below(300), '\0');
    for (char& c : bytes) c = static_cast<char>(random.next());
    if (round % 2 == 0 && bytes.size() > 8) bytes.replace(0, 8, Bytes("STNB\0\0\0\1", 8));
    REQUIRE_FALSE(parse_block(bytes));
  }
}

// Returns a block with a right checksum over a wrong inside.
Bytes with_checksum(Bytes bytes) {
  bytes.resize(bytes.size() - 8);
  base::append_u64(bytes, base::xxh3(bytes));
  return bytes;
}

TEST_CASE("a block that proves itself but makes no sense is refused", "[eventlog]") {
  const Bytes good = sample().facts;
  constexpr std::size_t kFirst = 4 + 4 + 16 + 8 + 8 + 8;
  constexpr std::size_t kCount = kFirst + 8;
  constexpr std::size_t kBody = kCount + 4 + 8 + 32 + 4;
  REQUIRE(parse_block(with_checksum(good)));
  Bytes bad = good;
  SECTION("another count than events") {
    bad[kCount + 3] = 3;
  }
  SECTION("no events") {
    bad[kCount + 3] = 0;
  }
  SECTION("position 0") {
    bad[kFirst + 7] = 0;
  }
  SECTION("an event longer than the body") {
    bad[kBody + 2] = 1;
  }
  SECTION("another length than the body's") {
    bad[kBody - 1] = 1;
  }
  const auto view = parse_block(with_checksum(bad));
  REQUIRE_FALSE(view);
  CHECK(view.error().code == base::ErrorCode::damaged);
}

TEST_CASE("a builder is full at either bound, and empty once sealed", "[eventlog]") {
  BlockChain chain;
  BlockBuilder builder;
  CHECK(builder.is_empty());
  for (std::size_t i = 0; i < kBlockEventsMax; ++i) {
    REQUIRE_FALSE(builder.is_full());
    builder.add("x");
  }
  CHECK(builder.is_full());
  CHECK(builder.count() == static_cast<std::int64_t>(kBlockEventsMax));
  CHECK(chain.sealed(builder).header.count == static_cast<std::int64_t>(kBlockEventsMax));
  CHECK(builder.is_empty());
  builder.add("x");
  builder.add_chunks({}, {{"key", Bytes(kBlockBytesMax, 'c')}});
  CHECK(builder.is_full());
  const SealedBlock chunked = chain.sealed(builder);
  CHECK(chunked.chunks.size() == 1);
  CHECK_FALSE(chunked.content.empty());
  CHECK_FALSE(builder.is_full());
  builder.add(Bytes(kBlockBytesMax, 'f'));
  CHECK(builder.is_full());
}

TEST_CASE("a block without content has no content bytes", "[eventlog]") {
  BlockChain chain;
  CHECK(chain.next(2).content.empty());
}

TEST_CASE("keys of chunks sort by stream, digest and number", "[eventlog]") {
  const Hash digest{'d'};
  CHECK(chunk_key("a/session/x", digest, 0) < chunk_key("a/session/x", digest, 1));
  CHECK(chunk_key("a/session/x", digest, 255) < chunk_key("a/session/x", digest, 256));
  CHECK(chunk_key("a/session/x", digest, 0).starts_with(Bytes("a/session/x\0d", 13)));
}

}  // namespace
}  // namespace eventlog
