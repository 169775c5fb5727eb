// Tables of search.db:
//
//   stream      id, name, agent and session of each stream in which something was said
//   message     what is known of each text, by its position in the log
//   words       the texts themselves, under the same positions, with their words (FTS5)
//   checkpoint  one row: StoredCheckpoint
//   erased      one row if something was deleted since the last scrub
//
// FTS5 takes the words of a deleted text out of its own rows only when it merges these. So scrub()
// merges them all, and writes the rest into another file, which then takes the file's place.
#include "projections/content/search_index.hpp"

#include <filesystem>
#include <utility>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/session/session.hpp"
#include "projections/content/search_finder.hpp"
#include "projections/content/search_message.hpp"

namespace projections {

void (*at_search_index_commit)() = nullptr;

namespace {

using base::ErrorCode;

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS stream(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " agent TEXT NOT NULL, session BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS message(position INTEGER PRIMARY KEY, stream INTEGER NOT NULL,"
    " version INTEGER NOT NULL, time INTEGER NOT NULL, speaker INTEGER NOT NULL,"
    " tool TEXT NOT NULL, partial INTEGER NOT NULL, checksum INTEGER NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS message_version ON message(stream, version);"
    "CREATE INDEX IF NOT EXISTS message_time ON message(time);"
    "CREATE INDEX IF NOT EXISTS message_partial ON message(stream, partial) WHERE partial > 0;"
    "CREATE TABLE IF NOT EXISTS checkpoint(id INTEGER PRIMARY KEY, value BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS erased(id INTEGER PRIMARY KEY);";

// With the beginnings of up to three letters, since otherwise "a*" would gather the postings of
// all words that begin so: seconds with a million texts. They take half as much room again.
std::string words_table() {
  return "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, tokenize='" +
         std::string(kTokenizer) + " " + std::string(kTokenizerOption) + " " +
         std::string(kTokenizerValue) + "', prefix='1 2 3');";
}

void tell_commit() {
  if (at_search_index_commit != nullptr) at_search_index_commit();
}

base::Error damage(const std::string& what) {
  return {ErrorCode::rows_damaged, what, {}};
}

class SearchIndex final : public ContentIndex {
 public:
  SearchIndex(std::string folder, eventlog::Disk& disk)
      : folder_(std::move(folder)), path_(folder_ + "/search.db"), disk_(disk) {}

  Result<void> open() {
    disk_.remove_all(eventlog::unfinished(path_));
    std::error_code unknown;
    const bool is_file = std::filesystem::is_regular_file(path_, unknown);
    if (!is_file && !eventlog::is_gone(path_)) {
      return tl::unexpected(damage("search.db is not a file"));
    }
    {
      // Made here, so that nobody else can read it.
      const auto file = disk_.open(path_);
      if (!file) return tl::unexpected(file.error());
    }
    auto database = SqliteDatabase::open(path_);
    if (!database) return tl::unexpected(database.error());
    database_ = std::move(*database);
    if (auto ok = database_->check(); !ok) return ok;
    if (auto ok = database_->run(kTables + words_table()); !ok) return ok;
    return prepare();
  }

  Result<std::optional<StoredCheckpoint>> checkpoint() override {
    const auto has_row = checkpoint_.step();
    if (!has_row) return tl::unexpected(has_row.error());
    if (!*has_row) return std::nullopt;
    auto stored = base::decode<StoredCheckpoint>(checkpoint_.text(0));
    checkpoint_.reset();
    if (!stored) return tl::unexpected(damage(stored.error().text));
    return std::optional(*stored);
  }

  Result<void> begin() override {
    if (auto ok = forget_batch(); !ok) return ok;
    return database_->run("BEGIN IMMEDIATE");
  }

  Result<void> apply(const domain::RecordedEvent& event, const domain::StreamRef* stream) override {
    if (stream == nullptr || !stream->is<domain::SessionStream>()) return {};
    const auto said = said_by(event);
    if (!said) return {};
    const domain::Envelope& envelope = event.envelope;
    auto known = stream_id(envelope.stream);
    if (!known) return tl::unexpected(known.error());
    if (said->block > 0 && !said->is_partial && *known > 0) {
      if (auto ok = remove(partials_.bind(1, *known).bind(2, said->block)); !ok) return ok;
    }
    if (said->text.empty()) return {};
    if (*known == 0) {
      known = add_stream(envelope.stream, *stream);
      if (!known) return tl::unexpected(known.error());
    }
    SearchMessage message{envelope.position,
                          envelope.stream,
                          envelope.version.value,
                          (said->at.us == 0 ? envelope.log_time : said->at).us,
                          static_cast<std::int64_t>(said->by),
                          said->tool,
                          said->text};
    add_message_.bind(1, message.position.value)
        .bind(2, *known)
        .bind(3, message.version)
        .bind(4, message.time)
        .bind(5, message.speaker)
        .bind(6, std::string_view(message.tool))
        .bind(7, said->is_partial ? said->block : 0)
        .bind(8, message.checksum());
    if (auto ok = add_message_.run(); !ok) return ok;
    return add_words_.bind(1, message.position.value).bind(2, message.text).run();
  }

  Result<void> erase(std::string_view stream, const domain::VersionRanges& events) override {
    const auto known = stream_id(stream);
    if (!known) return tl::unexpected(known.error());
    if (*known == 0) return {};
    for (const domain::VersionRange& range : events) {
      versions_.bind(1, *known).bind(2, range.first.value).bind(3, range.last.value);
      if (auto ok = remove(versions_); !ok) return ok;
    }
    return {};
  }

  Result<void> commit(const StoredCheckpoint& reached) override {
    const base::Bytes value = base::encode(reached);
    if (auto ok = set_checkpoint_.bind_bytes(1, value).run(); !ok) return ok;
    tell_commit();
    auto done = database_->run("COMMIT");
    tell_commit();
    return done;
  }

  Result<void> scrub() override {
    if (auto ok = forget_batch(); !ok) return ok;
    const auto has_erased = erased_.step();
    if (!has_erased) return tl::unexpected(has_erased.error());
    erased_.reset();
    if (*has_erased) {
      if (auto ok = rewrite(); !ok) return ok;
    }
    // Its frames can hold a text that is nowhere else.
    if (auto ok = database_->checkpoint(); !ok) return ok;
    tell_commit();
    for (const std::string& file : {path_, path_ + "-wal"}) {
      if (eventlog::is_gone(file)) continue;
      if (auto ok = disk_.settle(file); !ok) return ok;
    }
    return disk_.sync_folder(folder_);
  }

  Result<FoundTexts> find(const SearchRequest& request) {
    if (auto ok = forget_batch(); !ok) return tl::unexpected(ok.error());
    const auto stored = checkpoint();
    if (!stored) return tl::unexpected(stored.error());
    return finder_->find(request, *stored ? (*stored)->checkpoint.position : Position{});
  }

  Result<std::vector<std::string>> rows() {
    if (auto ok = forget_batch(); !ok) return tl::unexpected(ok.error());
    auto all = database_->prepare(
        "SELECT m.position, s.name, m.version, m.time, m.speaker, m.tool, m.partial, m.checksum,"
        " w.text FROM message m JOIN stream s ON s.id = m.stream LEFT JOIN words w"
        " ON w.rowid = m.position ORDER BY m.position");
    if (!all) return tl::unexpected(all.error());
    std::vector<std::string> rows;
    for (;;) {
      const auto has_row = all->step();
      if (!has_row) return tl::unexpected(has_row.error());
      if (!*has_row) return rows;
      std::string row;
      for (int column = 0; column < 9; ++column) row.append(all->text(column)).append("|");
      rows.push_back(std::move(row));
    }
  }

 private:
  Result<void> prepare() {
    const std::pair<SqliteStatement&, const char*> kAll[] = {
        {checkpoint_, "SELECT value FROM checkpoint"},
        {set_checkpoint_, "INSERT OR REPLACE INTO checkpoint VALUES(0, ?1)"},
        {stream_, "SELECT id FROM stream WHERE name = ?1"},
        {add_stream_, "INSERT INTO stream(name, agent, session) VALUES(?1, ?2, ?3)"},
        {add_message_, "INSERT INTO message VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"},
        {add_words_, "INSERT INTO words(rowid, text) VALUES(?1, ?2)"},
        {partials_,
         "SELECT position FROM message WHERE stream = ?1 AND partial = ?2"
         " AND partial > 0"},
        {versions_,
         "SELECT position FROM message WHERE stream = ?1"
         " AND version BETWEEN ?2 AND ?3"},
        {remove_words_, "DELETE FROM words WHERE rowid = ?1"},
        {remove_message_, "DELETE FROM message WHERE position = ?1"},
        {note_erased_, "INSERT OR REPLACE INTO erased VALUES(0)"},
        {erased_, "SELECT id FROM erased"},
    };
    for (const auto& [statement, sql] : kAll) {
      auto prepared = database_->prepare(sql);
      if (!prepared) return tl::unexpected(prepared.error());
      statement = std::move(*prepared);
    }
    auto finder = SearchFinder::open(*database_);
    if (!finder) return tl::unexpected(finder.error());
    finder_.emplace(std::move(*finder));
    return {};
  }

  void close() {
    finder_.reset();
    for (SqliteStatement* statement :
         {&checkpoint_, &set_checkpoint_, &stream_, &add_stream_, &add_message_, &add_words_,
          &partials_, &versions_, &remove_words_, &remove_message_, &note_erased_, &erased_}) {
      *statement = SqliteStatement();
    }
    database_.reset();
  }

  // A batch that was not committed must not be read.
  Result<void> forget_batch() {
    return database_->has_begun() ? database_->run("ROLLBACK") : Result<void>();
  }

  // Returns 0 if the stream is not known.
  Result<std::int64_t> stream_id(std::string_view name) {
    const auto has_row = stream_.bind(1, name).step();
    if (!has_row) return tl::unexpected(has_row.error());
    if (!*has_row) return 0;
    const std::int64_t id = stream_.integer(0);
    stream_.reset();
    return id;
  }

  Result<std::int64_t> add_stream(std::string_view name, const domain::StreamRef& stream) {
    auto added = add_stream_.bind(1, name)
                     .bind(2, std::string_view(stream.agent))
                     .bind_bytes(3, stream.id.view())
                     .run();
    if (!added) return tl::unexpected(added.error());
    return stream_id(name);
  }

  // Removes the texts at the positions that `chosen` returns.
  Result<void> remove(SqliteStatement& chosen) {
    std::vector<std::int64_t> positions;
    for (;;) {
      const auto has_row = chosen.step();
      if (!has_row) return tl::unexpected(has_row.error());
      if (!*has_row) break;
      positions.push_back(chosen.integer(0));
    }
    for (const std::int64_t position : positions) {
      if (auto ok = remove_words_.bind(1, position).run(); !ok) return ok;
      if (auto ok = remove_message_.bind(1, position).run(); !ok) return ok;
    }
    return positions.empty() ? Result<void>() : note_erased_.run();
  }

  // Puts a file in the database's place that holds its rows and nothing else.
  Result<void> rewrite() {
    const std::string fresh = eventlog::unfinished(path_);
    disk_.remove_all(fresh);
    if (auto ok = database_->run("INSERT INTO words(words) VALUES('optimize')"); !ok) return ok;
    if (auto ok = database_->checkpoint(); !ok) return ok;
    tell_commit();
    auto into = database_->prepare("VACUUM INTO ?1");
    if (!into) return tl::unexpected(into.error());
    { const auto file = disk_.open(fresh); }  // so that nobody else can read it
    if (auto ok = into->bind(1, std::string_view(fresh)).run(); !ok) return ok;
    *into = SqliteStatement();
    if (auto ok = disk_.settle(fresh); !ok) return ok;
    tell_commit();
    close();
    auto placed = place(fresh);
    if (auto reopened = open(); !reopened) return tl::unexpected(damage(reopened.error().text));
    if (!placed) return placed;
    return database_->run("DELETE FROM erased");
  }

  // The database must be closed.
  Result<void> place(const std::string& fresh) {
    if (!eventlog::is_gone(path_ + "-wal")) {
      return base::failure(ErrorCode::io, "the index's file cannot be replaced while it is in use",
                           path_);
    }
    tell_commit();
    if (auto ok = disk_.rename(fresh, path_); !ok) return ok;
    tell_commit();
    return disk_.sync_folder(folder_);
  }

  const std::string folder_;
  const std::string path_;
  eventlog::Disk& disk_;
  std::unique_ptr<SqliteDatabase> database_;
  SqliteStatement checkpoint_;
  SqliteStatement set_checkpoint_;
  SqliteStatement stream_;
  SqliteStatement add_stream_;
  SqliteStatement add_message_;
  SqliteStatement add_words_;
  SqliteStatement partials_;
  SqliteStatement versions_;
  SqliteStatement remove_words_;
  SqliteStatement remove_message_;
  SqliteStatement note_erased_;
  SqliteStatement erased_;
  std::optional<SearchFinder> finder_;
};

// Gives the index to `use`, and returns what that returns.
template <class Found, class Use>
Result<Found> with_search(ContentSet& contents, Use&& use) {
  Found found;
  const auto done = contents.read(kSearchIndexName, [&](ContentIndex& index) -> Result<void> {
    auto all = use(static_cast<SearchIndex&>(index));
    if (!all) return tl::unexpected(all.error());
    found = std::move(*all);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return found;
}

}  // namespace

Result<FoundTexts> search_said(ContentSet& contents, const SearchRequest& request) {
  return with_search<FoundTexts>(contents, [&](SearchIndex& index) { return index.find(request); });
}

Result<std::vector<std::string>> search_rows(ContentSet& contents) {
  return with_search<std::vector<std::string>>(contents,
                                               [](SearchIndex& index) { return index.rows(); });
}

const ContentIndexKind kSearchIndex{
    kSearchIndexName, 1,
    [](const std::string& folder, eventlog::Disk& disk) -> Result<std::unique_ptr<ContentIndex>> {
      auto index = std::make_unique<SearchIndex>(folder, disk);
      if (auto ok = index->open(); !ok) return tl::unexpected(ok.error());
      return index;
    }};

}  // namespace projections
