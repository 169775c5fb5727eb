// A scan merges the stored rows with the batch's changes, both in the order of keys.
#include "projections/fold/rows.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/base/text_bytes.hpp"

namespace projections {
namespace {

Bytes name_prefix(std::string_view projection) {
  return Bytes(projection) + '/';
}

}  // namespace

RowScanner::RowScanner(eventlog::ReadableRows& rows, std::string_view projection)
    : prefix_(name_prefix(projection)), rows_(&rows) {}

RowReader::RowReader(eventlog::KeyValueStore& store, std::string_view projection)
    : RowScanner(store, projection), store_(&store) {}

Result<std::optional<Bytes>> RowReader::get_bytes(ByteView key) const {
  return store_->get(prefix_ + Bytes(key));
}

Result<std::vector<eventlog::KeyValue>> RowScanner::scan(ByteView prefix, ByteView from,
                                                         std::size_t count_max) const {
  auto found = rows_->scan(prefix_ + Bytes(prefix), prefix_ + Bytes(from), count_max);
  if (!found) return found;
  for (eventlog::KeyValue& row : *found) row.key.erase(0, prefix_.size());
  return found;
}

Rows::Rows(eventlog::KeyValueStore& store, std::string_view projection)
    : stored_(store, projection), prefix_(name_prefix(projection)) {}

void Rows::mark_changed(Entries::value_type& known) {
  if (std::exchange(known.second.is_changed, true)) return;
  changed_.emplace(known.first, &known.second);
}

Rows::Entry& Rows::entry_to_change(ByteView key) {
  auto known = entries_.find(key);
  if (known == entries_.end()) known = entries_.try_emplace(Bytes(key)).first;
  mark_changed(*known);
  return known->second;
}

void Rows::remove(ByteView key) {
  entry_to_change(key).held.reset();
}

std::optional<Bytes> Rows::stored_bytes(ByteView key) {
  auto stored = stored_.get_bytes(key);
  if (stored) return std::move(*stored);
  fail(stored.error());
  return std::nullopt;
}

std::vector<eventlog::KeyValue> Rows::scan(ByteView prefix, ByteView from, std::size_t count_max) {
  std::vector<eventlog::KeyValue> found;
  auto next = changed_.lower_bound(std::max(prefix, from));
  const auto take_changes_below = [&](const Bytes* limit) {
    while (next != changed_.end() && next->first.starts_with(prefix) &&
           (limit == nullptr || next->first < *limit) && found.size() < count_max) {
      const auto& [key, entry] = *next++;
      if (entry->held) found.push_back({Bytes(key), entry->held->encoded()});
    }
  };
  auto walked = for_each_row(stored_, prefix, from, [&](const Bytes& key, const Bytes& value) {
    take_changes_below(&key);
    if (found.size() == count_max) return false;
    const bool is_changed = next != changed_.end() && next->first == key;
    if (!is_changed) found.push_back({key, value});
    return true;
  });
  if (!walked) fail(walked.error());
  take_changes_below(nullptr);
  return found;
}

void Rows::fail(const base::Error& error) {
  if (!error_) error_ = error;
}

void Rows::move_into(eventlog::WriteBatch& batch) {
  for (const auto& [key, entry] : changed_) {
    if (entry->held) {
      batch.put(prefix_ + Bytes(key), entry->held->encoded());
    } else {
      batch.remove(prefix_ + Bytes(key));
    }
  }
  changed_.clear();
  entries_.clear();
}

base::Error detail::bad_row(const base::Error& cause, ByteView key) {
  return {base::ErrorCode::rows_damaged,
          "a row of a projection cannot be read: " + base::describe(cause) +
              "; build it anew with: steno replay rebuild",
          base::is_utf8(key) ? std::string(key) : base::to_hex(key)};
}

}  // namespace projections
