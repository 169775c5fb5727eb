// The RocksDB store: the contract, a lock on its folder, and reads beside trimming and damage that
// never give wrong data.
#include "eventlog/rocksdb/rocksdb_store.hpp"

#include <filesystem>
#include <fstream>
#include <future>

#include "tests/contract/block_store_contract.hpp"

namespace eventlog {
namespace {

using support::RocksDbBlockStore;

TEST_CASE("the RocksDB store keeps the contract of block stores", "[eventlog]") {
  contract::block_store_contract<RocksDbBlockStore>();
}

TEST_CASE("a folder that is open is in use", "[eventlog]") {
  RocksDbBlockStore fixture;
  const auto second = open_rocksdb_store({fixture.folder()});
  REQUIRE_FALSE(second);
  CHECK(second.error().code == base::ErrorCode::in_use);
  support::BlockChain chain;
  CHECK(fixture.store().append(chain.next(1)).status == AppendStatus::stored);
}

TEST_CASE("a log that is not there is not made unasked", "[eventlog]") {
  const support::TempFolder folder;
  RocksDbStoreOptions options{folder.file("log")};
  options.create_if_missing = false;
  const auto missing = open_rocksdb_store(options);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == base::ErrorCode::not_found);
  options.create_if_missing = true;
  options.read_only = true;
  const auto unreadable = open_rocksdb_store(options);
  REQUIRE_FALSE(unreadable);
  CHECK(unreadable.error().code == base::ErrorCode::not_found);
}

TEST_CASE("what is read beside trimming has its content, or is not there", "[eventlog]") {
  const support::TempFolder folder;
  const auto store = open_rocksdb_store({folder.file("log")});
  REQUIRE(store);
  support::BlockChain chain;
  constexpr std::int64_t kBlocks = 400;
  for (std::int64_t i = 0; i < kBlocks; ++i) (*store)->append(chain.next(1, "content"));
  auto trimming = std::async(std::launch::async, [&] {
    for (Position at{9}; at.value < kBlocks; at = at.plus(8)) {
      if (!(*store)->trim_before(at)) return false;
    }
    return true;
  });
  std::int64_t without = 0;
  while (trimming.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    for (const auto& blocks :
         {*(*store)->read({1}, 1 << 20, true), *(*store)->read_reverse({kBlocks}, 1 << 20)}) {
      without += std::count_if(blocks.begin(), blocks.end(),
                               [](const StoredBlock& block) { return block.content.empty(); });
    }
  }
  CHECK(trimming.get());
  CHECK(without == 0);
}

TEST_CASE("where a table is damaged, nothing else is read instead", "[eventlog]") {
  const support::TempFolder folder;
  const std::string copy = folder.file("copy");
  support::BlockChain chain;
  {
    const auto store = open_rocksdb_store({folder.file("log")});
    REQUIRE(store);
    for (int i = 0; i < 2'000; ++i) (*store)->append(chain.next(20));
    REQUIRE((*store)->copy_to(copy));  // everything is in tables
  }
  std::filesystem::path table;
  for (const auto& entry : std::filesystem::directory_iterator(copy)) {
    const bool is_larger = table.empty() || entry.file_size() > std::filesystem::file_size(table);
    if (entry.path().extension() == ".sst" && is_larger) table = entry.path();
  }
  REQUIRE(!table.empty());
  {
    std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(table) / 2));
    file.write("damage", 6);
  }
  RocksDbStoreOptions options{copy};
  options.read_only = true;
  const auto store = open_rocksdb_store(options);
  REQUIRE(store);
  const std::size_t bytes_max = GENERATE(std::size_t{1}, std::size_t{2});
  std::int64_t unreadable = 0;
  for (Position at{1}; at <= (*store)->tail(); at = at.plus(20)) {
    const auto blocks = (*store)->read(at, bytes_max, false);
    if (!blocks) {
      ++unreadable;
      continue;
    }
    REQUIRE(!blocks->empty());
    REQUIRE(parse_block(blocks->front().facts)->header.first == at);
  }
  CHECK(unreadable > 0);
  CHECK(unreadable < 1'000);
}

TEST_CASE("a read-only store reads and refuses to append", "[eventlog]") {
  const support::TempFolder folder;
  support::BlockChain chain;
  std::vector<SealedBlock> blocks;
  {
    const auto store = open_rocksdb_store({folder.file("log")});
    REQUIRE(store);
    blocks = contract::append_blocks(**store, chain, 3);
  }
  RocksDbStoreOptions options{folder.file("log")};
  options.read_only = true;
  const auto store = open_rocksdb_store(options);
  REQUIRE(store);
  contract::require_all(**store, blocks);
  CHECK((*store)->append(chain.next(1)).status == AppendStatus::unknown);
  CHECK_FALSE((*store)->replace_content({1}, "x"));
}

}  // namespace
}  // namespace eventlog
