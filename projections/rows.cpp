#include "projections/rows.hpp"

namespace projections {
namespace {

Bytes name_prefix(std::string_view projection) {
  return Bytes(projection) + '/';
}

}  // namespace

RowReader::RowReader(eventlog::KeyValueStore& store, std::string_view projection)
    : store_(&store), prefix_(name_prefix(projection)) {}

Result<std::optional<Bytes>> RowReader::get_bytes(ByteView key) const {
  return store_->get(prefix_ + Bytes(key));
}

Result<std::vector<eventlog::KeyValue>> RowReader::scan(ByteView prefix, ByteView from,
                                                        std::size_t count_max) const {
  auto found = store_->scan(prefix_ + Bytes(prefix), prefix_ + Bytes(from), count_max);
  if (!found) return found;
  for (eventlog::KeyValue& row : *found) row.key.erase(0, prefix_.size());
  return found;
}

Rows::Rows(eventlog::KeyValueStore& store, std::string_view projection)
    : stored_(store, projection), prefix_(name_prefix(projection)) {}

void Rows::remove(ByteView key) {
  changes_.insert_or_assign(Bytes(key), std::nullopt);
}

std::optional<Bytes> Rows::get_bytes(ByteView key) {
  const auto changed = changes_.find(key);
  if (changed != changes_.end()) return changed->second;
  auto stored = stored_.get_bytes(key);
  if (stored) return std::move(*stored);
  fail(stored.error());
  return std::nullopt;
}

std::vector<eventlog::KeyValue> Rows::scan(ByteView prefix, ByteView from, std::size_t count_max) {
  std::vector<eventlog::KeyValue> found;
  auto changed = changes_.lower_bound(std::max(prefix, from));
  const auto take_changes_below = [&](const Bytes* limit) {
    while (changed != changes_.end() && changed->first.starts_with(prefix) &&
           (limit == nullptr || changed->first < *limit) && found.size() < count_max) {
      if (changed->second) found.push_back({changed->first, *changed->second});
      ++changed;
    }
  };
  auto walked = for_each_row(stored_, prefix, from, [&](const Bytes& key, const Bytes& value) {
    take_changes_below(&key);
    if (found.size() == count_max) return false;
    const bool is_changed = changed != changes_.end() && changed->first == key;
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
  for (auto& [key, value] : changes_) {
    if (value) {
      batch.put(prefix_ + key, std::move(*value));
    } else {
      batch.remove(prefix_ + key);
    }
  }
  changes_.clear();
}

base::Error detail::bad_row(const base::Error& cause, ByteView key) {
  return {base::ErrorCode::damaged,
          "a row of a projection cannot be read: " + base::describe(cause) +
              "; build it anew with: steno replay rebuild",
          base::is_utf8(key) ? std::string(key) : base::to_hex(key)};
}

}  // namespace projections
