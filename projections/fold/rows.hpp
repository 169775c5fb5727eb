// The rows of one projection. A row's key in the store is the projection's name, '/', and the key
// that the projection gave it. Its value is the msgpack map of a struct with `fields`, so equal
// structs have equal bytes. Keys here are without the name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/store/key_value_store.hpp"

namespace projections {

using base::Bytes;
using base::ByteView;
using base::Result;

// Rows read at a time in a walk over all rows under a prefix.
constexpr std::size_t kRowsPage = 256;

// Reads a projection's rows in the order of their keys. The rows must outlive it.
class RowScanner {
 public:
  RowScanner(eventlog::ReadableRows& rows, std::string_view projection);

  // Returns rows whose keys begin with `prefix` and are ≥ `from`, ascending, at most `count_max`.
  Result<std::vector<eventlog::KeyValue>> scan(ByteView prefix, ByteView from,
                                               std::size_t count_max) const;

 protected:
  Bytes prefix_;  // the projection's name and '/'

 private:
  eventlog::ReadableRows* rows_;
};

// Reads the stored rows, for queries. The store must outlive it.
class RowReader : public RowScanner {
 public:
  RowReader(eventlog::KeyValueStore& store, std::string_view projection);

  // Returns none if there is no such row. Error rows_damaged: the row's bytes are not a Row; else
  // the store's.
  template <class Row>
  Result<std::optional<Row>> get(ByteView key) const;
  Result<std::optional<Bytes>> get_bytes(ByteView key) const;

 private:
  eventlog::KeyValueStore* store_;
};

// The rows as a fold sees them: the stored ones, overlaid with the changes of the batch so far. A
// row is decoded when it is first asked for and encoded once, when the batch is stored. A key must
// always hold rows of one type. Used by one thread, for one batch.
//
// A read that fails yields nothing and is remembered in `error`. The projector then throws the
// whole batch away, so a fold need not handle errors of the store.
class Rows {
 public:
  Rows(eventlog::KeyValueStore& store, std::string_view projection);

  // Returns the row as the batch has it, valid until that row is put or removed; nullptr: there is
  // none.
  template <class Row>
  const Row* find(ByteView key);
  // Calls `change(row)` with the row, or with a default one if there is none, to change it in
  // place. The row is written with the batch only if `change` returns true. `change` can use other
  // rows meanwhile.
  template <class Row, class Change>
  void edit(ByteView key, Change&& change);
  template <class Row>
  void put(ByteView key, Row row);
  void remove(ByteView key);
  // As RowReader::scan, with the batch's changes. Returns the rows found so far if a read fails.
  std::vector<eventlog::KeyValue> scan(ByteView prefix, ByteView from, std::size_t count_max);

  const std::optional<base::Error>& error() const { return error_; }
  // Reports a row that cannot be one of the fold's own; the first error counts.
  void fail(const base::Error& error);
  // Moves the changes into the batch that is written together with the checkpoint.
  void move_into(eventlog::WriteBatch& batch);

 private:
  struct Held {
    virtual ~Held() = default;
    virtual Bytes encoded() const = 0;
  };
  template <class Row>
  struct HeldRow final : Held {
    Row row{};
    Bytes encoded() const override { return base::encode(row); }
  };
  struct Entry {
    std::unique_ptr<Held> held;  // none: there is no such row
    bool is_changed = false;     // by this batch, so that it is among `changed_`
  };

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(ByteView key) const { return std::hash<ByteView>{}(key); }
  };

  using Entries = std::unordered_map<Bytes, Entry, Hash, std::equal_to<>>;

  template <class Row>
  Entries::value_type& load(ByteView key);
  template <class Row>
  Row& row_in(Entry& entry);
  std::optional<Bytes> stored_bytes(ByteView key);
  Entry& entry_to_change(ByteView key);
  void mark_changed(Entries::value_type& known);

  RowReader stored_;
  Bytes prefix_;
  Entries entries_;                           // all that was read or changed
  std::map<ByteView, const Entry*> changed_;  // the changed ones of these, in order
  std::optional<base::Error> error_;
};

// Calls `use(key, value)` for each row under `prefix`, ascending from `from` on, until it returns
// false. Error: the store's.
template <class Use>
Result<void> for_each_row(const RowScanner& rows, ByteView prefix, ByteView from, Use&& use);

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
Rows::Entries::value_type& Rows::load(ByteView key) {
  const auto known = entries_.find(key);
  if (known != entries_.end()) return *known;
  auto& added = *entries_.try_emplace(Bytes(key)).first;
  const auto bytes = stored_bytes(key);
  if (!bytes) return added;
  auto row = detail::decode_row<Row>(prefix_ + Bytes(key), *bytes);
  row ? void(row_in<Row>(added.second) = std::move(*row)) : fail(row.error());
  return added;
}

template <class Row>
Row& Rows::row_in(Entry& entry) {
  if (!entry.held) entry.held = std::make_unique<HeldRow<Row>>();
  return static_cast<HeldRow<Row>&>(*entry.held).row;
}

template <class Row>
const Row* Rows::find(ByteView key) {
  Entry& entry = load<Row>(key).second;
  return entry.held ? &row_in<Row>(entry) : nullptr;
}

template <class Row, class Change>
void Rows::edit(ByteView key, Change&& change) {
  auto& known = load<Row>(key);
  Entry& entry = known.second;
  const bool is_new = !entry.held;
  if (change(row_in<Row>(entry))) {
    mark_changed(known);
  } else if (is_new) {
    entry.held.reset();
  }
}

template <class Row>
void Rows::put(ByteView key, Row row) {
  row_in<Row>(entry_to_change(key)) = std::move(row);
}

template <class Use>
Result<void> for_each_row(const RowScanner& rows, ByteView prefix, ByteView from, Use&& use) {
  Bytes next(from);
  for (;;) {
    auto page = rows.scan(prefix, next, kRowsPage);
    if (!page) return tl::unexpected(page.error());
    for (const eventlog::KeyValue& row : *page) {
      if (!use(row.key, row.value)) return {};
    }
    if (page->size() < kRowsPage) return {};
    next = page->back().key + '\0';
  }
}

}  // namespace projections
