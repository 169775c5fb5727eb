// Other rows, of which one read fails: the one that the test names by its number.
#pragma once

#include <functional>
#include <limits>
#include <memory>

#include "eventlog/store/key_value_store.hpp"
#include "tests/support/catch.hpp"

namespace support {

// Refers to the rows, which outlive it.
class FailingReads final : public eventlog::KeyValueStore {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  explicit FailingReads(eventlog::KeyValueStore& rows) : rows_(rows) {}

  base::Result<void> write(const eventlog::WriteBatch& batch) override {
    return rows_.write(batch);
  }
  base::Result<std::optional<base::Bytes>> get(base::ByteView key) override {
    if (is_failing()) return failure();
    return rows_.get(key);
  }
  base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                     std::size_t count_max) override {
    if (is_failing()) return failure();
    return rows_.scan(prefix, from, count_max);
  }
  base::Result<std::optional<eventlog::KeyValue>> last(base::ByteView prefix) override {
    if (is_failing()) return failure();
    return rows_.last(prefix);
  }
  base::Result<void> clear() override { return rows_.clear(); }
  base::Result<std::unique_ptr<eventlog::ReadableRows>> snapshot() override {
    if (is_failing()) return failure();
    auto rows = rows_.snapshot();
    if (!rows) return rows;
    return std::make_unique<Snapshot>(*this, std::move(*rows));
  }

  std::size_t reads = 0;          // so far
  std::size_t fails_at = kNever;  // the number of the read that fails, from 0

 private:
  class Snapshot final : public eventlog::ReadableRows {
   public:
    Snapshot(FailingReads& reads, std::unique_ptr<eventlog::ReadableRows> rows)
        : reads_(reads), rows_(std::move(rows)) {}
    base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                       std::size_t count_max) override {
      if (reads_.is_failing()) return failure();
      return rows_->scan(prefix, from, count_max);
    }

   private:
    FailingReads& reads_;
    const std::unique_ptr<eventlog::ReadableRows> rows_;
  };

  bool is_failing() { return reads++ == fails_at; }
  static tl::unexpected<base::Error> failure() {
    return base::failure(base::ErrorCode::io, "Input/output error");
  }

  eventlog::KeyValueStore& rows_;
};

// Whichever of its reads fails, `use` must fail with that error. Returns how many reads there are.
template <class Use>
std::size_t require_each_read_matters(eventlog::KeyValueStore& rows, Use&& use) {
  for (std::size_t number = 0;; ++number) {
    INFO("read " << number << " fails");
    FailingReads failing(rows);
    failing.fails_at = number;
    const auto outcome = use(failing);
    if (failing.reads <= number) {
      REQUIRE(outcome);
      return number;
    }
    REQUIRE_FALSE(outcome);
    REQUIRE(outcome.error().code == base::ErrorCode::io);
  }
}

}  // namespace support
