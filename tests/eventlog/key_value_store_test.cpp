#include "eventlog/key_value_store.hpp"

#include "tests/contract/key_value_store_contract.hpp"

namespace eventlog {
namespace {

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

}  // namespace
}  // namespace eventlog
