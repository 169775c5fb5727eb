// The block stores and key-value stores that must keep a contract, each behind the same small
// fixture: make a store and, if it is durable, close and reopen it.
#pragma once

#include <memory>

#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "eventlog/store/key_value_store.hpp"
#include "eventlog/store/memory_store.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

namespace support {

class MemoryBlockStore {
 public:
  static constexpr bool kLasts = false;
  eventlog::BlockStore& store() { return store_; }
  void reopen() {}

 private:
  eventlog::MemoryStore store_;
};

class RocksDbBlockStore {
 public:
  static constexpr bool kLasts = true;
  RocksDbBlockStore() { open(); }
  eventlog::BlockStore& store() { return *store_; }
  void reopen() {
    store_.reset();
    open();
  }
  std::string folder() const { return folder_.file("log"); }

 private:
  void open() {
    auto opened = eventlog::open_rocksdb_store({folder()});
    if (!opened) FAIL(base::describe(opened.error()));
    store_ = std::move(*opened);
  }

  TempFolder folder_;
  std::unique_ptr<eventlog::BlockStore> store_;
};

class MemoryRows {
 public:
  static constexpr bool kLasts = false;
  eventlog::KeyValueStore& store() { return *store_; }
  void reopen() {}

 private:
  std::unique_ptr<eventlog::KeyValueStore> store_ = eventlog::make_memory_key_value_store();
};

class RocksDbRows {
 public:
  static constexpr bool kLasts = true;
  RocksDbRows() { open(); }
  eventlog::KeyValueStore& store() { return *store_; }
  void reopen() {
    store_.reset();
    open();
  }
  std::string folder() const { return folder_.file("rows"); }

 private:
  void open() {
    auto opened = eventlog::open_rocksdb_key_value_store(folder());
    if (!opened) FAIL(base::describe(opened.error()));
    store_ = std::move(*opened);
  }

  TempFolder folder_;
  std::unique_ptr<eventlog::KeyValueStore> store_;
};

}  // namespace support
