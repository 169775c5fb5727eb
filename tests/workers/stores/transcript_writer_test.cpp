// What the record holds becomes a transcript.
#include "workers/stores/transcript_writer.hpp"

#include "eventlog/domain/session/events.hpp"
#include "tests/support/catch.hpp"
#include "workers/engines/json_text.hpp"

namespace workers {
namespace {

const base::TurnId kTurn{{1}};

class Written {
 public:
  explicit Written(WrittenForm form = WrittenForm::claude, bool is_live = false)
      : writer_({form, "8edf90df-c794-4db8-9d3e-6355094b0297", "/srv/p", "2.1.0", "opus",
                 base::Time{1'796'022'000'000'000}, is_live}) {}

  template <class E>
  Written& add(E fact, std::optional<std::string> text = std::nullopt, bool is_erased = false) {
    domain::RecordedEvent event;
    event.envelope.position = base::Position{++position_};
    event.envelope.wall_time = base::Time{1'796'022'444'380'000 + position_};
    if (text || is_erased) event.envelope.content = domain::ContentProof{{}, 1};
    if (text) event.content = domain::Content{*text};
    event.event = std::move(fact);
    text_ += writer_.add(event);
    return *this;
  }
  std::string text() {
    text_ += writer_.finish();
    return text_;
  }
  const LeftOut& left_out() const { return writer_.left_out(); }

 private:
  TranscriptWriter writer_;
  std::string text_;
  std::int64_t position_ = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string field(const std::string& line, std::string_view name) {
  const engines::JsonLine json(line);
  const auto object = json.object();
  REQUIRE(object);
  return (*object)[name].text();
}

Written& talk(Written& written) {
  return written.add(domain::TurnQueued{kTurn}, "say hello")
      .add(domain::TurnStarted{kTurn, base::FencingToken{1}})
      .add(domain::OutputRecorded{kTurn, 1, domain::OutputKind::thinking}, "Hm.")
      .add(domain::OutputRecorded{kTurn, 2, domain::OutputKind::text, {}, "m-1"}, "I look.")
      .add(domain::ToolCallStarted{kTurn, "t1", "Bash"}, "{\"command\": \"ls\"}")
      .add(domain::ToolCallFinished{kTurn, "t1", true}, "no \"file\"");
}

TEST_CASE("a session is written as Claude Code writes it", "[stores][R116]") {
  Written written;
  const auto lines = lines_of(talk(written).text());
  REQUIRE(lines.size() == 4);
  CHECK(field(lines[0], "type") == "user");
  CHECK(field(lines[0], "uuid") == kTurn.text());
  CHECK(field(lines[0], "timestamp") == "2026-11-30T07:07:24.380Z");
  CHECK(lines[0].find(R"("message":{"role":"user","content":"say hello"})") != std::string::npos);
  CHECK(field(lines[1], "uuid") == "m-1");
  CHECK(lines[1].find(R"("content":[{"type":"text","text":"I look."}])") != std::string::npos);
  CHECK(lines[2].find(R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command": "ls"}})") !=
        std::string::npos);
  CHECK(lines[3].find(R"("tool_use_id":"t1","content":"no \"file\"","is_error":true)") !=
        std::string::npos);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CHECK(field(lines[i], "parentUuid") == field(lines[i - 1], "uuid"));
  }
  CHECK(written.left_out().thoughts == 1);
  Written again;
  CHECK(talk(again).text() == written.text());
}

TEST_CASE("a call without a result gets one", "[stores]") {
  Written written;
  written.add(domain::ToolCallStarted{kTurn, "t1", "Bash"}, "not json");
  const auto lines = lines_of(written.text());
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("\"input\":{}") != std::string::npos);
  CHECK(lines[1].find("\"tool_use_id\":\"t1\"") != std::string::npos);
  CHECK(lines[1].find("interrupted") != std::string::npos);
  CHECK(field(lines[1], "timestamp") == field(lines[0], "timestamp"));
  Written live(WrittenForm::claude, true);
  live.add(domain::ToolCallStarted{kTurn, "t1", "Bash"}, "{}");
  CHECK(lines_of(live.text())[1].find("under way") != std::string::npos);
}

TEST_CASE("an answer that no block says is written", "[stores]") {
  Written written;
  domain::TurnFinished silent;
  domain::TurnFinished answer;
  answer.is_answer = true;
  written.add(silent, "the result").add(answer, "the answer").add(answer, std::nullopt, true);
  const auto lines = lines_of(written.text());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find(R"("content":[{"type":"text","text":"the answer"}])") != std::string::npos);
  CHECK(written.left_out().erased == 1);
}

TEST_CASE("words that are not written are counted", "[stores]") {
  Written written;
  written.add(domain::PartialOutputRecorded{kTurn, 1}, "I lo")
      .add(domain::OutputRecorded{kTurn, 1, domain::OutputKind::text}, "I look.")
      .add(domain::PartialOutputRecorded{kTurn, 2}, "And th")
      .add(domain::PartialOutputRecorded{kTurn, 2}, "en")
      .add(domain::TurnFailed{kTurn, "error_max_turns", "", 0, {}}, "too many")
      .add(domain::PartialOutputRecorded{kTurn, 3}, "Once");
  CHECK(lines_of(written.text()).size() == 1);
  CHECK(written.left_out().cut_off == 2);
  CHECK(written.left_out().failures == 1);
}

TEST_CASE("a session is written as document B writes it", "[stores][R117]") {
  Written written(WrittenForm::messages);
  const auto lines = lines_of(talk(written).text());
  REQUIRE(lines.size() == 5);
  CHECK(field(lines[0], "type") == "session");
  CHECK(lines[0].find("\"version\":3") != std::string::npos);
  CHECK(lines[1].find(R"("content":[{"type":"text","text":"say hello"}])") != std::string::npos);
  CHECK(lines[3].find("\"type\":\"toolCall\"") != std::string::npos);
  CHECK(lines[4].find(R"("role":"toolResult","toolCallId":"t1","toolName":"Bash")") !=
        std::string::npos);
}

TEST_CASE("lines that were imported come back as they were", "[stores]") {
  for (const WrittenForm form : {WrittenForm::claude, WrittenForm::messages}) {
    Written written(form);
    domain::LineImported entry;
    domain::LineImported line{1};
    domain::LineImported damaged{2, domain::LineReading::not_json};
    domain::LineImported begun{3, domain::LineReading::too_long, true};
    domain::LineImported end{3, domain::LineReading::too_long, false, true};
    written.add(entry, "{\"key\":\"k\"}")
        .add(line, "{\"a\":\x01q1\x01,\"b\":\x01r2\x01}")
        .add(domain::MessageImported{}, "x\n")
        .add(domain::MessageImported{}, "{ }")
        .add(damaged, "half \x01q1\x01")
        .add(domain::LineImported{4})
        .add(begun, "long")
        .add(end, " line");
    CHECK(written.text() == "{\"a\":\"x\\n\",\"b\":{ }}\nhalf \x01q1\x01\n\nlong line");
  }
}

TEST_CASE("what is said later goes on behind the last line that was imported", "[stores]") {
  Written written;
  written.add(domain::LineImported{1}, "{\"uuid\":\"u-1\"}")
      .add(domain::TurnQueued{kTurn}, "more")
      .add(domain::TurnStarted{kTurn, base::FencingToken{1}});
  CHECK(field(lines_of(written.text()).back(), "parentUuid") == "u-1");
}

TEST_CASE("what is said behind an imported line without an end is a line of its own", "[stores]") {
  domain::LineImported open{1};
  open.is_open = true;
  domain::LineImported end{1};
  Written ended;
  ended.add(open, "{\"uuid\":\"u-1\"}").add(end, "").add(domain::LineImported{2}, "{}");
  CHECK(ended.text() == "{\"uuid\":\"u-1\"}\n{}\n");
  Written written;
  written.add(open, "{\"uuid\":\"u-1\"}")
      .add(domain::TurnQueued{kTurn}, "more")
      .add(domain::TurnStarted{kTurn, base::FencingToken{1}});
  CHECK(lines_of(written.text()).size() == 2);
}

TEST_CASE("an erased text is an empty one", "[stores]") {
  Written written;
  written.add(domain::LineImported{1}, "{\"a\":\x01q1\x01}")
      .add(domain::MessageImported{}, std::nullopt, true);
  CHECK(written.text() == "{\"a\":\"\"}\n");
  CHECK(written.left_out().erased == 1);
}

TEST_CASE("what subagents said is counted, and not written", "[stores]") {
  Written written;
  written.add(domain::OutputRecorded{kTurn, 1, domain::OutputKind::text, "call"}, "Look.");
  CHECK(written.text().empty());
  CHECK(written.left_out().subagents == 1);
}

}  // namespace
}  // namespace workers
