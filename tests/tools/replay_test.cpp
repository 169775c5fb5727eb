// `replay verify`, `state` and `rebuild`: whole logs prove themselves, damage and rollbacks are
// named, and nothing is written, also beside a server.
#include "tools/steno/replay/replay.hpp"

#include <pty.h>

#include <filesystem>
#include <memory>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/listing.hpp"
#include "tests/support/raw_log.hpp"
#include "tests/support/replay_log.hpp"

namespace {

using base::Position;
using Catch::Contains;
using nlohmann::json;
using steno::ReplayArguments;
using support::Answer;
using support::ReplayLog;
using support::run;

using Command = int (*)(const ReplayArguments&);

TEST_CASE("verify tells that a log is whole", "[tools]") {
  ReplayLog f;
  const auto before = support::listing(f.folder.root);
  const auto text = f.verify();
  CHECK(text.exit == 0);
  CHECK(text.err.empty());
  CHECK_THAT(text.out, Contains("whole: nothing is missing"));
  CHECK_THAT(text.out, Contains(f.head.log.text()));
  const auto answer = f.verify(true).parsed();
  CHECK(answer["verdict"] == "clean");
  CHECK(answer["events"] == f.head.position.value);
  CHECK(answer["hash"] == base::to_hex(base::view(f.head.hash)));
  CHECK(answer["head"] == f.head.position.value);
  CHECK(answer["problems"].empty());
  CHECK(support::listing(f.folder.root) == before);
}

TEST_CASE("on a terminal verify shows how far it is, in one line that it takes away", "[tools]") {
  const ReplayLog f;
  int ends[2];
  REQUIRE(::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) == 0);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> from(::fdopen(ends[0], "r"), std::fclose);
  std::string out;
  {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> to(::fdopen(ends[1], "w"), std::fclose);
    support::Capture capture(out);
    auto arguments = f.arguments();
    arguments.out = capture.file();
    arguments.err = to.get();
    CHECK(steno::replay_verify(arguments) == 0);
    REQUIRE(std::fputs("\n", to.get()) >= 0);
  }
  char shown[4096];
  REQUIRE(std::fgets(shown, sizeof shown, from.get()) != nullptr);
  const std::string all = std::to_string(f.head.position.value);
  CHECK_THAT(shown, Contains("\rverify 100% (" + all + " of " + all + " events)"));
  CHECK(std::string_view(shown).ends_with("\r\x1b[K\r\n"));
}

TEST_CASE("verify names what is missing and what is damaged", "[tools]") {
  ReplayLog f;
  std::int64_t damaged = 0;
  {
    auto log = eventlog::open_rocksdb_view({f.folder.log(), {}});
    const auto blocks = *(*log)->read({60}, 1, false);
    damaged = eventlog::parse_block(blocks.front().facts)->header.first.value;
  }
  support::RawLog raw(f.folder.log());
  auto bytes = raw.facts(damaged);
  bytes[bytes.size() - 20] ^= 1;
  raw.put_facts(damaged, bytes);
  const auto answer = f.verify(true);
  CHECK(answer.exit == 9);
  CHECK(answer.parsed()["verdict"] == "damaged");
  CHECK(answer.parsed()["problems"][0]["position"] == damaged);
  CHECK_THAT(f.verify().out, Contains("position " + std::to_string(damaged) + ": "));
}

TEST_CASE("verify counts a head file that is ahead or broken as damage", "[tools]") {
  ReplayLog f;
  auto ahead = f.head;
  ahead.position = ahead.position.plus(3);
  REQUIRE((*eventlog::open_head_file(f.folder.head()))->write(ahead));
  const auto answer = f.verify();
  CHECK(answer.exit == 9);
  CHECK_THAT(answer.out, Contains("events " + std::to_string(f.head.position.value + 1) + " to " +
                                  std::to_string(ahead.position.value) + " are missing"));
  std::filesystem::resize_file(f.folder.head(), 0);
  CHECK_THAT(f.verify().out, Contains("the head file is missing"));
  CHECK(f.verify().exit == 9);
  std::filesystem::resize_file(f.folder.head(), 100);
  CHECK(f.verify().exit == 9);
}

// Copies the data folder as it is now; returns the copy's path.
std::string copied(const ReplayLog& f, const std::string& name) {
  const std::string to = f.temporary.file(name);
  std::filesystem::copy(f.folder.root, to, std::filesystem::copy_options::recursive);
  return to;
}

void append_one(ReplayLog& f) {
  auto log = eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
  support::LogWriter writer(*log, f.random);
  writer.append(domain::kServerStream, domain::ServerStarted{});
}

TEST_CASE("a folder that was put back as a whole is found by a checkpoint", "[tools]") {
  ReplayLog f;
  auto back = f.arguments(true);
  back.checkpoint = f.verify(true).parsed()["checkpoint"];
  CHECK(run(steno::replay_verify, back).exit == 0);
  const std::string older = copied(f, "older");
  append_one(f);
  CHECK(run(steno::replay_verify, back).exit == 0);
  back.checkpoint = f.verify(true).parsed()["checkpoint"];
  back.folder = older;
  const auto answer = run(steno::replay_verify, back);
  CHECK(answer.exit == 9);
  const json problem = answer.parsed()["problems"][0];
  CHECK(problem["position"] == f.head.position.value + 1);
  CHECK(problem["through"] == f.head.position.value + 1);
  CHECK_THAT(problem["text"].get<std::string>(), Contains("shorter than the checkpoint says"));
  back.checkpoint.clear();
  CHECK(run(steno::replay_verify, back).exit == 0);

  auto word = back;
  word.checkpoint = "yesterday";
  CHECK(run(steno::replay_verify, word).exit == 2);
  word.checkpoint = ReplayLog(6).verify(true).parsed()["checkpoint"];
  CHECK(run(steno::replay_verify, word).exit == 11);
}

TEST_CASE("a log that was put back beside its rows is found by them", "[tools]") {
  ReplayLog f;
  const std::string older = copied(f, "older");
  append_one(f);
  f.project(f.head.position.next());
  std::filesystem::remove_all(older + "/views");
  std::filesystem::copy(f.folder.views(), older + "/views");
  auto back = f.arguments();
  back.folder = older;
  const auto answer = run(steno::replay_verify, back);
  CHECK(answer.exit == 9);
  CHECK_THAT(answer.out, Contains("is missing: the log is shorter than the projection"));
}

TEST_CASE("a history that went another way is not taken for its own", "[tools]") {
  ReplayLog f;
  const std::string other = copied(f, "other");
  append_one(f);
  auto back = f.arguments();
  back.checkpoint = f.verify(true).parsed()["checkpoint"];
  f.folder.root = other;
  append_one(f);
  back.folder = other;
  const auto answer = run(steno::replay_verify, back);
  CHECK(answer.exit == 9);
  CHECK_THAT(answer.out, Contains("another block than the one that the checkpoint names"));
}

TEST_CASE("verify tells a torn end apart when nothing acknowledged is missing", "[tools][C03]") {
  ReplayLog f;
  {
    auto log = eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
    log->head.reset();
    support::LogWriter writer(*log, f.random);
    writer.append(domain::kServerStream, domain::ServerStarted{});
  }
  CHECK(f.verify(true).parsed()["events_behind_head"] == 1);
  const std::string file = support::newest_file(f.folder.log(), ".log");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 10);
  const auto answer = f.verify(true);
  CHECK(answer.exit == 10);
  CHECK(answer.parsed()["verdict"] == "torn");
  CHECK(answer.parsed()["last"] == f.head.position.value);
}

TEST_CASE("a flipped bit in the write-ahead log is damage once it hides an event", "[tools]") {
  ReplayLog f;
  const std::string file = support::newest_file(f.folder.log(), ".log");
  const auto size = std::filesystem::file_size(file);
  REQUIRE(size > 1000);
  std::FILE* bytes = std::fopen(file.c_str(), "r+");
  std::fseek(bytes, static_cast<long>(size / 2), SEEK_SET);
  const int old = std::fgetc(bytes);
  std::fseek(bytes, static_cast<long>(size / 2), SEEK_SET);
  std::fputc(old ^ 16, bytes);
  std::fclose(bytes);
  const auto before = support::listing(f.folder.root);
  const auto answer = f.verify(true).parsed();
  CHECK(answer["verdict"] == "damaged");
  CHECK(answer["torn"] == true);
  const auto last = answer["last"].get<std::int64_t>();
  CHECK(last > 0);
  CHECK(last < f.head.position.value);
  CHECK_THAT(answer["problems"][0]["text"].get<std::string>(),
             Contains("events " + std::to_string(last + 1) + " to " +
                      std::to_string(f.head.position.value) + " are missing"));
  CHECK(f.verify().exit == 9);
  CHECK(f.state(std::to_string(last)).exit == 0);
  CHECK(f.state("").exit == 9);
  CHECK(support::listing(f.folder.root) == before);
  auto log = eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
  REQUIRE_FALSE(log);
  CHECK_THAT(log.error().text, Contains("events " + std::to_string(last + 1) + " to "));
}

// Returns all files of the log's database with that extension.
std::vector<std::string> files_of(const ReplayLog& f, const std::string& extension) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(f.folder.log())) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  return found;
}

TEST_CASE("a flipped bit in a table file is damage", "[tools]") {
  ReplayLog f;
  { support::RawLog(f.folder.log()).flush(); }
  for (const std::string& file : files_of(f, ".sst")) {
    std::FILE* bytes = std::fopen(file.c_str(), "r+");
    std::fseek(bytes, 200, SEEK_SET);
    const int old = std::fgetc(bytes);
    std::fseek(bytes, 200, SEEK_SET);
    std::fputc(old ^ 16, bytes);
    std::fclose(bytes);
  }
  const auto answer = f.verify(true);
  CHECK(answer.exit == 9);
  const auto parsed = answer.parsed();
  CHECK(parsed["verdict"] == "damaged");
  CHECK(parsed["problems"][0]["position"] == 1);
  CHECK_THAT(parsed["problems"][0]["text"].get<std::string>(), Contains("are not readable"));
  CHECK(parsed["events"] > 0);
  CHECK(parsed["last"] == f.head.position.value);
}

TEST_CASE("a table file that is missing is damage, whatever it held", "[tools]") {
  ReplayLog f;
  { support::RawLog(f.folder.log()).flush(); }
  const auto files = files_of(f, ".sst");
  REQUIRE(files.size() == 2);  // the table of facts and that of contents
  const auto which = GENERATE(std::size_t{0}, std::size_t{1});
  std::filesystem::remove(files[which]);
  const auto answer = f.verify(true);
  CHECK(answer.exit == 9);
  CHECK(answer.parsed()["problems"].size() > 0);
  CHECK(f.state("").exit == 9);
}

TEST_CASE("a log that has outgrown its first write-ahead log is read in the same way", "[tools]") {
  ReplayLog f;
  {
    auto log = eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
    support::LogWriter writer(*log, f.random);
    for (int i = 0; i < 500; ++i) {
      writer.add(domain::kServerStream, domain::ServerStarted{},
                 std::string(i % 100 == 0 ? 700'000 : 60'000, 'x'));
      if (i % 100 == 0) writer.flush();
    }
    f.head.position = writer.flush();
  }
  REQUIRE(files_of(f, ".log").size() > 1);
  const auto answer = f.verify(true).parsed();
  CHECK(answer["verdict"] == "clean");
  CHECK(answer["contents"] >= 500);
  CHECK(f.state("").parsed()["position"] == f.head.position.value);
  const auto files = files_of(f, ".log");
  std::filesystem::remove(files.front());
  CHECK(f.verify(true).exit == 9);
}

TEST_CASE("every command says that there is no log", "[tools]") {
  support::TemporaryFolder empty;
  ReplayArguments arguments;
  arguments.folder = empty.path();
  for (const Command command : {steno::replay_verify, steno::replay_state, steno::replay_rebuild}) {
    const auto answer = run(command, arguments);
    CHECK(answer.exit == 3);
    CHECK_THAT(answer.err, Contains("there is no log"));
  }
  CHECK(std::filesystem::is_empty(empty.path()));
}

TEST_CASE("the state at the end is what the events add up to", "[tools]") {
  ReplayLog f;
  const auto answer = f.state("");
  REQUIRE(answer.exit == 0);
  const json parsed = answer.parsed();
  CHECK(parsed["position"] == f.head.position.value);
  REQUIRE(parsed["sessions"].size() == f.history.states().size());
  std::int64_t opened_before = 0;
  for (const json& one : parsed["sessions"]) {
    CHECK(one["opened"] > opened_before);
    opened_before = one["opened"];
    const auto id = *base::SessionId::parse(one["session"].get<std::string>());
    const auto& state =
        f.history.states().at(domain::session_stream(one["agent"].get<std::string>(), id));
    CHECK(one["status"] == base::enum_name(state.status));
    CHECK(one["name"] == domain::label(state));
    CHECK(one["cost_nano_usd"] == state.cost.value);
    CHECK(one["queue"].size() == state.queue.size());
    CHECK(one["turn"].is_null() == !state.turn.has_value());
    CHECK(one["lease"].is_null() == !state.lease.has_value());
    CHECK(one["inconsistent"] == 0);
    const auto& turns = one["turns"];
    const std::int64_t ended = turns["finished"].get<std::int64_t>() +
                               turns["failed"].get<std::int64_t>() +
                               turns["interrupted"].get<std::int64_t>();
    CHECK(turns["queued"] ==
          ended + static_cast<std::int64_t>(state.queue.size()) + (state.turn ? 1 : 0));
  }
}

TEST_CASE("the state at a point is the same bytes each time, and at its time", "[tools]") {
  ReplayLog f;
  const auto& events = f.history.log().events();
  for (const std::size_t index : {std::size_t{0}, events.size() / 3, events.size() - 1}) {
    const auto& event = events[index];
    const std::string position = std::to_string(event.envelope.position.value);
    for (const bool is_json : {false, true}) {
      const auto answer = f.state(position, {}, is_json);
      CHECK(answer.exit == 0);
      CHECK(f.state(position, {}, is_json).out == answer.out);
      if (index == 0) continue;  // its time comes from the writer
      CHECK(f.state(std::to_string(event.envelope.log_time.us), {}, is_json).out == answer.out);
    }
  }
  CHECK(f.state("1970-01-02").parsed()["position"] == 0);
  CHECK(f.state("2099-01-01T00:00:00Z").parsed()["position"] == f.head.position.value);
}

TEST_CASE("a point that is none is refused", "[tools]") {
  ReplayLog f;
  CHECK(f.state("yesterday").exit == 2);
  const auto beyond = f.state(std::to_string(f.head.position.value + 1));
  CHECK(beyond.exit == 3);
  CHECK_THAT(beyond.err, Contains("the log ends at " + std::to_string(f.head.position.value)));
}

TEST_CASE("one session is found by all that people call it", "[tools]") {
  ReplayLog f;
  const json all = f.state("").parsed()["sessions"];
  const json& newest = all.back();
  for (const char* key : {"session", "alias"}) {
    const auto answer = f.state("", newest[key].get<std::string>());
    REQUIRE(answer.exit == 0);
    CHECK(answer.parsed()["sessions"] == json::array({newest}));
  }
  CHECK(f.state("", newest["alias"].get<std::string>().substr(0, 7)).exit == 0);
  auto by_name = f.arguments(true);
  by_name.session = newest["name"];
  by_name.agent = newest["agent"];
  const auto named = run(steno::replay_state, by_name).parsed()["sessions"];
  REQUIRE(named.size() == 1);
  CHECK(named[0]["name"] == newest["name"]);
  const auto common = f.state("", newest["session"].get<std::string>().substr(0, 4));
  CHECK(common.exit == 2);
  CHECK_THAT(common.err, Contains("fits several sessions"));
  CHECK(f.state("", "nobody").exit == 3);
}

TEST_CASE("the state before a loss can be read, and behind it cannot", "[tools]") {
  ReplayLog f;
  std::int64_t first = 0;
  {
    auto log = eventlog::open_rocksdb_view({f.folder.log(), {}});
    const auto blocks = *(*log)->read({90}, 1, false);
    first = eventlog::parse_block(blocks.front().facts)->header.first.value;
  }
  const auto before = f.state(std::to_string(first - 1));
  { support::RawLog(f.folder.log()).remove_block(first); }
  CHECK(f.state(std::to_string(first - 1)).out == before.out);
  const auto behind = f.state("");
  CHECK(behind.exit == 9);
  CHECK_THAT(behind.err, Contains("position " + std::to_string(first)));

  auto ahead = f.head;
  ahead.position = ahead.position.next();
  REQUIRE((*eventlog::open_head_file(f.folder.head()))->write(ahead));
  CHECK(f.state("").exit == 9);
  CHECK(f.state(std::to_string(ahead.position.value)).exit == 9);
  CHECK(f.state(std::to_string(first - 1)).exit == 0);
}

TEST_CASE("rebuilt projections equal the live ones, wherever those stand", "[tools]") {
  ReplayLog f;
  CHECK_THAT(f.rebuild().out, Contains("digest session_list live=absent rebuilt="));
  for (const std::int64_t part : {3, 2, 1}) {
    f.project(Position{f.head.position.value / part});
    const auto answer = f.rebuild();
    CHECK(answer.exit == 0);
    CHECK(answer.err.empty());
    std::size_t equal = 0;
    std::size_t lines = 0;
    for (std::size_t at = 0; at < answer.out.size(); ++lines) {
      const std::size_t end = answer.out.find('\n', at);
      const std::string line = answer.out.substr(at, end - at);
      CHECK_THAT(line,
                 Catch::Matches("digest [a-z_]+ live=[0-9a-f]{16} rebuilt=[0-9a-f]{16} equal"));
      equal += line.ends_with(" equal");
      at = end + 1;
    }
    CHECK(lines == projections::all_projections().size());
    CHECK(equal == lines);
  }
}

TEST_CASE("a projection with a wrong row is different", "[tools]") {
  ReplayLog f;
  f.project(f.head.position);
  {
    auto rows = *eventlog::open_rocksdb_key_value_store(f.folder.views());
    eventlog::WriteBatch batch;
    batch.put("metrics/x", "not from the log");
    REQUIRE(rows->write(batch));
  }
  const auto answer = f.rebuild();
  CHECK(answer.exit == 9);
  CHECK_THAT(answer.out,
             Catch::Matches("(.|\n)*digest metrics live=\\w+ rebuilt=\\w+ DIFFERENT(.|\n)*"));
  CHECK_THAT(answer.out,
             Catch::Matches("(.|\n)*digest session_list live=\\w+ rebuilt=\\w+ equal(.|\n)*"));
  CHECK(f.rebuild("session_list").exit == 0);
  CHECK(f.rebuild("metrics").exit == 9);
}

TEST_CASE("rows that hold more than the log find the loss", "[tools]") {
  ReplayLog f;
  f.project(f.head.position);
  {
    // Removes the last block, and sets the head back with it.
    support::RawLog raw(f.folder.log());
    const auto log = *eventlog::open_rocksdb_view({f.folder.log(), {}});
    const auto blocks = *log->read_reverse(log->tail(), SIZE_MAX);
    raw.remove_block(eventlog::parse_block(blocks[0].facts)->header.first.value);
    const auto before = *eventlog::parse_block(blocks[1].facts);
    const auto head = *eventlog::open_head_file(f.folder.head());
    REQUIRE(
        head->write({before.header.log, before.header.epoch, before.header.last(), before.hash()}));
  }
  const auto answer = f.rebuild();
  CHECK(answer.exit == 9);
  CHECK_THAT(answer.err, Contains("which the log does not"));
}

TEST_CASE("a projection can be built up to a point", "[tools]") {
  ReplayLog f;
  f.project(f.head.position);
  CHECK_THAT(f.rebuild("metrics", 1).out, Contains("digest metrics live=absent rebuilt="));
  CHECK_THAT(f.rebuild("metrics", f.head.position.value).out, Contains(" equal"));
  CHECK(f.rebuild("metrics", f.head.position.value + 1).exit == 3);
  CHECK(f.rebuild("gossip").exit == 3);
}

TEST_CASE("replay works beside a server at work and writes nothing", "[tools][C06]") {
  ReplayLog f;
  f.project(f.head.position);
  auto log = eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
  auto rows = *eventlog::open_rocksdb_key_value_store(f.folder.views());
  auto set = *projections::ProjectionSet::open(*rows);
  support::LogWriter writer(*log, f.random);
  for (int i = 0; i < 5; ++i) {
    writer.append(domain::kServerStream, domain::ServerStarted{}, "text");
    CHECK(f.verify(true).parsed()["last"] == writer.durable().position.value);
    CHECK(f.verify(true).parsed()["in_use"] == true);
    CHECK(f.state("").parsed()["position"] == writer.durable().position.value);
    CHECK(f.rebuild().exit == 0);
    REQUIRE(set.catch_up(*log->store, writer.durable().position, 100));
    CHECK_THAT(f.rebuild("metrics").out, Contains(" equal"));
  }
}

}  // namespace
