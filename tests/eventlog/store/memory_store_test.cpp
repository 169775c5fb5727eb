// The memory store keeps the contract of block stores and promises no durability beyond the
// process.
#include "eventlog/store/memory_store.hpp"

#include "tests/contract/block_store_contract.hpp"

namespace eventlog {
namespace {

TEST_CASE("the memory store keeps the contract of block stores", "[eventlog]") {
  contract::block_store_contract<support::MemoryBlockStore>();
}

}  // namespace
}  // namespace eventlog
