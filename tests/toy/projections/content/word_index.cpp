// Rows in a RocksDB of its own:
//
//   w/<word> 00 <position:u64>         → nothing
//   s/<stream> 00 <version:u64>        → WordsOfEvent
//   checkpoint                         → StoredCheckpoint
//
// A removed row stays in the store's files for a while, so scrub() writes all others anew.
#include "projections/content/word_index.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "eventlog/base/fields.hpp"

namespace projections {

void (*at_word_index_commit)() = nullptr;

namespace {

struct WordsOfEvent {
  Position position;
  std::vector<std::string> words;

  bool operator==(const WordsOfEvent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &WordsOfEvent::position);
    visit("words", &WordsOfEvent::words);
  }
};

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
const Bytes kCheckpointKey = "checkpoint";

Bytes numbered_key(std::string_view kind, std::string_view name, std::int64_t number) {
  Bytes key = Bytes(kind).append(name).append(1, '\0');
  base::append_u64(key, static_cast<std::uint64_t>(number));
  return key;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

void tell_commit() {
  if (at_word_index_commit != nullptr) at_word_index_commit();
}

class WordIndex final : public ContentIndex {
 public:
  explicit WordIndex(std::unique_ptr<eventlog::KeyValueStore> rows) : rows_(std::move(rows)) {}

  Result<std::optional<StoredCheckpoint>> checkpoint() override {
    const auto bytes = rows_->get(kCheckpointKey);
    if (!bytes) return tl::unexpected(bytes.error());
    if (!*bytes) return std::nullopt;
    auto stored = base::decode<StoredCheckpoint>(**bytes);
    if (stored) return std::optional(*stored);
    return base::failure(base::ErrorCode::rows_damaged, stored.error().text);
  }

  Result<void> begin() override {
    batch_ = {};
    return {};
  }

  Result<void> apply(const domain::RecordedEvent& event, const domain::StreamRef*) override {
    if (!event.content) return {};
    const domain::Envelope& envelope = event.envelope;
    const auto words = words_of(event.content->text);
    for (const std::string& word : words) {
      batch_.put(numbered_key("w/", word, envelope.position.value), {});
    }
    batch_.put(numbered_key("s/", envelope.stream, envelope.version.value),
               base::encode(WordsOfEvent{envelope.position, {words.begin(), words.end()}}));
    return {};
  }

  Result<void> erase(std::string_view stream, const domain::VersionRanges& events) override {
    const Bytes prefix = Bytes("s/").append(stream).append(1, '\0');
    for (const domain::VersionRange& range : events) {
      const auto rows = rows_->scan(prefix, numbered_key("s/", stream, range.first.value), kAll);
      if (!rows) return tl::unexpected(rows.error());
      for (const eventlog::KeyValue& row : *rows) {
        if (row.key > numbered_key("s/", stream, range.last.value)) break;
        const auto found = base::decode<WordsOfEvent>(row.value);
        if (!found) return base::failure(base::ErrorCode::rows_damaged, found.error().text);
        for (const std::string& word : found->words) {
          batch_.remove(numbered_key("w/", word, found->position.value));
        }
        batch_.remove(row.key);
      }
    }
    return {};
  }

  Result<void> commit(const StoredCheckpoint& reached) override {
    batch_.put(kCheckpointKey, base::encode(reached));
    tell_commit();
    auto done = rows_->write(std::exchange(batch_, {}));
    if (done) done = rows_->flush();
    tell_commit();
    return done;
  }

  Result<void> scrub() override {
    const auto rows = rows_->scan({}, {}, kAll);
    if (!rows) return tl::unexpected(rows.error());
    eventlog::WriteBatch all;
    for (const eventlog::KeyValue& row : *rows) all.put(row.key, row.value);
    tell_commit();
    if (auto ok = rows_->clear(); !ok) return ok;
    tell_commit();
    if (auto ok = rows_->write(all); !ok) return ok;
    return rows_->flush();
  }

  Result<std::vector<eventlog::KeyValue>> rows() { return rows_->scan({}, {}, kAll); }

  Result<std::vector<Position>> find(std::string_view word) {
    std::vector<Position> found;
    const Bytes prefix = Bytes("w/").append(word).append(1, '\0');
    const auto rows = rows_->scan(prefix, {}, kAll);
    if (!rows) return tl::unexpected(rows.error());
    for (const eventlog::KeyValue& row : *rows) {
      std::int64_t position = 0;
      for (const char byte : row.key.substr(prefix.size())) {
        position = position * 256 + static_cast<unsigned char>(byte);
      }
      found.push_back({position});
    }
    return found;
  }

 private:
  std::unique_ptr<eventlog::KeyValueStore> rows_;
  eventlog::WriteBatch batch_;
};

template <class Found, class Read>
Result<std::vector<Found>> read_words(ContentSet& contents, Read&& read) {
  std::vector<Found> found;
  const auto done = contents.read(kWordIndexName, [&](ContentIndex& index) -> Result<void> {
    auto all = read(static_cast<WordIndex&>(index));
    if (!all) return tl::unexpected(all.error());
    found = std::move(*all);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return found;
}

}  // namespace

const ContentIndexKind kWordIndex{
    kWordIndexName, 1,
    [](const std::string& folder, eventlog::Disk& disk) -> Result<std::unique_ptr<ContentIndex>> {
      auto rows = eventlog::open_rocksdb_key_value_store(folder, disk);
      if (!rows) return tl::unexpected(rows.error());
      return std::make_unique<WordIndex>(std::move(*rows));
    }};

Result<std::vector<Position>> find_word(ContentSet& contents, std::string_view word) {
  return read_words<Position>(contents, [&](WordIndex& index) { return index.find(word); });
}

Result<std::vector<eventlog::KeyValue>> word_rows(ContentSet& contents) {
  return read_words<eventlog::KeyValue>(contents, [](WordIndex& index) { return index.rows(); });
}

}  // namespace projections
