// The index finds what was said and nothing that was erased, is built anew from the log to the same
// rows, and refuses queries in words of its own.
#include "projections/content/search_index.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "eventlog/copies/erase.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/searched_files.hpp"
#include "tests/support/session_samples.hpp"
#include "tests/support/temp_folder.hpp"

namespace projections {
namespace {

using support::LogBuilder;
using support::turn;

const auto kFirst = support::numbered<base::SessionId>(1);
const auto kSecond = support::numbered<base::SessionId>(2);
const std::string kFirstStream = domain::session_stream("main", kFirst);
const std::string kSecondStream = domain::session_stream("other", kSecond);

domain::OutputRecorded output(std::int64_t block) {
  domain::OutputRecorded recorded;
  recorded.turn = turn(1);
  recorded.block = block;
  return recorded;
}

domain::ToolCallStarted call(const std::string& tool) {
  domain::ToolCallStarted started;
  started.turn = turn(1);
  started.call = "c1";
  started.tool = tool;
  return started;
}

// A log and the indexes over it, below a folder of their own.
struct Searched {
  explicit Searched(const std::string& in = {})
      : folder((in.empty() ? temp.file("data") : in) + "/content") {
    std::filesystem::create_directories(folder);
    open(1);
  }

  void open(std::size_t step_bytes) {
    ContentOptions options;
    options.step_bytes = step_bytes;
    options.on_rebuilt = [this](std::string_view name, const base::Error&) {
      rebuilt.emplace_back(name);
    };
    contents.reset();
    auto set = ContentSet::open(folder, log.store(), options, {&kSearchIndex});
    REQUIRE(set);
    contents = std::move(*set);
  }
  void feed() {
    for (;;) {
      const auto fed = contents->feed(log.head());
      if (fed.has_failed) FAIL(base::describe(*contents->status()[0].failed));
      if (!fed.has_more) return;
    }
  }
  base::Result<FoundTexts> ask(std::string_view query, SearchRequest request = {}) {
    auto groups = parse_search(query);
    if (!groups) return tl::unexpected(groups.error());
    request.groups = std::move(*groups);
    return search_said(*contents, request);
  }
  FoundTexts found(std::string_view query, SearchRequest request = {}) {
    auto all = ask(query, std::move(request));
    if (!all) FAIL(base::describe(all.error()));
    return std::move(*all);
  }
  // Positions, those said last first.
  std::vector<Position> positions(std::string_view query, SearchRequest request = {}) {
    request.is_newest_first = true;
    std::vector<Position> all;
    for (const FoundText& one : found(query, std::move(request)).texts) {
      all.push_back(one.position);
    }
    return all;
  }
  std::vector<std::string> rows() {
    auto all = search_rows(*contents);
    if (!all) FAIL(base::describe(all.error()));
    return std::move(*all);
  }
  // The rows of an index that is built from the log in one go, elsewhere.
  std::vector<std::string> rows_built_anew() {
    support::TempFolder elsewhere;
    auto set = ContentSet::open(elsewhere.file("content"), log.store(), {}, {&kSearchIndex});
    REQUIRE(set);
    while ((*set)->feed(log.head()).has_more) {
    }
    auto all = search_rows(**set);
    REQUIRE(all);
    return std::move(*all);
  }
  // Takes texts out of the log, as an erasure does before it comes to the index.
  void remove_from_log(const std::string& stream, domain::VersionRanges events) {
    const auto rows_of_index = eventlog::make_memory_key_value_store();
    eventlog::StreamIndex index(*rows_of_index);
    REQUIRE(index.catch_up(log.store(), log.head()));
    eventlog::ScrubScope scope;
    REQUIRE(eventlog::erase_content(log.store(), index, stream, std::move(events), scope));
  }
  void erase(const std::string& stream, domain::VersionRanges events) {
    remove_from_log(stream, events);
    for (eventlog::ErasableCopy* copy : contents->copies()) {
      const auto outcomes = copy->erase({{stream, events}});
      REQUIRE(outcomes);
      for (const auto& outcome : *outcomes) REQUIRE(outcome);
      if (const auto ok = copy->scrub(); !ok) FAIL(base::describe(ok.error()));
    }
  }
  std::string file() const { return folder + "/search/search.db"; }

  support::TempFolder temp;
  std::string folder;
  LogBuilder log;
  std::vector<std::string> rebuilt;
  std::unique_ptr<ContentSet> contents;
};

SearchRequest of_agent(const std::string& agent) {
  SearchRequest request;
  request.agent = agent;
  return request;
}

TEST_CASE("a search finds what users, agents and tools said", "[projections]") {
  Searched w;
  w.log.append(kFirstStream, support::opened(), "the system prompt says zebra");
  const Position prompt = w.log.append(kFirstStream, domain::TurnQueued{turn(1)}, "fix the login");
  const Position added =
      w.log.append(kFirstStream, domain::PromptInjected{turn(1)}, "and the logout");
  const Position said = w.log.append(kFirstStream, output(1), "The login is fixed.");
  const Position called =
      w.log.append(kFirstStream, call("Bash"), R"({"command":"make\nlogin-test"})");
  domain::ToolCallFinished finished;
  finished.turn = turn(1);
  finished.call = "c1";
  const Position result = w.log.append(kFirstStream, finished, "login: 3 passed");
  domain::TurnFinished done;
  done.turn = turn(1);
  w.log.append(kFirstStream, done, "The login is fixed.");  // what the block has said
  domain::TurnFailed failed;
  failed.turn = turn(2);
  const Position failure = w.log.append(kSecondStream, failed, "no login: API error");
  w.feed();
  CHECK(w.positions("login") == std::vector{failure, result, called, said, prompt});
  CHECK(w.positions("zebra").empty());
  CHECK(w.positions("LOGIN fixed") == std::vector{said});
  CHECK(w.positions("\"the login\"") == std::vector{said, prompt});
  CHECK(w.positions("log*") == std::vector{failure, result, called, said, added, prompt});
  CHECK(w.positions("logout OR passed") == std::vector{result, added});
  CHECK(w.positions("login -fix*") == std::vector{failure, result, called});
  CHECK(w.positions("login", of_agent("main")) == std::vector{result, called, said, prompt});
  SearchRequest request;
  request.speakers = {Speaker::user, Speaker::assistant};
  CHECK(w.positions("login", request) == std::vector{failure, said, prompt});
  request = {};
  request.sessions = {kSecond};
  CHECK(w.positions("login", request) == std::vector{failure});
  request = {};
  request.before = said;
  CHECK(w.positions("login", request) == std::vector{prompt});
  request = {};
  request.since = w.log.events()[static_cast<std::size_t>(result.value) - 1].envelope.log_time;
  CHECK(w.positions("login", request) == std::vector{failure, result});
  request.since = w.log.now() + std::chrono::seconds(1);
  CHECK(w.positions("login", request).empty());
  request = {};
  request.limit = 2;
  CHECK(w.positions("login", request) == std::vector{failure, result});
  request.is_newest_first = true;
  CHECK(w.found("login", request).has_more);
  const FoundTexts all = w.found("login");
  CHECK(all.indexed == w.log.head());
  CHECK_FALSE(all.has_more);
  CHECK_FALSE(all.is_ranked_in_part);
  const auto shown = std::find_if(all.texts.begin(), all.texts.end(),
                                  [&](const FoundText& one) { return one.position == called; });
  REQUIRE(shown != all.texts.end());
  CHECK(shown->agent == "main");
  CHECK(shown->session == kFirst);
  CHECK(shown->by == Speaker::tool);
  CHECK(shown->tool == "Bash");
  CHECK(shown->snippet.text == R"({"command":"make login-test"})");
  CHECK(shown->snippet.marks == std::vector<std::int64_t>{17, 22});
}

TEST_CASE("the texts that fit best come first, of those said last if there are too many",
          "[projections]") {
  Searched w;
  const Position best = w.log.append(kFirstStream, output(1), "login login login");
  w.log.append(kFirstStream, output(2), "login among many other words that were said here");
  w.feed();
  CHECK(w.found("login").texts.front().position == best);
  CHECK(w.positions("login").back() == best);
  for (std::int64_t i = 0; i < kSearchRankedMax; ++i) {
    w.log.add(kFirstStream, output(i + 3), "login and some more");
    if (i % 500 == 0) w.log.seal();
  }
  w.log.seal();
  w.open(1 << 20);
  w.feed();
  const FoundTexts found = w.found("login");
  CHECK(found.is_ranked_in_part);
  CHECK(found.has_more);
  CHECK(found.texts.size() == 20);
  CHECK_FALSE(w.found("among").is_ranked_in_part);
}

TEST_CASE("a finished block supersedes its parts", "[projections]") {
  Searched w;
  const Position part =
      w.log.append(kFirstStream, domain::PartialOutputRecorded{turn(1), 1}, "it begins");
  w.log.append(kSecondStream, domain::PartialOutputRecorded{turn(1), 1}, "it begins elsewhere");
  w.feed();
  CHECK(w.positions("begins", of_agent("main")) == std::vector{part});
  const Position whole = w.log.append(kFirstStream, output(1), "it begins and ends");
  w.feed();
  CHECK(w.positions("begins", of_agent("main")) == std::vector{whole});
  CHECK(w.positions("begins").size() == 2);
  CHECK(w.rows() == w.rows_built_anew());
}

TEST_CASE("texts of all scripts and of any bytes are found", "[projections]") {
  Searched w;
  std::vector<Position> said;
  for (const std::string& text :
       {std::string("Café Ångström naïve"), std::string("Привет, мир"),
        std::string("日本語 テスト"), std::string("e\u0301tude 😀 ﬁne"),
        std::string("broken \xFF\xFE bytes"), std::string("nul\0nul \x01mark\x02", 14),
        std::string(200'000, 'x') + " behind"}) {
    said.push_back(w.log.append(kFirstStream, domain::TurnQueued{turn(1)}, text));
  }
  w.feed();
  CHECK(w.positions("cafe ANGSTROM") == std::vector{said[0]});
  CHECK(w.positions("ПРИВЕТ") == std::vector{said[1]});
  CHECK(w.positions("日本語") == std::vector{said[2]});
  CHECK(w.positions("étude") == std::vector{said[3]});
  CHECK(w.positions("broken bytes") == std::vector{said[4]});
  CHECK(w.positions("nul mark") == std::vector{said[5]});
  CHECK(w.positions("behind").empty());  // beyond what is searched of one text
  const FoundTexts broken = w.found("broken");
  CHECK(broken.texts[0].snippet.text == "broken \xEF\xBF\xBD\xEF\xBF\xBD bytes");
  const FoundTexts marked = w.found("mark");
  CHECK(marked.texts[0].snippet == Snippet{"nul nul  mark ", {9, 13}});
  const FoundTexts wide = w.found("xxx*");
  REQUIRE(wide.texts.size() == 1);
  CHECK(wide.texts[0].snippet.text.size() < kSnippetBytesMax + 8);
}

TEST_CASE("no query reaches the index's own language", "[projections]") {
  Searched w;
  const Position prompt = w.log.append(kFirstStream, domain::TurnQueued{turn(1)},
                                       "a \"quoted\" NEAR(miss) {text}: x^2 text words");
  w.feed();
  for (const char* query :
       {"text: quoted", "{text}: quoted", "NEAR(miss)", "^quoted", "x^2", "quoted + NEAR",
        "words MATCH", "'; DROP TABLE words; --", "a\"\"quoted", "quoted)", "((quoted", "rank",
        "\"\\\"quoted\"", "quoted AND", "%s%n quoted", "text:*", "quo*ted", "- quoted"}) {
    INFO(query);
    const auto found = w.ask(query);
    if (!found) {
      CHECK(found.error().code == base::ErrorCode::invalid);
      for (const char* raw : {"fts5", "syntax", "SQL", "near \""}) {
        CHECK_THAT(found.error().text, !Catch::Contains(raw));
      }
    }
  }
  CHECK(w.positions("\"NEAR(miss)\"") == std::vector{prompt});
  const auto refuses = [&](std::string_view query, const char* word) {
    const auto found = w.ask(query);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == base::ErrorCode::invalid);
    CHECK_THAT(found.error().text, Catch::Contains(word));
  };
  refuses("???", "no letter or digit");
  refuses("quoted 😀", "no letter or digit");
  refuses("quoted -\"--\"", "no letter or digit");
  refuses("*", "no letter or digit");
  std::string many = "quoted";
  for (std::size_t i = 1; i < kSearchTermsMax; ++i) many += i % 3 == 0 ? " OR a" : " quoted";
  CHECK(w.positions(many) == std::vector{prompt});
  SearchRequest request;
  request.limit = kSearchHitsMax + 1;
  CHECK_FALSE(w.ask("quoted", request));
  request.limit = 1;
  request.sessions.assign(kSearchSessionsMax + 1, kFirst);
  CHECK_FALSE(w.ask("quoted", request));
  request.sessions.assign(kSearchSessionsMax, kFirst);
  CHECK(w.ask("quoted", request));
  CHECK(w.rebuilt.empty());
}

TEST_CASE("any query is answered or refused, and harms no index", "[projections]") {
  Searched w;
  w.log.append(kFirstStream, domain::TurnQueued{turn(1)}, "fix the login");
  w.feed();
  base::SeededRandom random(7);
  const std::string_view kPieces[] = {"fix", "\"", "*",  "-",     "OR", "NOT",
                                      "AND", "(",  ")",  ":",     "^",  " ",
                                      "+",   "é",  "'",  "NEAR",  "{",  "}",
                                      ",",   "%",  "\\", "login", " ",  std::string_view("\0", 1)};
  for (int i = 0; i < 3000; ++i) {
    std::string query;
    for (std::uint64_t left = random.below(12) + 1; left > 0; --left) {
      query += kPieces[random.below(std::size(kPieces))];
    }
    const auto found = w.ask(query);
    INFO(query);
    if (!found) REQUIRE(found.error().code == base::ErrorCode::invalid);
  }
  CHECK(w.rebuilt.empty());
  CHECK(w.positions("login").size() == 1);
}

TEST_CASE("an index has the same rows whatever the steps, and whenever it is opened",
          "[projections]") {
  Searched w;
  for (int i = 1; i <= 30; ++i) {
    w.log.append(i % 2 == 0 ? kFirstStream : kSecondStream, output(i),
                 "words of block " + std::to_string(i));
    if (i % 5 != 0) continue;
    w.feed();
    w.open(static_cast<std::size_t>(i));
  }
  w.feed();
  CHECK(w.rows().size() == 30);
  CHECK(w.rows() == w.rows_built_anew());
}

TEST_CASE("what is erased is in no row and no file of the index", "[projections]") {
  Searched w;
  for (int i = 1; i <= 400; ++i) {
    w.log.add(kFirstStream, output(i), "marlin" + std::to_string(i) + " swims here");
    w.log.add(kSecondStream, output(i), "herring" + std::to_string(i) + " swims there");
    if (i % 40 == 0) {
      w.log.seal();
      w.feed();
    }
  }
  REQUIRE_FALSE(support::files_with(w.folder, "marlin77").empty());
  SECTION("of some events") {
    w.erase(kFirstStream, {{{77}, {77}}, {{100}, {150}}});
    CHECK(w.positions("marlin77").empty());
    CHECK(w.positions("marlin120").empty());
    CHECK(w.positions("marlin99").size() == 1);
    CHECK(support::files_with(w.folder, "marlin77").empty());
    CHECK(support::files_with(w.folder, "marlin120").empty());
    CHECK(w.found("swims there").texts.size() == 20);
  }
  SECTION("of a whole session") {
    w.erase(kFirstStream, {{{1}, {400}}});
    CHECK(w.positions("marlin*").empty());
    // Neither the texts nor the words that the index keeps of them.
    CHECK(support::files_with(w.folder, "marlin").empty());
    CHECK(support::files_with(w.folder, "arlin").empty());
    CHECK(w.positions("herring77").size() == 1);
  }
  SECTION("of parts that were superseded") {
    w.log.append(kFirstStream, domain::PartialOutputRecorded{turn(1), 401}, "swordfish begins");
    w.feed();
    w.log.append(kFirstStream, output(401), "swordfish ends");
    w.feed();
    w.erase(kFirstStream, {{{401}, {402}}});
    CHECK(support::files_with(w.folder, "swordfish").empty());
    CHECK(support::files_with(w.folder, "ordfish").empty());
  }
  SECTION("of what the index has not come to") {
    w.log.append(kFirstStream, output(401), "swordfish ends");
    w.erase(kFirstStream, {{{401}, {401}}});
    w.feed();
    CHECK(w.positions("swordfish").empty());
    CHECK(support::files_with(w.folder, "swordfish").empty());
  }
  w.feed();
  CHECK(w.rows() == w.rows_built_anew());
  CHECK(w.rebuilt.empty());
  w.open(1);
  CHECK(w.positions("herring400").size() == 1);
}

TEST_CASE("an index that is damaged, foreign or gone is built anew and never trusted",
          "[projections]") {
  Searched w;
  for (int i = 1; i <= 50; ++i) {
    w.log.append(kFirstStream, output(i), "login number " + std::to_string(i));
  }
  w.feed();
  const auto rows = w.rows();
  w.contents.reset();
  bool is_told = true;
  const auto write_at = [&](std::streamoff at, const std::string& bytes) {
    std::fstream file(w.file(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(at);
    file << bytes;
  };
  SECTION("no database") {
    write_at(0, "this is no database");
  }
  SECTION("cut") {
    std::filesystem::resize_file(w.file(), 10'000);
  }
  SECTION("empty") {
    std::filesystem::resize_file(w.file(), 0);
    is_told = false;  // as one that was never there
  }
  SECTION("pages overwritten") {
    write_at(4096, std::string(8192, '\xAA'));
  }
  SECTION("a folder in its place") {
    std::filesystem::remove(w.file());
    std::filesystem::create_directories(w.file() + "/x");
  }
  SECTION("gone") {
    std::filesystem::remove_all(w.folder + "/search");
    is_told = false;
  }
  w.open(1);
  for (int tries = 0; tries < 3 && w.contents->feed(w.log.head()).has_failed; ++tries) {
  }
  w.feed();
  CHECK(w.rows() == rows);
  CHECK(w.positions("login").size() == 20);
  CHECK((is_told ? w.rebuilt.size() == 1 : w.rebuilt.empty()));
}

TEST_CASE("a text that is not as it was said is not shown, and the index is built anew",
          "[projections]") {
  Searched w;
  w.log.append(kFirstStream, output(1), "the login works");
  w.feed();
  w.contents.reset();
  std::string bytes;
  {
    std::ifstream in(w.file(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::size_t at = bytes.find("the login works");
  REQUIRE(at != std::string::npos);
  bytes.replace(at, 15, "the login fails");
  std::ofstream(w.file(), std::ios::binary) << bytes;
  w.open(1);
  const auto found = w.ask("login");
  REQUIRE_FALSE(found);
  CHECK(found.error().code == base::ErrorCode::rows_damaged);
  CHECK(w.found("login").indexed.value == 0);  // and it says that it has nothing yet
  w.feed();
  CHECK(w.found("works").texts.size() == 1);
  CHECK(w.rebuilt.size() == 1);
}

TEST_CASE("a batch that was not committed is not read", "[projections]") {
  support::TempFolder temp;
  auto index = kSearchIndex.open(temp.file(""), eventlog::system_disk());
  REQUIRE(index);
  domain::RecordedEvent event;
  event.envelope.position = {7};
  event.envelope.stream = kFirstStream;
  event.envelope.version = {1};
  event.event = domain::TurnQueued{turn(1)};
  event.content = domain::Content{"swordfish"};
  const domain::StreamRef stream{domain::SessionStream::kPattern, "main", kFirst};
  REQUIRE((*index)->begin());
  REQUIRE((*index)->apply(event, &stream));
  REQUIRE((*index)->begin());
  REQUIRE((*index)->commit({{}, 1}));
  REQUIRE((*index)->begin());
  REQUIRE((*index)->apply(event, &stream));
  REQUIRE((*index)->scrub());
  index->reset();
  CHECK(support::files_with(temp.file(""), "swordfish").empty());
}

// ---- a process that is killed at a commit ----

constexpr const char* kChildFolder = "STENO_SEARCH_FOLDER";
constexpr const char* kChildPoint = "STENO_SEARCH_POINT";
int points_left = 0;

void count_down() {
  if (--points_left == 0) std::raise(SIGKILL);
}

// Feeds an index of a log of its own, then erases a text, and a session.
void feed_and_erase(Searched& w) {
  w.log.append(kFirstStream, domain::TurnQueued{turn(1)}, "the password is swordfish");
  w.log.append(kFirstStream, output(1), "I have the password");
  w.log.append(kSecondStream, domain::TurnQueued{turn(1)}, "marlin is another password");
  w.log.append(kSecondStream, output(1), "marlin it is");
  w.log.append(kFirstStream, output(2), "herring is none");
  w.feed();
  w.erase(kFirstStream, {{{1}, {1}}});
  w.erase(kSecondStream, {{{1}, {2}}});
}

TEST_CASE("searches and erases until it is killed", "[.search_child]") {
  const char* folder = std::getenv(kChildFolder);
  const char* point = std::getenv(kChildPoint);
  if (folder == nullptr || point == nullptr) return;
  points_left = std::atoi(point);
  at_search_index_commit = count_down;
  Searched w(folder);
  feed_and_erase(w);
}

// Returns true if it was killed, false if it came to its end.
bool run_child(const std::string& folder, int point) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv(kChildFolder, folder.c_str(), 1);
    setenv(kChildPoint, std::to_string(point).c_str(), 1);
    execl("/proc/self/exe", "test_projections", "searches and erases until it is killed", nullptr);
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) {
    REQUIRE(WTERMSIG(status) == SIGKILL);
    return true;
  }
  REQUIRE(WEXITSTATUS(status) == 0);
  return false;
}

TEST_CASE("wherever the index's process is killed, the next one makes the same rows",
          "[projections]") {
  std::vector<std::string> expected;
  int kills = 0;
  for (bool is_killed = true; is_killed; ++kills) {
    support::TempFolder temp;
    std::filesystem::create_directories(temp.file("data"));
    is_killed = run_child(temp.file("data"), kills + 1);
    INFO("killed at commit point " << kills + 1);
    Searched w{temp.file("data")};
    feed_and_erase(w);
    for (const char* word : {"swordfish", "marlin", "ordfish", "arlin"}) {
      CHECK(support::files_with(w.folder, word).empty());
    }
    CHECK(w.rebuilt.empty());
    if (expected.empty()) expected = w.rows_built_anew();
    CHECK(w.rows() == expected);
    CHECK(w.positions("password").size() == 1);
  }
  CHECK(kills > 20);
}

}  // namespace
}  // namespace projections
