// Erased content is gone: for readers, and from every file of the log.
#include "eventlog/copies/erase.hpp"

#include <filesystem>
#include <set>

#include "eventlog/proof/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/one_session.hpp"
#include "tests/support/searched_files.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using base::Position;
using base::StreamVersion;
using eventlog::ScrubScope;
using support::files_with;
using support::kStream;

const std::string kOther = "main/session/01890a5d-ac96-774b-bcce-b302099a8058";
// Small enough for a block, and large enough for three chunks.
const std::string kSmall = "the small secret of one session";
const std::string kNeighbour = "what another session said in the same block";
const std::string kLargeSecret = "the large secret of one session";

std::string large_secret() {
  std::string text(600'000, 'x');
  for (const std::size_t at : {std::size_t{0}, std::size_t{300'000}, std::size_t{599'000}}) {
    text.replace(at, kLargeSecret.size(), kLargeSecret);
  }
  return text;
}

domain::SessionOpened opened(const std::string& stream) {
  domain::SessionOpened e;
  e.agent = "main";
  e.session = *base::SessionId::parse(stream.substr(stream.rfind('/') + 1));
  return e;
}

const domain::VersionRanges kAll{{StreamVersion{1}, StreamVersion{4}}};

// A log in a folder, which can be closed and opened again.
class Log {
 public:
  Log() { open(); }

  void open() {
    writer_.reset();
    log_ = {};
    auto opened = eventlog::open_log(root(), eventlog::LogMode::read_write, random_);
    if (!opened) FAIL(base::describe(opened.error()));
    log_ = std::move(*opened);
    writer_.emplace(log_, random_);
  }

  // Appends two sessions that speak in the same blocks. Versions 1 to 4 of each have content;
  // version 4 of the first one is large.
  void fill() {
    writer_->add(kStream, opened(kStream), kSmall + " 1");
    writer_->add(kOther, opened(kOther), kNeighbour + " 1");
    writer_->flush();
    for (int i = 2; i <= 4; ++i) {
      const std::string number = " " + std::to_string(i);
      writer_->add(kStream, domain::AgentLineRecorded{}, i == 4 ? large_secret() : kSmall + number);
      writer_->add(kOther, domain::AgentLineRecorded{}, kNeighbour + number);
      writer_->flush();
    }
  }

  // Records the event first, as the server does, then erases.
  void erase(const domain::VersionRanges& events, bool is_scrubbed = true) {
    writer_->append(kStream, domain::ContentErased{events, {}});
    remove(events, is_scrubbed);
  }
  void remove(const domain::VersionRanges& events, bool is_scrubbed = true) {
    REQUIRE(index_.catch_up(store(), store().tail()));
    ScrubScope scope;
    REQUIRE(eventlog::erase_content(store(), index_, kStream, events, scope));
    if (is_scrubbed) scrub(scope);
  }
  void scrub(const ScrubScope& scope) {
    const auto scrubbed = store().scrub(scope);
    if (!scrubbed) FAIL(base::describe(scrubbed.error()));
  }
  void complete(StreamVersion through) {
    writer_->append(kStream, domain::ContentErasureCompleted{through});
  }

  std::string content(std::int64_t position) {
    const auto read = eventlog::read_content(store(), Position{position});
    if (!read) return "error: " + base::describe(read.error());
    return *read ? (*read)->text : "";
  }
  std::vector<std::string> problems() {
    std::vector<std::string> texts;
    for (const auto& p : eventlog::verify_log(store(), writer_->durable()).problems) {
      texts.push_back(p.text);
    }
    return texts;
  }
  eventlog::BlockStore& store() { return *log_.store; }
  support::LogWriter& writer() { return *writer_; }
  std::string root() const { return folder_.file("log"); }

 private:
  support::TempFolder folder_;
  base::SystemRandom random_;
  eventlog::OpenedLog log_;
  std::optional<support::LogWriter> writer_;
  std::unique_ptr<eventlog::KeyValueStore> rows_ = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index_{*rows_};
};

std::set<std::string> tables_of(const Log& log) {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::recursive_directory_iterator(log.root())) {
    if (file.path().extension() == ".sst") names.insert(file.path().filename().string());
  }
  return names;
}

void check_gone(Log& log) {
  CHECK(files_with(log.root(), kSmall).empty());
  CHECK(files_with(log.root(), kLargeSecret).empty());
  CHECK_FALSE(files_with(log.root(), kNeighbour).empty());
  CHECK(log.problems().empty());
}

TEST_CASE("a table that lies on both sides of what was erased keeps nobody waiting", "[eventlog]") {
  Log log;
  log.fill();
  const Position between{3};  // no block begins there
  log.scrub({between, between, {}});
  log.erase(kAll);
  check_gone(log);
}

TEST_CASE("what was scrubbed is not written anew until more is removed", "[eventlog]") {
  Log log;
  log.fill();
  const domain::VersionRanges first{{StreamVersion{1}, StreamVersion{3}}};
  log.erase(first);
  const auto tables = tables_of(log);
  log.remove(first);
  CHECK(tables_of(log) == tables);
  // Version 4 has the large content, which is stored in chunks.
  log.remove(kAll);
  CHECK(tables_of(log) != tables);
  CHECK(files_with(log.root(), kLargeSecret).empty());
  const auto later = tables_of(log);
  log.remove(kAll);
  CHECK(tables_of(log) == later);
}

TEST_CASE("erased content is in no file of the store, wherever it was", "[eventlog]") {
  Log log;
  log.fill();
  std::int64_t said = 4;
  SECTION("in the write-ahead log") {}
  SECTION("in a write-ahead log that was found at the start") {
    log.open();
  }
  SECTION("in tables, once and again") {
    for (int i = 1; i <= 3; ++i) {
      // Each scope is of a new removal, so the scrub moves what is in memory into tables.
      log.scrub({Position{1}, Position{i}, {}});
      log.writer().append(kStream, domain::AgentLineRecorded{}, kSmall + " more");
      ++said;
    }
    log.open();
  }
  SECTION("in a table, beside a write-ahead log with more of it") {
    log.scrub({});
    log.writer().append(kStream, domain::AgentLineRecorded{}, kSmall + " 5");
    ++said;
  }
  REQUIRE_FALSE(files_with(log.root(), kSmall).empty());
  REQUIRE_FALSE(files_with(log.root(), kLargeSecret).empty());
  log.erase({{StreamVersion{1}, StreamVersion{said}}});
  check_gone(log);
  CHECK(log.content(3) == kNeighbour + " 1");
  for (const auto at : {2, 4, 6, 8}) CHECK(log.content(at).empty());
  log.open();
  check_gone(log);
}

TEST_CASE("one event is erased, and those beside it stay", "[eventlog]") {
  Log log;
  log.fill();
  log.erase({{StreamVersion{2}, StreamVersion{2}}});
  CHECK(files_with(log.root(), kSmall + " 2").empty());
  CHECK(log.content(2) == kSmall + " 1");
  CHECK(log.content(4).empty());
  CHECK(log.content(5) == kNeighbour + " 2");
  CHECK(log.content(6) == kSmall + " 3");
  CHECK(log.content(8) == large_secret());
  CHECK(log.problems().empty());
}

TEST_CASE("a text that is erased while it is read was erased, not damaged", "[eventlog]") {
  // Erases between the reading of the content block and of its chunks.
  class ErasedMeanwhile final : public eventlog::BlockStore {
   public:
    explicit ErasedMeanwhile(Log& log) : log_(log) {}
    base::Result<base::Bytes> read_chunk(base::ByteView key) override {
      log_.remove(kAll);
      return log_.store().read_chunk(key);
    }
    eventlog::AppendOutcome append(const eventlog::SealedBlock& b) override {
      return log_.store().append(b);
    }
    Position first() const override { return log_.store().first(); }
    Position tail() const override { return log_.store().tail(); }
    base::Result<std::vector<eventlog::StoredBlock>> read(Position from, std::size_t bytes_max,
                                                          bool with_content) override {
      return log_.store().read(from, bytes_max, with_content);
    }
    base::Result<std::vector<eventlog::StoredBlock>> read_reverse(Position from,
                                                                  std::size_t max) override {
      return log_.store().read_reverse(from, max);
    }
    base::Result<void> replace_content(Position p, base::ByteView c) override {
      return log_.store().replace_content(p, c);
    }
    base::Result<void> erase_chunks(base::ByteView p) override {
      return log_.store().erase_chunks(p);
    }
    base::Result<void> scrub(const ScrubScope& s) override { return log_.store().scrub(s); }
    base::Result<void> copy_to(const std::string& f) override { return log_.store().copy_to(f); }
    base::Result<void> trim_before(Position p) override { return log_.store().trim_before(p); }

   private:
    Log& log_;
  };
  Log log;
  log.fill();
  ErasedMeanwhile store(log);
  const auto content = eventlog::read_content(store, Position{8});
  if (!content) FAIL(base::describe(content.error()));
  CHECK_FALSE(content->has_value());
}

TEST_CASE("an erasure that was cut short is finished by doing it again", "[eventlog]") {
  Log log;
  log.fill();
  SECTION("before anything was removed") {
    log.writer().append(kStream, domain::ContentErased{kAll, {}});
  }
  SECTION("before all was removed") {
    log.writer().append(kStream, domain::ContentErased{kAll, {}});
    log.remove({{StreamVersion{3}, StreamVersion{3}}}, false);
  }
  SECTION("before the files were scrubbed") {
    log.erase(kAll, false);
  }
  CHECK(log.problems().empty());
  log.open();
  CHECK(log.problems().empty());
  REQUIRE_FALSE(files_with(log.root(), kLargeSecret).empty());
  log.remove(kAll);
  check_gone(log);
  log.complete(StreamVersion{5});
  CHECK(log.problems().empty());
}

TEST_CASE("an erasure gives its space back", "[eventlog]") {
  Log log;
  const auto bytes = [&] {
    std::uintmax_t sum = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(log.root())) {
      if (entry.is_regular_file()) sum += entry.file_size();
    }
    return sum;
  };
  log.writer().append(kStream, opened(kStream));
  for (int i = 0; i < 40; ++i) {
    log.writer().append(kStream, domain::AgentLineRecorded{}, large_secret());
  }
  const auto before = bytes();
  REQUIRE(before > 40 * 600'000);
  log.erase({{StreamVersion{1}, StreamVersion{41}}});
  CHECK(bytes() < before / 20);
  CHECK(log.problems().empty());
}

}  // namespace
