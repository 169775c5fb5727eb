// Damage for tests: changes the stored bytes of a log behind its owner's back.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <functional>
#include <stdexcept>

#include "eventlog/base/bytes.hpp"

namespace support {

// The database of a log that is not open elsewhere.
class RawLog {
 public:
  explicit RawLog(const std::string& folder) {
    rocksdb::ColumnFamilyOptions family;
    family.compression = rocksdb::kNoCompression;  // as the product has it
    rocksdb::DB* raw = nullptr;
    const auto status = rocksdb::DB::Open(
        rocksdb::DBOptions(), folder,
        {{rocksdb::kDefaultColumnFamilyName, family}, {"content", family}, {"chunks", family}},
        &families_, &raw);
    if (!status.ok()) throw std::runtime_error(status.ToString());
    db_.reset(raw);
  }
  RawLog(const RawLog&) = delete;
  RawLog& operator=(const RawLog&) = delete;
  ~RawLog() {
    for (auto* family : families_) db_->DestroyColumnFamilyHandle(family);
  }

  // Returns the facts of the block that begins at this position.
  std::string facts(std::int64_t first) {
    std::string bytes;
    check(db_->Get(rocksdb::ReadOptions(), families_[0], key(first), &bytes));
    return bytes;
  }
  void put_facts(std::int64_t first, const std::string& bytes) {
    check(db_->Put(rocksdb::WriteOptions(), families_[0], key(first), bytes));
  }
  void remove_block(std::int64_t first) {
    check(db_->Delete(rocksdb::WriteOptions(), families_[0], key(first)));
  }
  // Moves everything from the write-ahead log into table files.
  void flush() {
    for (auto* family : families_) check(db_->Flush(rocksdb::FlushOptions(), family));
  }

 private:
  static std::string key(std::int64_t first) {
    std::string bytes;
    base::append_u64(bytes, static_cast<std::uint64_t>(first));
    return bytes;
  }
  static void check(const rocksdb::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

// Returns the file with that extension in the folder that was written last.
inline std::string newest_file(const std::string& folder, const std::string& extension) {
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == extension && path > newest) newest = path;
  }
  return newest;
}

}  // namespace support
