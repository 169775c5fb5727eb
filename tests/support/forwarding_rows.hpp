// Rows in memory, as a base for rows with faults: calls that a test does not override go through.
#pragma once

#include <memory>

#include "eventlog/store/key_value_store.hpp"

namespace support {

class ForwardingRows : public eventlog::KeyValueStore {
 public:
  base::Result<void> write(const eventlog::WriteBatch& batch) override {
    return rows_->write(batch);
  }
  base::Result<std::optional<base::Bytes>> get(base::ByteView key) override {
    return rows_->get(key);
  }
  base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                     std::size_t count_max) override {
    return rows_->scan(prefix, from, count_max);
  }
  base::Result<std::optional<eventlog::KeyValue>> last(base::ByteView prefix) override {
    return rows_->last(prefix);
  }
  base::Result<void> clear() override { return rows_->clear(); }
  base::Result<std::unique_ptr<eventlog::ReadableRows>> snapshot() override {
    return rows_->snapshot();
  }

 protected:
  // Starts again without rows.
  void forget_all() { rows_ = eventlog::make_memory_key_value_store(); }

 private:
  std::unique_ptr<eventlog::KeyValueStore> rows_ = eventlog::make_memory_key_value_store();
};

// Counts the reads of other rows, which must outlive it.
class CountingRows : public eventlog::KeyValueStore {
 public:
  explicit CountingRows(eventlog::KeyValueStore& rows) : rows_(rows) {}

  base::Result<void> write(const eventlog::WriteBatch& batch) override {
    return rows_.write(batch);
  }
  base::Result<std::optional<base::Bytes>> get(base::ByteView key) override {
    ++rows_read;
    return rows_.get(key);
  }
  base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                     std::size_t count_max) override {
    auto found = rows_.scan(prefix, from, count_max);
    if (found) rows_read += found->size();
    return found;
  }
  base::Result<std::optional<eventlog::KeyValue>> last(base::ByteView prefix) override {
    ++rows_read;
    return rows_.last(prefix);
  }
  base::Result<void> clear() override { return rows_.clear(); }
  base::Result<std::unique_ptr<eventlog::ReadableRows>> snapshot() override {
    return rows_.snapshot();
  }

  std::size_t rows_read = 0;

 private:
  eventlog::KeyValueStore& rows_;
};

}  // namespace support
