// `replay diff` and `replay stats`: differences between two positions, two logs, or rows and log,
// named where they begin.
#include "tests/support/catch.hpp"
#include "tests/support/raw_log.hpp"
#include "tests/support/replay_log.hpp"

namespace {

using base::Position;
using Catch::Contains;
using nlohmann::json;
using support::Answer;
using support::ReplayLog;
using support::run;

struct DiffFixture : ReplayLog {
  std::string other = temporary.file("other");

  Answer diff(const std::string& from, const std::string& to,
              const std::string& session = {}) const {
    auto wanted = arguments(true);
    wanted.from = from;
    wanted.at = to;
    wanted.session = session;
    return run(steno::replay_diff, wanted);
  }
  Answer diff_other(bool is_json = true) const {
    auto wanted = arguments(is_json);
    wanted.other = other;
    return run(steno::replay_diff, wanted);
  }
  Answer diff_projection(const std::string& name, bool is_json = true) const {
    auto wanted = arguments(is_json);
    wanted.projection = name;
    return run(steno::replay_diff, wanted);
  }
  void copy() const {
    std::filesystem::copy(folder.root, other, std::filesystem::copy_options::recursive);
  }
  static Position append_to(const std::string& root, base::Random& random) {
    auto log = eventlog::open_log(root, eventlog::LogMode::read_write, random);
    support::LogWriter writer(*log, random);
    return writer.append(domain::kServerStream, domain::ServerStarted{{}, 2, "later"});
  }
};

TEST_CASE("two positions differ in what the events between them changed, and in nothing else",
          "[tools]") {
  DiffFixture f;
  const auto end = f.head.position.value;
  CHECK(f.diff(std::to_string(end), "").exit == 0);
  const auto whole = f.diff("0", "");
  CHECK(whole.exit == 1);
  const auto parsed = whole.parsed();
  CHECK(parsed["from"] == 0);
  CHECK(parsed["to"] == end);
  REQUIRE(parsed["sessions"].size() == f.history.states().size());
  for (const json& one : parsed["sessions"]) {
    CHECK(one["new"] == true);
    const std::string id = one["session"];
    const auto state = f.state("", id).parsed()["sessions"][0];
    for (const auto& [name, change] : one["changes"].items()) {
      CHECK(change["to"] == state[name]);
      CHECK(change["from"].is_null());
    }
  }
  // The changes between two points are the fields in which their states differ.
  const std::string half = std::to_string(end / 2);
  const auto later = f.diff(half, "").parsed();
  for (const json& one : later["sessions"]) {
    if (one["new"]) continue;
    const auto before = f.state(half, one["session"]).parsed()["sessions"][0];
    const auto after = f.state("", one["session"]).parsed()["sessions"][0];
    std::size_t differing = 0;
    for (const auto& [name, value] : after.items()) differing += before[name] != value;
    CHECK(one["changes"].size() == differing);
    for (const auto& [name, change] : one["changes"].items()) {
      CHECK(change["from"] == before[name]);
      CHECK(change["to"] == after[name]);
    }
  }
  CHECK(f.diff("5", "2").exit == 2);
  CHECK(f.diff("0", std::to_string(end + 1)).exit == 3);
}

TEST_CASE("two logs are the same up to where one of them ends", "[tools]") {
  DiffFixture f;
  f.copy();
  CHECK(f.diff_other().exit == 0);
  CHECK(f.diff_other().parsed()["same"] == true);
  const auto end = f.head.position.value;
  CHECK(DiffFixture::append_to(f.other, f.random).value == end + 1);
  const auto answer = f.diff_other();
  CHECK(answer.exit == 1);
  CHECK(answer.parsed()["difference"] == "ends");
  CHECK(answer.parsed()["position"] == end + 1);
  CHECK_THAT(f.diff_other(false).out,
             Contains("the first log ends at position " + std::to_string(end)));
}

TEST_CASE("two logs part where their first different event is", "[tools]") {
  DiffFixture f;
  f.copy();
  DiffFixture::append_to(f.other, f.random);
  DiffFixture::append_to(f.folder.root, f.random);
  const auto answer = f.diff_other().parsed();
  CHECK(answer["difference"] == "events");
  CHECK(answer["position"] == f.head.position.value + 1);
  CHECK_THAT(answer["text"].get<std::string>(), Contains("ServerStarted of stream $server"));
}

TEST_CASE("two logs of one length may differ in content alone", "[tools]") {
  DiffFixture f;
  f.copy();
  Position first;
  {
    auto log = *eventlog::open_rocksdb_store({f.other + "/log"});
    const auto blocks = *log->read({1}, SIZE_MAX, true);
    for (const auto& stored : blocks) {
      if (stored.content.empty() || first.value > 0) continue;
      first = eventlog::parse_block(stored.facts)->header.first;
    }
    REQUIRE(log->replace_content(first, {}));
  }
  const auto answer = f.diff_other().parsed();
  CHECK(answer["difference"] == "content");
  CHECK(answer["position"] >= first.value);
  CHECK(answer["text"] == "the content is in the first one only");
}

TEST_CASE("logs of two origins differ from their first block on", "[tools]") {
  DiffFixture f;
  const ReplayLog another(6);
  auto wanted = f.arguments(true);
  wanted.other = another.folder.root;
  const auto answer = run(steno::replay_diff, wanted);
  CHECK(answer.exit == 1);
  CHECK(answer.parsed()["position"] == 1);
  wanted.other = f.temporary.file("nowhere");
  CHECK(run(steno::replay_diff, wanted).exit == 3);
}

TEST_CASE("a wrong row of a projection is shown beside the right one", "[tools]") {
  DiffFixture f;
  CHECK(f.diff_projection("metrics").exit == 3);
  f.project(f.head.position);
  for (const auto& projection : projections::all_projections()) {
    const auto answer = f.diff_projection(std::string(projection->name()));
    CHECK(answer.exit == 0);
    CHECK(answer.parsed()["rows"] > 0);
  }
  std::string removed;
  {
    auto rows = *eventlog::open_rocksdb_key_value_store(f.folder.views());
    const auto page = *rows->scan("session_list/", "", 3);
    eventlog::WriteBatch batch;
    removed = page[0].key;
    batch.remove(page[0].key);
    batch.put(page[1].key, page[2].value);
    batch.put("session_list/~", page[2].value);
    REQUIRE(rows->write(batch));
  }
  const auto answer = f.diff_projection("session_list");
  CHECK(answer.exit == 1);
  const auto parsed = answer.parsed();
  CHECK(parsed["different"] == 3);
  REQUIRE(parsed["differences"].size() == 3);
  CHECK(parsed["differences"][0]["live"].is_null());
  CHECK_FALSE(parsed["differences"][0]["rebuilt"].is_null());
  CHECK(parsed["differences"][1]["live"] != parsed["differences"][1]["rebuilt"]);
  CHECK(parsed["differences"][2]["rebuilt"].is_null());
  CHECK_THAT(f.diff_projection("session_list", false).out, Contains("3 different"));
  CHECK(f.diff_projection("metrics").exit == 0);
  CHECK(f.diff_projection("gossip").exit == 3);
}

TEST_CASE("diff asks what it is to compare", "[tools]") {
  DiffFixture f;
  auto wanted = f.arguments();
  CHECK(run(steno::replay_diff, wanted).exit == 2);
  wanted.from = "1";
  wanted.projection = "metrics";
  CHECK(run(steno::replay_diff, wanted).exit == 2);
}

TEST_CASE("stats count what verify counts", "[tools]") {
  DiffFixture f;
  const auto answer = run(steno::replay_stats, f.arguments(true));
  CHECK(answer.exit == 0);
  const auto stats = answer.parsed();
  const auto proof = f.verify(true).parsed();
  CHECK(stats["log"] == proof["log"]);
  CHECK(stats["events"]["count"] == proof["events"]);
  CHECK(stats["blocks"]["count"] == proof["blocks"]);
  CHECK(stats["contents"]["count"] == proof["contents"]);
  CHECK(stats["contents"]["bytes"] == 5 * proof["contents"].get<std::int64_t>());  // "words"
  CHECK(stats["sessions"] == f.history.states().size());
  CHECK(stats["epochs"] == 1);
  for (const char* by : {"types", "agents"}) {
    std::int64_t events = 0;
    std::int64_t bytes = 0;
    for (const json& one : stats[by]) {
      events += one["events"].get<std::int64_t>();
      bytes += one["bytes"].get<std::int64_t>();
    }
    CHECK(events == stats["events"]["count"]);
    CHECK(bytes == stats["events"]["bytes"]);
  }
  CHECK_THAT(run(steno::replay_stats, f.arguments()).out, Contains("SessionOpened"));
  { support::RawLog(f.folder.log()).remove_block(1); }
  CHECK(run(steno::replay_stats, f.arguments()).exit == 9);
}

}  // namespace
