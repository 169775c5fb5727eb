// What the lines of each form say.
#include "workers/stores/transcript_lines.hpp"

#include "eventlog/base/msgpack.hpp"
#include "tests/support/catch.hpp"

namespace workers {
namespace {

using domain::ImportedKind;
using domain::LineReading;
using domain::TranscriptForm;

constexpr std::string_view kPrompt =
    R"({"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/srv/p",)"
    R"("sessionId":"8edf90df-c794-4db8-9d3e-6355094b0297","version":"2.1.329","type":"user",)"
    R"("message":{"role":"user","content":"say hello"},)"
    R"("uuid":"401c303a-7156-4285-8a77-e7937c0efc55","timestamp":"2026-11-30T07:07:24.380Z"})";

std::string assistant(const std::string& id, const std::string& block, int output) {
  return R"({"parentUuid":"a","isSidechain":false,"message":{"id":")" + id +
         R"(","role":"assistant","model":"opus","content":[)" + block +
         R"(],"usage":{"input_tokens":10,"output_tokens":)" + std::to_string(output) +
         R"(}},"type":"assistant","uuid":"ebd1f7b1-2d4e-4adc-a684-1296ae8806ff",)"
         R"("timestamp":"2026-11-30T07:07:25.000Z","sessionId":"x","cwd":"/srv/p"})";
}

const std::vector<domain::ImportedMessage>& messages(const TranscriptLine& read) {
  return read.line.messages;
}

TEST_CASE("a line of Claude Code is a prompt", "[stores]") {
  TranscriptContext context;
  const auto read = read_transcript_line(kPrompt, context);
  REQUIRE(messages(read).size() == 1);
  const domain::ImportedMessage& prompt = messages(read).front();
  CHECK(prompt.text == "say hello");
  CHECK(prompt.facts.kind == ImportedKind::prompt);
  CHECK(prompt.facts.turn.text() == "401c303a-7156-4285-8a77-e7937c0efc55");
  CHECK(prompt.facts.said.us == 1'796'022'444'380'000);
  CHECK(context.form == TranscriptForm::claude);
  CHECK(context.workdir == "/srv/p");
  CHECK(context.agent_version == "2.1.329");
}

TEST_CASE("the use of a call of the model is counted once", "[stores]") {
  TranscriptContext context;
  read_transcript_line(kPrompt, context);
  const auto text =
      read_transcript_line(assistant("msg_1", R"({"type":"text","text":"I look."})", 1), context);
  const auto call = read_transcript_line(
      assistant("msg_1", R"({"type":"tool_use","id":"t1","name":"Bash","input":{"a": 1}})", 20),
      context);
  REQUIRE(messages(text).size() == 1);
  REQUIRE(messages(call).size() == 1);
  CHECK(messages(text).front().facts.usage->output_tokens == 1);
  CHECK(messages(call).front().facts.usage->output_tokens == 19);
  CHECK(messages(call).front().facts.usage->input_tokens == 0);
  CHECK(messages(call).front().facts.kind == ImportedKind::tool_call);
  CHECK(messages(call).front().facts.tool == "Bash");
  CHECK(messages(call).front().text == R"({"a": 1})");
  CHECK(messages(call).front().facts.turn == context.turn);
  CHECK(messages(text).front().facts.message == "ebd1f7b1-2d4e-4adc-a684-1296ae8806ff");
}

TEST_CASE("use is counted with the first words of a call", "[stores]") {
  TranscriptContext context;
  read_transcript_line(kPrompt, context);
  const std::string silent = R"({"type":"thinking","thinking":"","signature":"s"})";
  CHECK(messages(read_transcript_line(assistant("msg_1", silent, 0), context)).empty());
  const std::string words = R"({"type":"text","text":"I look."})";
  CHECK(messages(read_transcript_line(assistant("msg_1", words, 1), context))
            .front()
            .facts.usage->input_tokens == 10);
  for (int i = 0; i < 63; ++i) {
    read_transcript_line(assistant("other_" + std::to_string(i), words, 1), context);
  }
  CHECK(messages(read_transcript_line(assistant("msg_1", words, 3), context))
            .front()
            .facts.usage->output_tokens == 2);
  read_transcript_line(assistant("other_63", words, 1), context);
  CHECK(messages(read_transcript_line(assistant("other_62", words, 1), context))
            .front()
            .facts.usage->output_tokens == 0);
}

TEST_CASE("times are read as programs write them", "[stores]") {
  const std::pair<std::string, std::int64_t> samples[] = {
      {R"("2026-11-30T07:07:24.380Z")", 1'796'022'444'380'000},
      {R"("2026-11-30T07:07:24.380+00:00")", 1'796'022'444'380'000},
      {R"("2026-11-30T09:07:24.38+02:00")", 1'796'022'444'380'000},
      {R"("2026-11-30T02:37:24.380-0430")", 1'796'022'444'380'000},
      {R"("2026-11-30T07:07:24.380123456Z")", 1'796'022'444'380'123},
      {"1796022444380", 1'796'022'444'380'000},
      {R"("2300-01-01T00:00:00Z")", 0},
      {"1760000000000000", 0},
      {R"("yesterday")", 0},
      {R"("1970-01-01T00:00:00+01:00")", 0}};
  for (const auto& [text, us] : samples) {
    TranscriptContext context;
    const std::string line =
        R"({"type":"user","uuid":"u","message":{"content":"a"},"timestamp":)" + text + "}";
    INFO(line);
    CHECK(messages(read_transcript_line(line, context)).front().facts.said.us == us);
  }
}

TEST_CASE("costs beyond the log's numbers are cut", "[stores]") {
  TranscriptContext context;
  for (int i = 0; i < 3; ++i) {
    read_transcript_line(
        R"({"type":"message","message":{"role":"user","content":"a"},"usage":{"cost":9e6}})",
        context);
  }
  CHECK(context.cost.value == base::kIntegerLimit - 1);
}

TEST_CASE("results of tools and words of the program are no prompts", "[stores]") {
  TranscriptContext context;
  read_transcript_line(kPrompt, context);
  const base::TurnId turn = context.turn;
  const auto result = read_transcript_line(
      R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1",)"
      R"("type":"tool_result","content":[{"type":"text","text":"no"}],)"
      R"("is_error":true}]},"uuid":"b"})",
      context);
  REQUIRE(messages(result).size() == 1);
  CHECK(messages(result).front().facts.kind == ImportedKind::tool_result);
  CHECK(messages(result).front().facts.is_error);
  CHECK(messages(result).front().text == "no");
  const auto told = read_transcript_line(
      R"({"type":"user","isMeta":true,"message":{"role":"user","content":"Caveat"},"uuid":"c"})",
      context);
  REQUIRE(messages(told).size() == 1);
  CHECK(messages(told).front().facts.kind == ImportedKind::notice);
  CHECK(context.turn == turn);
}

TEST_CASE("what a subagent says in its parent's transcript is marked", "[stores]") {
  TranscriptContext context;
  const std::string line = R"({"isSidechain":true,"agentId":"a1",)"
                           R"("type":"user","message":{"content":"Look."},"uuid":"d"})";
  read_transcript_line(kPrompt, context);
  CHECK(messages(read_transcript_line(line, context)).front().facts.parent == "a1");
  context.is_of_subagent = true;
  CHECK(messages(read_transcript_line(line, context)).front().facts.parent.empty());
}

TEST_CASE("lines without words are understood", "[stores]") {
  TranscriptContext context;
  read_transcript_line(kPrompt, context);
  for (const char* line :
       {R"({"type":"file-history-snapshot","messageId":"m"})", R"({"type":"mode","mode":"x"})",
        R"({"type":"summary","summary":"The walrus","leafUuid":"l"})",
        R"({"type":"cost-state","totalCostUSD":0.0032})", ""}) {
    const auto read = read_transcript_line(line, context);
    CHECK(read.line.facts.reading == LineReading::understood);
    CHECK(messages(read).empty());
    CHECK(read.line.text == line);
  }
  CHECK(context.title == "The walrus");
  CHECK(context.cost.value == 3'200'000);
}

TEST_CASE("a line that is not understood is kept as it is, with the reason", "[stores][R252]") {
  const std::pair<std::string, LineReading> samples[] = {
      {R"({"type":"user","mess)", LineReading::not_json},
      {"nonsense", LineReading::not_json},
      {"[1]", LineReading::not_json},
      {std::string("{\"a\":\"") + '\x01' + "q1" + '\x01' + "\"}", LineReading::not_json},
      {std::string(300, '\0'), LineReading::not_json},
      {"{\"type\":\"user\",\"x\":\"\xff\"}", LineReading::invalid_utf8},
      {R"({"type":"of-tomorrow","uuid":"u"})", LineReading::unknown_kind},
      {R"({"type":"user","uuid":"u","message":{"role":"user" "content":"words"}})",
       LineReading::not_json},
      {R"({"type":"user","message":{"content":"a bad \x escape"}})", LineReading::not_json},
      {R"({"type":"user","message":{"content":[{"type":"text","text":"a"},{"type"]}})",
       LineReading::not_json},
      {R"({"type":"user","message":{"content":"a"},"n":01})", LineReading::not_json},
      {std::string(400, '['), LineReading::not_json}};
  for (const auto& [line, reading] : samples) {
    TranscriptContext context;
    context.form = TranscriptForm::claude;
    const auto read = read_transcript_line(line, context);
    CHECK(read.line.facts.reading == reading);
    CHECK(read.line.text == line);
    CHECK(messages(read).empty());
  }
}

TEST_CASE("lines with a type are those of document B", "[stores][R274]") {
  TranscriptContext context;
  read_transcript_line(R"({"type":"session","version":3,"id":"s","cwd":"/srv/clawd"})", context);
  CHECK(context.form == TranscriptForm::typed);
  CHECK(context.workdir == "/srv/clawd");
  const auto read = read_transcript_line(
      R"({"type":"message","id":"m1","timestamp":"2026-01-01T00:00:00.000Z","message":)"
      R"({"role":"assistant","content":[{"type":"text","text":"Hi"},{"type":"toolCall","id":"c",)"
      R"("name":"exec","arguments":{"cmd":"ls"}}],"usage":{"input":7,"output":2,)"
      R"("cost":{"total":0.25}}}})",
      context);
  REQUIRE(messages(read).size() == 2);
  CHECK(messages(read)[0].text == "Hi");
  CHECK(messages(read)[0].facts.usage->input_tokens == 7);
  CHECK(messages(read)[1].facts.usage->input_tokens == 0);
  CHECK(messages(read)[1].facts.tool == "exec");
  CHECK(context.cost.value == 250'000'000);
}

TEST_CASE("the entries of document E's log are messages", "[stores]") {
  TranscriptContext context;
  for (const char* silent :
       {R"({"type":"session_created","sessionId":"s","storageId":"t","source":"telegram",)"
        R"("context":{"channelId":"c","userId":"u"},"session":{"type":"user"},)"
        R"("createdAt":1796022440000})",
        R"({"type":"state","updatedAt":1796022440000,"state":{}})"}) {
    const auto read = read_transcript_line(silent, context);
    CHECK(read.line.facts.reading == LineReading::understood);
    CHECK(messages(read).empty());
  }
  CHECK(context.form == TranscriptForm::typed);
  const auto asked = read_transcript_line(
      R"({"type":"incoming","messageId":"m1","context":{},"text":"hi","receivedAt":1796022444380})",
      context);
  REQUIRE(messages(asked).size() == 1);
  CHECK(messages(asked)[0].facts.kind == ImportedKind::prompt);
  CHECK(messages(asked)[0].facts.message == "m1");
  CHECK(messages(asked)[0].facts.said.us == 1'796'022'444'380'000);
  const auto said = read_transcript_line(
      R"({"type":"outgoing","messageId":"m2","text":"hello","sentAt":"2026-11-30T07:07:24.380Z"})",
      context);
  REQUIRE(messages(said).size() == 1);
  CHECK(messages(said)[0].facts.kind == ImportedKind::said);
  CHECK(messages(said)[0].facts.said.us == 1'796'022'444'380'000);
  CHECK(messages(said)[0].facts.turn == messages(asked)[0].facts.turn);
}

TEST_CASE("lines with a role have calls of tools beside the words", "[stores][R242]") {
  TranscriptContext context;
  const auto said = read_transcript_line(
      R"({"role":"assistant","content":"Let me see.","timestamp":"2026-01-01T00:00:00Z",)"
      R"("tool_calls":[{"id":"c1","type":"function","function":{"name":"read",)"
      R"("arguments":"{\"path\": 1}"}}]})",
      context);
  CHECK(context.form == TranscriptForm::roles);
  REQUIRE(messages(said).size() == 2);
  CHECK(messages(said)[1].facts.kind == ImportedKind::tool_call);
  CHECK(messages(said)[1].text == "{\"path\": 1}");
  const auto result =
      read_transcript_line(R"({"role":"tool","tool_call_id":"c1","content":"ok"})", context);
  REQUIRE(messages(result).size() == 1);
  CHECK(messages(result)[0].facts.call == "c1");
  CHECK(messages(result)[0].facts.kind == ImportedKind::tool_result);
}

}  // namespace
}  // namespace workers
