// The engine for Claude Code: its lines become reports, unfinished text is reported in time and
// once, strange lines are kept within bounds, and no bytes stop it.
#include "workers/engines/claude/claude_engine.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "eventlog/base/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/agent_line.hpp"
#include "workers/engines/claude/claude_input.hpp"
#include "workers/engines/partial_output.hpp"

namespace {

using base::Time;
using engines::DrivenClaude;
using engines::numbered_turn;
using engines::shown;
using Lines = std::vector<std::string>;

constexpr Time kStart{1'000'000'000};

Time after(std::int64_t milliseconds) {
  return kStart + std::chrono::milliseconds(milliseconds);
}

DrivenClaude engine_in_turn(domain::SessionSpec spec = {}) {
  DrivenClaude engine({}, {spec, {}, {}, {}, {}});
  engine.begin_turn(numbered_turn(1), "go");
  return engine;
}

std::string quoted(base::TurnId turn) {
  return std::string("\"").append(turn.text()).append("\"");
}

std::string delta(const std::string& text, const std::string& parent = "null") {
  return R"({"type":"stream_event","parent_tool_use_id":)" + parent +
         R"(,"event":{"type":"content_block_delta","index":0,)" +
         R"("delta":{"type":"text_delta","text":")" + text + "\"}}}";
}

std::string assistant(const std::string& blocks, const std::string& parent = "null") {
  return R"({"type":"assistant","parent_tool_use_id":)" + parent +
         R"(,"message":{"role":"assistant","content":[)" + blocks + "]}}";
}

std::string tool_result(const std::string& content) {
  return R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result",)"
         R"("tool_use_id":"c1","content":)" +
         content + "}]}}";
}

const std::string kStreamStart =
    R"({"type":"stream_event","parent_tool_use_id":null,"event":{"type":"message_start"}})";
const std::string kResult = R"({"type":"result","subtype":"success","is_error":false})";

TEST_CASE("files stand before the prompt, each as the block of its kind", "[workers]") {
  using Json = nlohmann::json;
  const auto content = [](base::ByteView prompt, const std::vector<engines::PromptFile>& files) {
    const Json line = Json::parse(engines::prompt_line(numbered_turn(1), prompt, files));
    return line["message"]["content"];
  };
  const engines::PromptFile image{"shot.jpg", "image/png", "\x89PNG"};
  const engines::PromptFile pdf{"paper.pdf", "application/pdf", "%PDF-"};
  const engines::PromptFile text{"notes.md", "text/plain", "gr\xc3\xbc\xc3\x9f \u2028 dich"};
  CHECK(content("look", {}) == "look");
  const Json blocks = content("look", {pdf, image, text});
  CHECK(blocks == Json::parse(R"([
    {"type": "document", "title": "paper.pdf",
     "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}},
    {"type": "image",
     "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
    {"type": "document", "title": "notes.md",
     "source": {"type": "text", "media_type": "text/plain", "data": "grüß \u2028 dich"}},
    {"type": "text", "text": "look"}])"));
  // The model's API takes no text of which nothing is shown.
  CHECK(content("", {image}).size() == 1);
  CHECK(content(" \n", {image}).size() == 1);
}

TEST_CASE("each process of a session knows a turn by an id of its own", "[workers][R309]") {
  std::set<std::string> ids;
  for (const std::int64_t token : {1, 2, 3, 258}) {
    engines::SessionLaunch launch;
    launch.spec.is_multi_turn = true;
    launch.token = {token};
    DrivenClaude engine({}, launch);
    const base::Bytes line = engine.begin_turn(numbered_turn(1), "go");
    const std::size_t at = line.rfind("\"uuid\":\"") + 8;
    const std::string id = line.substr(at, line.find('"', at) - at);
    CHECK((id == numbered_turn(1).text()) == (token == 1));
    ids.insert(id);
    const std::string named =
        R"("user_message_uuids":[")" + id + R"("],"uuid":")" + numbered_turn(7).text() + "\"";
    engine.on_line(R"({"type":"system","subtype":"init","session_id":"s",)" + named + "}", kStart);
    const Lines reports = shown(engine.on_line(
        R"({"type":"result","subtype":"success","is_error":false,)" + named + "}", kStart));
    REQUIRE_FALSE(reports.empty());
    CHECK(reports.back().starts_with("TurnResult turn=01 "));
  }
  CHECK(ids.size() == 4);
}

TEST_CASE("turns whose ids hardly differ are told apart in all processes", "[workers]") {
  std::set<base::Bytes> lines;
  for (int turn = 1; turn <= 16; ++turn) {
    for (std::int64_t token = 1; token <= 16; ++token) {
      engines::SessionLaunch launch;
      launch.token = {token};
      lines.insert(DrivenClaude({}, launch).begin_turn(numbered_turn(turn), "go"));
    }
  }
  CHECK(lines.size() == 256);
}

TEST_CASE("unfinished text is reported a second after it began, then only what is new",
          "[workers]") {
  DrivenClaude engine = engine_in_turn();
  CHECK_FALSE(engine.deadline());
  CHECK(engine.on_line(delta("one "), after(0)).empty());
  CHECK(engine.on_line(delta("two "), after(300)).empty());
  REQUIRE(engine.deadline());
  CHECK(*engine.deadline() == after(1000));
  CHECK(engine.on_time(after(999)).empty());
  CHECK(shown(engine.on_time(after(1000))) == Lines{"PartialOutput turn=01 text=one two "});
  CHECK_FALSE(engine.deadline());
  CHECK(engine.on_line(delta("three"), after(1500)).empty());
  CHECK(*engine.deadline() == after(2500));
  CHECK(shown(engine.on_line(delta("."), after(2600))) ==
        Lines{"PartialOutput turn=01 text=three."});
  CHECK(engine.on_end().empty());
}

TEST_CASE("unfinished text is reported at once when it fills 16 KiB", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string half(engines::kPartialOutputBytes / 2, 'x');
  CHECK(engine.on_line(delta(half), after(0)).empty());
  CHECK(shown(engine.on_line(delta(half), after(1))) ==
        Lines{"PartialOutput turn=01 text=" + half + half});
  CHECK_FALSE(engine.deadline());
}

TEST_CASE("the finished block supersedes what of it was not reported yet", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.on_line(delta("one"), after(0));
  const std::string block = assistant(R"({"type":"text","text":"one two"})");
  CHECK(shown(engine.on_line(block, after(5000))) ==
        Lines{"Output turn=01 kind=text text=one two"});
  CHECK_FALSE(engine.deadline());
  CHECK(engine.on_end().empty());
}

TEST_CASE("text that no block finishes is reported before the result and at the end of the stream",
          "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.on_line(delta("lost?"), after(0));
  const Lines all = shown(engine.on_line(kResult, after(10)));
  REQUIRE(all.size() == 2);
  CHECK(all[0] == "PartialOutput turn=01 text=lost?");
  engine.on_line(delta("more"), after(20));
  CHECK(shown(engine.on_end()) == Lines{"PartialOutput turn=01 text=more"});
}

TEST_CASE("a stream that begins again withdraws what was not reported", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.on_line(delta("one"), after(0));
  engine.on_line(kStreamStart, after(10));
  engine.on_line(delta("one again"), after(20));
  CHECK(shown(engine.on_time(after(1020))) == Lines{"PartialOutput turn=01 text=one again"});
}

TEST_CASE("a sub-agent's blocks are recorded, its stream does not mix with the main agent's",
          "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.on_line(delta("main"), after(0));
  CHECK(engine.on_line(delta("sub", "\"call\""), after(1)).empty());
  const std::string sub = assistant(R"({"type":"text","text":"sub"})", "\"call\"");
  CHECK(shown(engine.on_line(sub, after(2))) ==
        Lines{"Output turn=01 kind=text text=sub parent=call"});
  CHECK(shown(engine.on_end()) == Lines{"PartialOutput turn=01 text=main"});
}

TEST_CASE("a tool's input stays as it came", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string input = R"({ "n": 1.0e2, "big": 100000000000000000000, "e": {}, "l": [ ],)"
                            R"( "s": "\ud83d \u00e9" })";
  const std::string line =
      assistant(R"({"type":"tool_use","id":"c1","name":"T","input":)" + input + " }");
  CHECK(shown(engine.on_line(line, kStart)) ==
        Lines{"ToolCallStarted turn=01 call=c1 tool=T input=" + input});
}

TEST_CASE("a tool's output is text, blocks of text, or JSON", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string head = "ToolCallFinished turn=01 call=c1 error=no output=";
  const auto output_of = [&](const std::string& content) {
    return shown(engine.on_line(tool_result(content), kStart));
  };
  CHECK(output_of(R"("a\nb")") == Lines{head + "a\nb"});
  CHECK(output_of(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])") ==
        Lines{head + "a\nb"});
  CHECK(output_of(R"([{"type":"image","source":{}}])") ==
        Lines{head + R"([{"type":"image","source":{}}])"});
  CHECK(output_of("[]") == Lines{head + "[]"});
  CHECK(output_of("null") == Lines{head});
}

TEST_CASE("what a subagent says and does names the call that it runs for", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string line = assistant(
      R"({"type":"text","text":"hm"},{"type":"tool_use","id":"c2","name":"T","input":{}})",
      "\"c1\"");
  CHECK(shown(engine.on_line(line, kStart)) ==
        Lines{"Output turn=01 kind=text text=hm parent=c1",
              "ToolCallStarted turn=01 call=c2 tool=T input={} parent=c1"});
}

TEST_CASE("the model's own tools are tool calls too", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string line =
      assistant(R"({"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":"x"}},)"
                R"({"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"r"}]})");
  CHECK(shown(engine.on_line(line, kStart)) ==
        Lines{"ToolCallStarted turn=01 call=s1 tool=web_search input={\"q\":\"x\"}",
              "ToolCallFinished turn=01 call=s1 error=no output=[{\"type\":\"r\"}]"});
}

TEST_CASE("an agent that could not write its transcript says so", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  CHECK(shown(engine.on_line(
            R"({"type":"system","subtype":"session_writes_lost","error_code":"ENOSPC",)"
            R"("lost":["transcript"],"transcript_session_ids":["s1"]})",
            kStart)) == Lines{"TranscriptWritesLost turn=01 error=ENOSPC"});
}

TEST_CASE("a request with bytes that are no text is asked with others in their place",
          "[workers]") {
  auto agent = engines::make_claude_engine({}, {});
  const std::string line =
      R"({"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",)"
      R"("tool_name":"Bash","tool_use_id":"t","input":{"command":"a)"
      "\xFF\xC3 \xC3\xA4 \xF0\x9F"
      R"("}}})";
  const engines::Output out = agent->handle({engines::FrameCame{line}, {}});
  REQUIRE(out.asks.size() == 1);
  CHECK(out.asks[0].details ==
        "{\"command\":\"a\xEF\xBF\xBD\xEF\xBF\xBD \xC3\xA4 \xEF\xBF\xBD\xEF\xBF\xBD\"}");
}

TEST_CASE("a line that cannot be understood is kept, with the reason", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const auto fault_of = [&](const std::string& line) {
    const Lines all = shown(engine.on_line(line, kStart));
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " reports";
  };
  const std::string unknown = R"({"type":"brand_new","x":1})";
  CHECK(fault_of(unknown) == "AgentLine fault=unknown_kind line_bytes=26 line=" + unknown);
  CHECK(fault_of(R"({"type":"system","subtype":"mirror_error"})")
            .starts_with("AgentLine fault=unknown_kind "));
  CHECK(fault_of(assistant(R"({"type":"hologram"})")).starts_with("AgentLine fault=unknown_kind "));
  CHECK(fault_of("{}").starts_with("AgentLine fault=unknown_kind "));
  for (const std::string line :
       {"warning: low disk", "[1]", "7", "\"text\"", "{\"type\":\"keep_alive\"", "{\"type\":}",
        "{\"type\":\"keep_alive\"} {\"type\":\"keep_alive\"}", "{\"a\":\"", "{", "}"}) {
    CHECK(fault_of(line) ==
          "AgentLine fault=not_json line_bytes=" + std::to_string(line.size()) + " line=" + line);
  }
  CHECK(fault_of("{\"type\":\"\xFF\"}").starts_with("AgentLine fault=invalid_utf8 line_bytes=12 "));
  CHECK(engine.on_line("", kStart).empty());
  CHECK(engine.on_line(" \r", kStart).empty());
}

TEST_CASE("what is kept of a strange line is bounded and cut between characters", "[workers]") {
  const std::string line = std::string(engines::kAgentLineBytesMax - 1, 'y') + "\xC3\xA9 end";
  const auto kept = engines::agent_line(domain::LineFault::not_json, line);
  CHECK(kept.line_bytes == static_cast<std::int64_t>(line.size()));
  CHECK(kept.line.size() == engines::kAgentLineBytesMax - 1);
  CHECK(base::is_utf8(kept.line));
  const std::string bad(engines::kAgentLineBytesMax * 2, '\x80');
  CHECK(engines::agent_line(domain::LineFault::invalid_utf8, bad).line.size() >=
        engines::kAgentLineBytesMax - 3);
}

TEST_CASE("a request that this host does not serve is refused, so that the agent goes on",
          "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string line =
      R"({"type":"control_request","request_id":"r1","request":{"subtype":"elicitation"}})";
  CHECK(shown(engine.on_line(line, kStart))[0].starts_with("AgentLine fault=unknown_kind "));
  CHECK(engine.take_writes() ==
        "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"r1\","
        "\"error\":\"this host does not answer requests of that kind\"}}\n");
}

std::string request_of(const std::string& tool) {
  return R"({"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool",)"
         R"("tool_name":")" +
         tool + R"(","tool_use_id":"c1","input":{"command":"ls"}}})";
}

// Returns what is written to an agent that asked by `line` and got this answer.
std::string answered(const std::string& line, bool is_granted, const std::string& text) {
  const auto engine = engines::make_claude_engine({}, {});
  const engines::Output out = engine->handle({engines::FrameCame{line}, kStart});
  REQUIRE(out.asks.size() == 1);
  CHECK(out.writes.empty());
  return engine->handle({engines::Answer{out.asks[0], is_granted, text}, kStart}).writes;
}

TEST_CASE("the host is asked what the agent asks, and its answer goes back", "[workers]") {
  const auto engine = engines::make_claude_engine({}, {});
  const auto asked = engine->handle({engines::FrameCame{request_of("Bash")}, kStart}).asks;
  CHECK(asked == std::vector<engines::Ask>{
                     {"r1", engines::AskKind::permission, "Bash", "c1", R"({"command":"ls"})"}});
  const std::string head =
      R"({"type":"control_response","response":{"subtype":"success","request_id":"r1",)";
  CHECK(answered(request_of("Bash"), true, "") ==
        head +
            R"("response":{"behavior":"allow","updatedInput":{"command":"ls"},)"
            R"("toolUseID":"c1"}}})" +
            "\n");
  CHECK(answered(request_of("Bash"), true, R"({"command":"pwd"})")
            .find(R"("updatedInput":{"command":"pwd"})") != std::string::npos);
  CHECK(answered(request_of("Bash"), false, "no") ==
        head + R"("response":{"behavior":"deny","message":"no","toolUseID":"c1"}}})" + "\n");
  CHECK(answered(
            R"({"type":"control_request","request_id":"r1","request":{"subtype":"elicitation"}})",
            true, R"({"action":"accept"})") == head + R"("response":{"action":"accept"}}})" + "\n");
}

// As Claude Code 2.1.332 sends it.
std::string step_of(const std::string& point, const std::string& more) {
  return R"({"type":"control_request","request_id":"r1","request":{"subtype":"hook_callback",)"
         R"("callback_id":"x","input":{"session_id":"s","cwd":"/w","hook_event_name":")" +
         point + R"(")" + more + R"(},"tool_use_id":"c1"}})";
}
const std::string kCall =
    R"(,"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1","agent_id":"a1")";

TEST_CASE("a step of the agent waits for hooks, and hears what they change", "[workers]") {
  const auto engine = engines::make_claude_engine({}, {});
  const auto asks = engine->handle({engines::FrameCame{step_of("PreToolUse", kCall)}, kStart}).asks;
  REQUIRE(asks.size() == 1);
  engines::Ask wanted{"r1", engines::AskKind::step, "Bash", "c1", R"({"command":"ls"})"};
  wanted.context =
      R"({"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_use_id":"c1",)"
      R"("agent_id":"a1"})";
  wanted.point = domain::HookPoint::pre_tool_use;
  CHECK(asks[0] == wanted);
  const struct {
    const char* point;
    bool is_granted;
    const char* text;
    const char* heard;
  } rows[] = {
      {"PreToolUse", true, "", "{}"},
      {"PreToolUse", false, "no",
       R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",)"
       R"("permissionDecisionReason":"no"}})"},
      {"PreToolUse", true, R"({"decision":"ask","reason":"?","input":{"a":1},"context":"so"})",
       R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"so",)"
       R"("permissionDecision":"ask","permissionDecisionReason":"?","updatedInput":{"a":1}}})"},
      {"PostToolUse", true, R"({"output":{"stdout":"x"},"input":{"a":1}})",
       R"({"hookSpecificOutput":{"hookEventName":"PostToolUse",)"
       R"("updatedToolOutput":{"stdout":"x"}}})"},
      {"Stop", false, "go on", R"({"decision":"block","reason":"go on"})"},
      {"Stop", true, R"({"stop":"enough","message":"m"})",
       R"({"systemMessage":"m","stopReason":"enough","continue":false})"},
      {"PreCompact", false, "not now", R"({"decision":"block","reason":"not now"})"},
  };
  for (const auto& row : rows) {
    INFO(row.point << " " << row.text);
    CHECK(answered(step_of(row.point, kCall), row.is_granted, row.text) ==
          R"({"type":"control_response","response":{"subtype":"success","request_id":"r1",)"
          R"("response":)" +
              std::string(row.heard) + "}}\n");
  }
}

TEST_CASE("a question of the agent's is one, and can be withdrawn", "[workers]") {
  const auto engine = engines::make_claude_engine({}, {});
  const auto asked = engine->handle({engines::FrameCame{request_of("AskUserQuestion")}, kStart});
  REQUIRE(asked.asks.size() == 1);
  CHECK(asked.asks[0].kind == engines::AskKind::question);
  const auto withdrawn = engine->handle(
      {engines::FrameCame{R"({"type":"control_cancel_request","request_id":"r1"})"}, kStart});
  CHECK(withdrawn.withdrawn == std::vector<std::string>{"r1"});
  CHECK(withdrawn.reports.empty());
}

TEST_CASE("the end of a call, or of the run, withdraws what it asked", "[workers]") {
  const auto withdrawn_by = [](const std::string& line, bool is_of_subagent) {
    const auto engine = engines::make_claude_engine({}, {});
    std::string request = request_of("Bash");
    if (is_of_subagent) request.insert(request.find("\"input\""), "\"agent_id\":\"a1\",");
    engine->handle({engines::FrameCame{request}, kStart});
    return engine->handle({engines::FrameCame{line}, kStart}).withdrawn;
  };
  const std::vector<std::string> it{"r1"};
  const std::string finished =
      R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result",)"
      R"("tool_use_id":"c1","content":"done"}]}})";
  CHECK(withdrawn_by(finished, false) == it);
  CHECK(withdrawn_by(finished, true) == it);
  CHECK(withdrawn_by(kResult, false) == it);
  // A subagent goes on behind the result, until its task ends.
  CHECK(withdrawn_by(kResult, true).empty());
  const std::string ended =
      R"({"type":"system","subtype":"task_notification","task_id":"a1","status":"completed"})";
  CHECK(withdrawn_by(ended, true) == it);
  CHECK(withdrawn_by(ended, false).empty());
}

TEST_CASE("what the agent says of its request goes along", "[workers]") {
  const auto engine = engines::make_claude_engine({}, {});
  std::string request = request_of("ExitPlanMode");
  request.insert(request.find("\"input\""),
                 R"("permission_suggestions":[{"type":"addRules"}],"decision_reason":"why",)");
  const auto asked = engine->handle({engines::FrameCame{request}, kStart}).asks;
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].kind == engines::AskKind::plan);
  CHECK(asked[0].context ==
        R"({"permission_suggestions":[{"type":"addRules"}],"decision_reason":"why"})");
  CHECK(engines::ask_text(asked[0]) ==
        R"({"input":{"command":"ls"},"context":{"permission_suggestions":[{"type":"addRules"}],)"
        R"("decision_reason":"why"}})");
}

TEST_CASE("answers to questions become part of the call's input", "[workers]") {
  engines::Ask ask{"r1", engines::AskKind::question, "AskUserQuestion", "c1",
                   R"({"questions":[{"question":"Which?"},{"question":"When?"}]})"};
  CHECK(*engines::granted_input(ask, R"(["this","soon"])") ==
        R"({"questions":[{"question":"Which?"},{"question":"When?"}],)"
        R"("answers":{"Which?":"this","When?":"soon"}})");
  CHECK_FALSE(engines::granted_input(ask, ""));
  CHECK_FALSE(engines::granted_input(ask, "this"));
  CHECK_FALSE(engines::granted_input(ask, "[1]"));
  ask.details = "[]";
  CHECK_FALSE(engines::granted_input(ask, R"(["this"])"));
  ask.kind = engines::AskKind::permission;
  CHECK(engines::granted_input(ask, "") == ask.details);
  CHECK_FALSE(engines::granted_input(ask, "no JSON"));
}

TEST_CASE("a prompt that was withdrawn before it began ends its turn once", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string line = R"({"type":"command_lifecycle","state":"cancelled","command_uuid":)" +
                           quoted(numbered_turn(1)) + "}";
  const Lines all = shown(engine.on_line(line, kStart));
  REQUIRE(all.size() == 1);
  CHECK(all[0].starts_with("TurnResult turn=01 error=yes subtype=cancelled "));
  CHECK(engine.on_line(line, kStart).empty());

  engine.begin_turn(numbered_turn(2), "next");
  CHECK(engine.on_line(line, kStart).empty());
  engine.on_line(kResult, kStart);
  engine.begin_turn(numbered_turn(1), "again");
  engine.on_line(kResult, kStart);
  CHECK(engine.on_line(line, kStart).empty());
}

TEST_CASE("a late result goes to the turn whose prompt it names", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.begin_turn(numbered_turn(2), "next");
  const auto result_of = [&](const std::string& prompts) {
    return shown(engine.on_line(
        R"({"type":"result","is_error":false,"user_message_uuids":)" + prompts + "}", kStart))[0]
        .substr(0, 18);
  };
  const std::string one = quoted(numbered_turn(1));
  const std::string two = quoted(numbered_turn(2));
  CHECK(result_of("[" + one + "]") == "TurnResult turn=01");
  CHECK_FALSE(engine.wants_exit());
  CHECK(result_of("[" + two + "," + one + "]") == "TurnResult turn=02");
  CHECK(engine.wants_exit());
}

TEST_CASE("only a single turn's session wants to exit, and only after the result",
          "[workers][R015][R022]") {
  DrivenClaude single = engine_in_turn();
  CHECK_FALSE(single.wants_exit());
  single.on_line(kResult, kStart);
  CHECK(single.wants_exit());
  domain::SessionSpec spec;
  spec.is_multi_turn = true;
  DrivenClaude multi = engine_in_turn(spec);
  multi.on_line(kResult, kStart);
  CHECK_FALSE(multi.wants_exit());
}

TEST_CASE("numbers of an agent never leave the range that the log can hold", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const std::string line = R"({"type":"result","is_error":true,"num_turns":-4,"duration_ms":1e300,)"
                           R"("total_cost_usd":1e12,"api_error_status":99999999999999999999,)"
                           R"("usage":{"input_tokens":1.9,"output_tokens":"many"}})";
  const Lines shown_lines = shown(engine.on_line(line, kStart));
  REQUIRE(shown_lines.size() == 2);
  CHECK(shown_lines[0].starts_with("AgentLine fault=unknown_kind "));
  CHECK(Lines{shown_lines[1]} ==
        Lines{"TurnResult turn=01 error=yes subtype= terminal_reason= "
              "api_status=9007199254740991 usage=1/0/0/0 agent_total=9007199254740991 "
              "model_calls=0 took_us=9007199254739000 text="});
}

TEST_CASE("money is read to the nearest billionth of a dollar", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  for (const auto& [text, nanos] :
       {std::pair{"0.0015600000000000002", "1560000"}, std::pair{"0.1", "100000000"},
        std::pair{"123456.123456789", "123456123456789"}, std::pair{"4e-10", "0"},
        std::pair{"6e-10", "1"}, std::pair{"0", "0"}}) {
    const std::string line =
        R"({"type":"result","is_error":false,"total_cost_usd":)" + std::string(text) + "}";
    CHECK(shown(engine.on_line(line, kStart))[0].find(" agent_total=" + std::string(nanos) + " ") !=
          std::string::npos);
  }
}

TEST_CASE("no bytes whatever stop the engine", "[workers]") {
  std::vector<std::string> lines;
  for (const char* name : {"single_turn_partial", "tool_run", "interrupt_stream", "perm_deny"}) {
    for (const auto& line : engines::recording(name)) {
      if (line.direction == "cli->host" && line.text.size() < 6000) lines.push_back(line.text);
    }
  }
  base::SeededRandom random(20261120);
  DrivenClaude engine = engine_in_turn();
  const std::string marks = "{}[]\",:\\0ue-";
  for (int round = 0; round < 20000; ++round) {
    std::string line = lines[random.below(lines.size())];
    for (std::uint64_t change = random.below(4) + 1; change > 0 && !line.empty(); --change) {
      const std::size_t at = random.below(line.size());
      const std::uint64_t kind = random.below(4);
      if (kind == 0) line[at] = static_cast<char>(random.below(256));
      if (kind == 1) line[at] = marks[random.below(marks.size())];
      if (kind == 2) line.resize(at);
      if (kind == 3) line.append(marks, random.below(marks.size()));
    }
    engine.on_line(line, after(round));
    engine.take_writes();
  }
  SUCCEED("no crash");
}

}  // namespace
