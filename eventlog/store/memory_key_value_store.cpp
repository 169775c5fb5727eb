// The KeyValueStore of tests and simulation: a std::map; a snapshot is a copy of it.
#include <map>

#include "eventlog/store/key_value_store.hpp"

namespace eventlog {
namespace {

using base::Bytes;
using base::ByteView;
using base::Result;

using Entries = std::map<Bytes, Bytes, std::less<>>;

std::vector<KeyValue> scan_entries(const Entries& entries, ByteView prefix, ByteView from,
                                   std::size_t count_max) {
  std::vector<KeyValue> found;
  for (auto at = entries.lower_bound(std::max(prefix, from));
       at != entries.end() && at->first.starts_with(prefix) && found.size() < count_max; ++at) {
    found.push_back({at->first, at->second});
  }
  return found;
}

class MemorySnapshot final : public ReadableRows {
 public:
  explicit MemorySnapshot(const Entries& entries) : entries_(entries) {}

  Result<std::vector<KeyValue>> scan(ByteView prefix, ByteView from,
                                     std::size_t count_max) override {
    return scan_entries(entries_, prefix, from, count_max);
  }

 private:
  const Entries entries_;
};

class MemoryKeyValueStore final : public KeyValueStore {
 public:
  Result<void> write(const WriteBatch& batch) override {
    for (const Bytes& key : batch.removes) map_.erase(key);
    for (const auto& [key, value] : batch.puts) map_[key] = value;
    return {};
  }

  Result<std::optional<Bytes>> get(ByteView key) override {
    const auto found = map_.find(key);
    return found == map_.end() ? std::nullopt : std::optional(found->second);
  }

  Result<std::vector<KeyValue>> scan(ByteView prefix, ByteView from,
                                     std::size_t count_max) override {
    return scan_entries(map_, prefix, from, count_max);
  }

  Result<std::optional<KeyValue>> last(ByteView prefix) override {
    std::optional<KeyValue> found;
    for (auto at = map_.lower_bound(prefix); at != map_.end() && at->first.starts_with(prefix);
         ++at) {
      found = KeyValue{at->first, at->second};
    }
    return found;
  }

  Result<void> clear() override {
    map_.clear();
    return {};
  }

  Result<std::unique_ptr<ReadableRows>> snapshot() override {
    return std::make_unique<MemorySnapshot>(map_);
  }

 private:
  Entries map_;
};

}  // namespace

std::unique_ptr<KeyValueStore> make_memory_key_value_store() {
  return std::make_unique<MemoryKeyValueStore>();
}

}  // namespace eventlog
