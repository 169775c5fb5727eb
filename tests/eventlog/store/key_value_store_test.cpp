// Both key-value stores keep the contract, and opening a large one does not read its rows.
#include "eventlog/store/key_value_store.hpp"

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/contract/key_value_store_contract.hpp"

namespace eventlog {
namespace {

// Returns the bytes that all threads of this process have read, from files and elsewhere, since it
// began.
std::int64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::int64_t bytes = 0;
  io >> name >> bytes;
  REQUIRE(name == "rchar:");
  return bytes;
}

int tables_in(const std::string& folder) {
  int tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".sst") ++tables;
  }
  return tables;
}

// Writes four tables of `rows_of_table` rows, which RocksDB compacts into one, as in a store that
// has worked for long. Returns when no compaction is in flight.
void fill(KeyValueStore& store, const std::string& folder, int rows_of_table) {
  int row = 0;
  for (int table = 0; table < 4; ++table) {
    WriteBatch batch;
    for (int i = 0; i < rows_of_table; ++i) {
      // Spread keys, so that each table covers the whole range.
      const int number = 1'000'000 + (++row * 7919) % 999'983;
      batch.put("row/" + std::to_string(number), base::Bytes(100, 'v'));
    }
    REQUIRE(store.write(batch));
    REQUIRE(store.flush());
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (tables_in(folder) > 1) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    ::poll(nullptr, 0, 1);
  }
}

std::int64_t bytes_read_at_opening(int rows_of_table) {
  support::RocksDbRows fixture;
  fill(fixture.store(), fixture.folder(), rows_of_table);
  const std::int64_t before = bytes_read();
  fixture.reopen();
  return bytes_read() - before;
}

TEST_CASE("the memory key-value store keeps the contract", "[eventlog]") {
  contract::key_value_store_contract<support::MemoryRows>();
}

TEST_CASE("the RocksDB key-value store keeps the contract", "[eventlog]") {
  contract::key_value_store_contract<support::RocksDbRows>();
}

TEST_CASE("a key-value folder that is open is in use", "[eventlog]") {
  support::RocksDbRows fixture;
  const auto second = open_rocksdb_key_value_store(fixture.folder());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == base::ErrorCode::in_use);
}

TEST_CASE("opening a store of rows reads no more of many than of few", "[eventlog]") {
  constexpr std::int64_t kMoreMax = 32 << 10;  // the filter and index of the rows take 120 KB
  CHECK(bytes_read_at_opening(16'000) < bytes_read_at_opening(100) + kMoreMax);
}

}  // namespace
}  // namespace eventlog
