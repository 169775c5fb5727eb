// The file system through which RocksDB writes to a FaultyDisk. Does not include RocksDB, so that
// tests which only open the product's stores do not need it.
#pragma once

#include <memory>

#include "tests/support/faulty_disk.hpp"

namespace support {

// Returns a rocksdb::Env; `disk` outlives it.
std::unique_ptr<void, void (*)(void*)> make_faulty_env(FaultyDisk& disk);

}  // namespace support
