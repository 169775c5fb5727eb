// The file system through which RocksDB writes to a FaultyDisk. Includes nothing of RocksDB, so
// that tests which only open the product's stores need not either.
#pragma once

#include <memory>

#include "tests/support/faulty_disk.hpp"

namespace support {

// A rocksdb::Env; `disk` outlives it.
std::unique_ptr<void, void (*)(void*)> make_faulty_env(FaultyDisk& disk);

}  // namespace support
