// `replay export` and `import`: a round trip gives the same log byte for byte, and a wrong line is
// named before any log is made.
#include <fstream>

#include "eventlog/base/text_bytes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_log.hpp"
#include "tests/support/replay_log.hpp"

namespace {

using Catch::Contains;
using nlohmann::json;
using support::Answer;
using support::ReplayLog;
using support::run;

struct ExportFixture : ReplayLog {
  std::string lines = temporary.file("log.jsonl");
  std::string target = temporary.file("new");

  Answer exported(bool with_content = true) const {
    auto wanted = arguments();
    wanted.with_content = with_content;
    return run(steno::replay_export, wanted);
  }
  Answer imported(const std::string& text, bool is_exact = true) const {
    std::ofstream(lines, std::ios::binary | std::ios::trunc) << text;
    std::filesystem::remove_all(target);
    auto wanted = arguments(true);
    wanted.file = lines;
    wanted.target = target;
    wanted.is_exact = is_exact;
    return run(steno::replay_import, wanted);
  }
  // Returns everything that a store holds, facts and contents, block by block.
  static std::vector<eventlog::StoredBlock> blocks(const std::string& root) {
    const auto log = *eventlog::open_unproved_log(root);
    return *log.store->read({1}, SIZE_MAX, true);
  }
};

// Returns the text without the line of this number, counted from 1.
std::string without_line(const std::string& text, std::size_t number) {
  std::size_t at = 0;
  while (--number > 0) at = text.find('\n', at) + 1;
  return text.substr(0, at) + text.substr(text.find('\n', at) + 1);
}

TEST_CASE("an import of an export is the same log, byte for byte", "[tools]") {
  ExportFixture f;
  {
    auto log = *eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
    support::LogWriter writer(log, f.random);
    domain::SessionOpened opened;
    opened.session.bytes[0] = 1;
    opened.agent = "main";
    const std::string stream = domain::session_stream("main", opened.session);
    writer.append(stream, opened, std::string(300'000, 'x') + "\n\"end\"");
    writer.append(stream, domain::TurnQueued{}, "\x01 \xC3\xA4 \x7F \"quoted\"");
    writer.append(stream, domain::TurnQueued{}, std::string("no text: \xFF\xFE", 11));
    f.head = writer.durable();
  }
  const auto text = f.exported();
  CHECK(text.exit == 0);
  const auto answer = f.imported(text.out);
  INFO(answer.err);
  REQUIRE(answer.exit == 0);
  const auto before = ExportFixture::blocks(f.folder.root);
  const auto after = ExportFixture::blocks(f.target);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(after[i].facts == before[i].facts);
    CHECK(after[i].content == before[i].content);
  }
  auto wanted = f.arguments(true);
  wanted.folder = f.target;
  const auto made = run(steno::replay_verify, wanted).parsed();
  CHECK(made == f.verify(true).parsed());
  wanted.is_json = false;
  CHECK(run(steno::replay_export, wanted).out == text.out);
}

TEST_CASE("an import begins an epoch of its own, unless it is told not to", "[tools]") {
  ExportFixture f;
  const auto text = f.exported().out;
  const auto old = f.verify(true).parsed()["checkpoint"];
  REQUIRE(f.imported(text, false).exit == 0);
  auto wanted = f.arguments(true);
  wanted.folder = f.target;
  wanted.checkpoint = old;
  const auto made = run(steno::replay_verify, wanted);
  CHECK(made.exit == 0);
  CHECK(made.parsed()["epochs"] == 2);
  CHECK(made.parsed()["last"] == f.head.position.value + 1);
}

TEST_CASE("what was erased from a copy travels with its export", "[tools]") {
  ExportFixture f;
  const auto [stream, version] = f.erase_from_copy();
  const auto text = f.exported();
  REQUIRE(text.exit == 0);
  CHECK_THAT(text.out, Contains("\n{\"erased\":\"" + stream +
                                "\",\"events\":[{\"first\":" + std::to_string(version.value)));
  auto wanted = f.arguments(true);
  wanted.folder = f.target;
  for (const bool is_exact : {true, false}) {
    CAPTURE(is_exact);
    const auto answer = f.imported(text.out, is_exact);
    INFO(answer.err);
    REQUIRE(answer.exit == 0);
    const auto made = run(steno::replay_verify, wanted);
    CHECK(made.exit == 0);
    CHECK(made.parsed()["contents_erased"] == 1);
    CHECK(made.parsed()["last"] == f.head.position.value + (is_exact ? 0 : 2));
    const auto again = run(steno::replay_export, wanted).out;
    if (is_exact) CHECK(again == text.out);
    CHECK((again.find("{\"erased\"") != std::string::npos) == is_exact);
  }
  const auto refused = [&](const std::string& line) {
    const std::size_t end = text.out.find("{\"end\"");
    return f.imported(text.out.substr(0, end) + line + "\n" + text.out.substr(end));
  };
  const std::string begin = R"({"erased":")" + stream + '"';
  CHECK(refused(begin + R"(,"events":[{"first":3,"last":2}]})").exit == 2);
  CHECK(refused(begin + R"(,"events":[]})").exit == 2);
  CHECK(refused(begin + "}").exit == 2);
  const auto other = refused(R"({"erased":"$server","events":[{"first":1,"last":1}]})");
  CHECK(other.exit == 2);
  CHECK_THAT(other.err, Contains("not the stream of a session"));
  CHECK(refused(R"({"erased":7,"events":[{"first":1,"last":2}]})").exit == 2);
}

TEST_CASE("an export can be read by people and by other programs", "[tools]") {
  ExportFixture f;
  const auto text = f.exported().out;
  std::istringstream in(text);
  std::int64_t position = 0;
  std::size_t texts = 0;
  for (std::string line; std::getline(in, line);) {
    const json parsed = json::parse(line);
    if (!parsed.contains("events")) continue;
    for (const json& event : parsed["events"]) {
      CHECK(event["position"] == ++position);
      CHECK(event["type"].is_string());
      CHECK(event["stream"].is_string());
      CHECK(event["facts"].is_object());
      texts += event.contains("content") && event["content"]["text"] == "words";
    }
  }
  CHECK(position == f.head.position.value);
  CHECK(texts == f.verify(true).parsed()["contents"]);
}

TEST_CASE("an export without content has none, and is not made a log again", "[tools]") {
  ExportFixture f;
  const auto text = f.exported(false);
  CHECK(text.exit == 0);
  CHECK(text.out.find("words") == std::string::npos);
  const auto answer = f.imported(text.out);
  CHECK(answer.exit == 2);
  CHECK_THAT(answer.err, Contains("exported without content"));
  CHECK_FALSE(std::filesystem::exists(f.target + "/head"));
}

TEST_CASE("a line that is wrong is named, and no log is made", "[tools]") {
  ExportFixture f;
  const auto text = f.exported().out;
  const auto refused = [&](const std::string& lines, const std::string& why) {
    const auto answer = f.imported(lines);
    CHECK(answer.exit == 2);
    CHECK_THAT(answer.err, Contains(why));
    auto wanted = f.arguments();
    wanted.folder = f.target;
    CHECK(run(steno::replay_verify, wanted).exit != 0);
  };
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    const std::size_t block = changed.find("{\"block\"", changed.size() / 2);
    REQUIRE(block != std::string::npos);
    const std::size_t at = changed.find(what, block);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, what.size(), by);
  };
  refused("", "line 1");
  refused("{\"hello\":1}\n", "not the output of steno replay export");
  refused(without_line(text, 1), "line 1");
  refused(without_line(text, 5), "(line 5)");
  refused(text.substr(0, text.size() * 2 / 3), "line ");
  refused(text.substr(0, text.rfind("{\"end\"")), "the end line is missing");
  refused(text + "{}\n", "there is more behind the end");
  refused(replaced("\"type\":\"", "\"type\":\"Not"), "differ from its bytes");
  refused(replaced("\"bytes\":\"", "\"bytes\":\"AAAA"), "line ");
  refused(replaced("\"words\"", "\"swords\""), "does not match its digest");
  refused(replaced("\"salt\":\"", "\"salt\":\"0"), "'salt' has the wrong size");
  refused(replaced("\"previous\":\"", "\"previous\":\"zz"), "line ");
  refused(replaced("{\"block\"", "[\"block\""), "line ");
  for (const std::string number :
       {"53222222222466099353", "18446744073709551615", "-9007199254740992", "9223372036854775807",
        "9007199254740992", "0.5", "\"1\""}) {
    INFO(number);
    refused(replaced("\"writer_term\":", "\"writer_term\":" + number + ",\"was\":"),
            "'writer_term' is not an integer below 2^53");
    refused(replaced("\"content\":{", "\"content\":{\"chunks\":" + number + ","),
            "'chunks' is not an integer below 2^53");
  }
  const std::string head = text.substr(text.find('\n'));
  refused("{\"steno_export\":1,\"of\":5}" + head, "not the output of steno replay export");
  refused("{\"steno_export\":1,\"of\":{\"with_content\":5}}" + head, "line ");
}

TEST_CASE("an import writes only where nothing is", "[tools]") {
  ExportFixture f;
  std::ofstream(f.lines) << f.exported().out;
  auto wanted = f.arguments();
  wanted.file = f.lines;
  CHECK(run(steno::replay_import, wanted).exit == 2);
  wanted.target = f.folder.root;
  CHECK(run(steno::replay_import, wanted).exit == 4);
  wanted.target = f.target;
  wanted.file = f.temporary.file("nowhere");
  CHECK(run(steno::replay_import, wanted).exit == 3);
}

TEST_CASE("a damaged log is not exported to its end", "[tools]") {
  ExportFixture f;
  { support::RawLog(f.folder.log()).remove_block(1); }
  const auto answer = f.exported();
  CHECK(answer.exit == 9);
  CHECK(answer.out.find("\"end\"") == std::string::npos);
}

TEST_CASE("base64 goes both ways, and only one text is right for each bytes", "[tools]") {
  for (const std::string bytes : {"", "a", "ab", "abc", "abcd", "\xFF\xFE\x01"}) {
    CHECK(base::from_base64(base::to_base64(bytes)) == bytes);
  }
  CHECK(base::to_base64("hello") == "aGVsbG8=");
  for (const char* wrong : {"a", "aGVsbG8", "aGVsbG9=", "aGVsb*8=", "====", "aGVs=G8="}) {
    CHECK_FALSE(base::from_base64(wrong));
  }
}

}  // namespace
