// The rows of one projection. In the store a row's key is the projection's name, '/', and the key
// that the projection gave it; its value is the msgpack map of a struct with `fields`, and thereby
// the same bytes whenever the struct is equal. Keys here are without the name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/key_value_store.hpp"

namespace projections {

using base::Bytes;
using base::ByteView;
using base::Result;

// Rows read at a time where all rows under a prefix are walked.
constexpr std::size_t kRowsPage = 256;

// Reads what is stored: the view of queries. Refers to the store, which must outlive it.
class RowReader {
 public:
  RowReader(eventlog::KeyValueStore& store, std::string_view projection);

  // No value: there is no such row. Error damaged: the row's bytes are not a Row.
  template <class Row>
  Result<std::optional<Row>> get(ByteView key) const;
  Result<std::optional<Bytes>> get_bytes(ByteView key) const;
  // Rows whose keys begin with `prefix` and are ≥ `from`, ascending, at most `count_max`.
  Result<std::vector<eventlog::KeyValue>> scan(ByteView prefix, ByteView from,
                                               std::size_t count_max) const;

 private:
  eventlog::KeyValueStore* store_;
  Bytes prefix_;  // the projection's name and '/'
};

// What a fold works on: the stored rows, overlaid with what the batch has changed so far. Used by
// one thread, for one batch.
//
// A read that fails yields nothing and is remembered in `error`; the projector then throws the
// whole batch away, so a fold need not look after errors of the store.
class Rows {
 public:
  Rows(eventlog::KeyValueStore& store, std::string_view projection);

  template <class Row>
  std::optional<Row> get(ByteView key);
  // The row, or a default one where there is none yet.
  template <class Row>
  Row get_or_new(ByteView key);
  template <class Row>
  void put(ByteView key, const Row& row);
  void remove(ByteView key);
  // As RowReader::scan, with the batch's changes.
  std::vector<eventlog::KeyValue> scan(ByteView prefix, ByteView from, std::size_t count_max);

  const std::optional<base::Error>& error() const { return error_; }
  // Adds the changes to the batch that is written together with the checkpoint.
  void move_into(eventlog::WriteBatch& batch);

 private:
  std::optional<Bytes> get_bytes(ByteView key);
  void fail(const base::Error& error);

  RowReader stored_;
  Bytes prefix_;
  std::map<Bytes, std::optional<Bytes>, std::less<>> changes_;  // no value: removed
  std::optional<base::Error> error_;
};

// Calls `use(key, value)` for each row under `prefix`, ascending from `from` on, until it returns
// false. Error: the store's.
template <class Use>
Result<bool> for_each_row(const RowReader& rows, ByteView prefix, ByteView from, Use&& use);

// ---- implementation of the templates ----

namespace detail {

base::Error bad_row(const base::Error& cause, ByteView key);

template <class Row>
Result<Row> decode_row(ByteView key, ByteView bytes) {
  auto row = base::decode<Row>(bytes);
  if (!row) return tl::unexpected(bad_row(row.error(), key));
  return row;
}

}  // namespace detail

template <class Row>
Result<std::optional<Row>> RowReader::get(ByteView key) const {
  auto bytes = get_bytes(key);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  auto row = detail::decode_row<Row>(prefix_ + Bytes(key), **bytes);
  if (!row) return tl::unexpected(row.error());
  return std::optional<Row>(std::move(*row));
}

template <class Row>
std::optional<Row> Rows::get(ByteView key) {
  const auto bytes = get_bytes(key);
  if (!bytes) return std::nullopt;
  auto row = detail::decode_row<Row>(prefix_ + Bytes(key), *bytes);
  if (!row) {
    fail(row.error());
    return std::nullopt;
  }
  return std::move(*row);
}

template <class Row>
Row Rows::get_or_new(ByteView key) {
  auto row = get<Row>(key);
  return row ? std::move(*row) : Row{};
}

template <class Row>
void Rows::put(ByteView key, const Row& row) {
  changes_.insert_or_assign(Bytes(key), base::encode(row));
}

template <class Use>
Result<bool> for_each_row(const RowReader& rows, ByteView prefix, ByteView from, Use&& use) {
  Bytes next(from);
  for (;;) {
    auto page = rows.scan(prefix, next, kRowsPage);
    if (!page) return tl::unexpected(page.error());
    for (const eventlog::KeyValue& row : *page) {
      if (!use(row.key, row.value)) return true;
    }
    if (page->size() < kRowsPage) return true;
    next = page->back().key + '\0';
  }
}

}  // namespace projections
