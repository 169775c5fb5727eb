// Rows in memory with faults. Writes fail while `is_full`. A get() of a key that begins with
// `unreadable` fails. With `is_broken`, reads meet damage until all rows are cleared.
#pragma once

#include <string>

#include "tests/support/forwarding_rows.hpp"

namespace support {

class FaultyRows final : public ForwardingRows {
 public:
  base::Result<void> write(const eventlog::WriteBatch& batch) override {
    if (is_full) return base::failure(base::ErrorCode::io, "No space left on device");
    return ForwardingRows::write(batch);
  }
  base::Result<std::optional<base::Bytes>> get(base::ByteView key) override {
    if (!unreadable.empty() && key.starts_with(unreadable)) {
      return base::failure(base::ErrorCode::io, "Input/output error");
    }
    if (is_broken) return tl::unexpected(meet_damage());
    return ForwardingRows::get(key);
  }
  base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                     std::size_t count_max) override {
    if (is_broken) return tl::unexpected(meet_damage());
    return ForwardingRows::scan(prefix, from, count_max);
  }
  base::Result<std::unique_ptr<eventlog::ReadableRows>> snapshot() override {
    auto rows = ForwardingRows::snapshot();
    if (!rows) return rows;
    return std::make_unique<Snapshot>(*this, std::move(*rows));
  }
  std::optional<base::Error> damage() const override { return met_; }
  void note_damage(const base::Error& error) override { met_ = error; }
  base::Result<void> clear() override {
    if (is_full) return base::failure(base::ErrorCode::io, "No space left on device");
    is_broken = false;
    met_.reset();
    return ForwardingRows::clear();
  }

  bool is_full = false;
  bool is_broken = false;
  std::string unreadable;

 private:
  class Snapshot final : public eventlog::ReadableRows {
   public:
    Snapshot(FaultyRows& store, std::unique_ptr<eventlog::ReadableRows> rows)
        : store_(store), rows_(std::move(rows)) {}
    base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                       std::size_t count_max) override {
      if (store_.is_broken) return tl::unexpected(store_.meet_damage());
      return rows_->scan(prefix, from, count_max);
    }

   private:
    FaultyRows& store_;
    std::unique_ptr<eventlog::ReadableRows> rows_;
  };

  base::Error meet_damage() {
    met_ = base::Error{base::ErrorCode::rows_damaged, "a block that is not what it was", {}};
    return *met_;
  }

  std::optional<base::Error> met_;
};

}  // namespace support
