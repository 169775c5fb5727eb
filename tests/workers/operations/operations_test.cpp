// The table of operations, and how a chat and JSON-RPC reach it; without a server.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/async_world.hpp"
#include "tests/support/catch.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "workers/operations/chat_line.hpp"
#include "workers/operations/json_rpc.hpp"
#include "workers/operations/operations.hpp"
#include "workers/operations/surface_names.hpp"

namespace {

using workers::Answer;
using workers::Json;
using workers::JsonRpc;
using workers::Operation;
using workers::OperationError;
using workers::Outcome;
using workers::Reader;
using workers::Refusal;
using workers::Task;

const std::vector<Operation>& rows() {
  return workers::operations().rows;
}

std::set<std::string> names_of(std::string (*name)(const Operation&)) {
  std::set<std::string> names;
  for (const Operation& operation : rows()) {
    const std::string listed = name(operation);
    const bool is_new = listed.empty() || names.insert(listed).second;
    CHECK(is_new);
  }
  return names;
}

TEST_CASE(
    "there are eight tools, chat commands and methods for sessions, and some for what came later",
    "[workers][R001]") {
  CHECK(names_of(workers::tool_name) ==
        std::set<std::string>{
            "claude_launch",     "claude_sessions",  "claude_kill",       "claude_output",
            "claude_fg",         "claude_bg",        "claude_respond",    "claude_stats",
            "session_approvals", "session_approve",  "session_deny",      "session_answer",
            "session_set",       "session_rename",   "session_commands",  "sessions_send",
            "sessions_list",     "sessions_history", "conversation_show", "sessions_spawn"});
  CHECK(names_of(workers::chat_name) ==
        std::set<std::string>{"claude", "claude_sessions", "claude_kill", "claude_fg", "claude_bg",
                              "claude_resume", "claude_respond", "claude_stats", "approvals",
                              "approve", "deny", "answer", "rename", "commands", "conversations",
                              "conversation"});
  CHECK(names_of(workers::method_name) ==
        std::set<std::string>{"claude-code.sessions", "claude-code.launch",
                              "claude-code.kill",     "claude-code.output",
                              "claude-code.respond",  "claude-code.interrupt",
                              "claude-code.events",   "claude-code.stats",
                              "session.approvals",    "session.approve",
                              "session.deny",         "session.answer",
                              "session.set",          "session.rename",
                              "session.commands",     "chat.send",
                              "sessions.list",        "sessions.resolve",
                              "sessions.patch",       "sessions.reset",
                              "sessions.compact",     "chat.abort",
                              "sessions.delete",      "chat.history",
                              "sessions.preview",     "sessions.spawn"});
}

TEST_CASE("an operation is found by its own name, too", "[workers]") {
  const auto& table = workers::operations();
  const Operation* launch = workers::find_method(table, "claude-code.launch");
  REQUIRE(launch != nullptr);
  CHECK(launch->name == "session.launch");
  CHECK(workers::find_method(table, "session.launch") == launch);
  CHECK(workers::find_tool(table, "session_launch") == launch);
  CHECK(workers::find_chat(table, "session_launch") == launch);
  CHECK(workers::find_tool(table, "session.launch") == nullptr);
  CHECK(workers::find_tool(table, "session_interrupt") == nullptr);
  CHECK(workers::find_chat(table, "session_output") == nullptr);
  CHECK(workers::find_method(table, "") == nullptr);
}

TEST_CASE("every operation describes its parameters", "[workers]") {
  for (const Operation& operation : rows()) {
    INFO(operation.name);
    CHECK_FALSE(operation.summary.empty());
    std::set<std::string> names;
    for (const workers::Parameter& parameter : operation.parameters) {
      INFO(parameter.name);
      CHECK(names.insert(parameter.name).second);
      CHECK_FALSE(parameter.help.empty());
      CHECK(parameter.schema.contains("type"));
    }
    CHECK(operation.schema()["properties"].size() == operation.parameters.size());
    CHECK(names.contains("idempotency_key") == operation.changes);
  }
  const Operation* launch = workers::find_tool(workers::operations(), "claude_launch");
  CHECK(launch->schema()["required"] == Json{"prompt"});
}

TEST_CASE("each setting of a session can be said where one is launched", "[workers]") {
  const Operation* launch = workers::find_tool(workers::operations(), "claude_launch");
  REQUIRE(launch != nullptr);
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    INFO(setting.key);
    CHECK(workers::has_parameter(*launch, setting.key));
  }
  Json value = "soon";
  domain::SessionSpec spec;
  const domain::SpecSetting& wait = *domain::find_spec_setting("remind_after");
  CHECK_FALSE(workers::read_setting(wait, value, spec));
  CHECK(workers::refuse_value(workers::setting_parameter(wait), value).value().text ==
        "remind_after takes a duration such as 10m, or never, not \"soon\"");
  value = "7m";
  CHECK(workers::read_setting(wait, value, spec));
  CHECK(spec.remind_after == std::chrono::minutes(7));
}

TEST_CASE("files are said by their paths, or as data", "[workers]") {
  const auto read = [](const char* text) {
    std::vector<workers::SaidFile> files;
    const bool is_read = workers::read_value(Json::parse(text), files);
    return is_read ? std::optional(files) : std::nullopt;
  };
  const auto both = read(R"(["/a", {"name": "b", "media_type": "image/png", "data": "AA=="}])");
  REQUIRE(both);
  CHECK(*both ==
        std::vector<workers::SaidFile>{{"/a", {}, {}, {}}, {{}, "b", "image/png", "AA=="}});
  for (const char* wrong :
       {R"("/a")", R"([7])", R"([""])", R"([{"name": "b"}])", R"([["/a"]])",
        R"([{"name": "b", "data": "AA==", "path": "/a"}])", R"([{"name": 7, "data": "AA=="}])"}) {
    INFO(wrong);
    CHECK_FALSE(read(wrong));
  }
  // A prompt can be empty beside files.
  const auto& parameters = workers::find_tool(workers::operations(), "claude_launch")->parameters;
  CHECK_FALSE(workers::named_arguments(parameters, Json::parse(R"({"prompt": ""})")));
  CHECK(workers::named_arguments(parameters, Json::parse(R"({"prompt": "", "files": ["/a"]})")));
  CHECK_FALSE(workers::named_arguments(parameters, Json::parse(R"({"files": ["/a"]})")));
}

// True for a parameter that comes from the table of settings alone.
bool is_further_setting(const workers::Parameter& parameter) {
  const domain::SpecSetting* setting = domain::find_spec_setting(parameter.name);
  return setting != nullptr && parameter.help.starts_with(setting->help);
}

// Returns the table as workers/operations/README.md has it.
std::string page_table() {
  std::string table =
      "| Operation | Tool | Chat | Method | | Parameters |\n|---|---|---|---|---|---|\n";
  const auto code = [](const std::string& text) { return text.empty() ? "" : "`" + text + "`"; };
  for (const Operation& operation : rows()) {
    std::string parameters;
    bool has_settings = false;
    bool has_fields = false;
    for (const workers::Parameter& parameter : operation.parameters) {
      if (parameter.name == workers::kKeyParameter) continue;
      if (is_further_setting(parameter)) {
        has_settings = true;
        continue;
      }
      if (parameter.takes_null) {
        has_fields = true;
        continue;
      }
      parameters += (parameters.empty() ? "" : ", ") + code(parameter.name);
      if (parameter.is_required) parameters += " (needed)";
    }
    if (has_fields) parameters += ", each setting of a conversation";
    if (has_settings) parameters += ", each further setting of a session";
    const std::string chat =
        operation.surfaces.chat ? "/" + workers::chat_name(operation) : std::string();
    table += "| " + code(operation.name) + " | " + code(workers::tool_name(operation)) + " | " +
             code(chat) + " | " + code(workers::method_name(operation)) + " | " +
             operation.summary + " | " + parameters + " |\n";
  }
  return table;
}

TEST_CASE("the page of operations lists them as they are", "[workers]") {
  std::ifstream file(STENO_SOURCE_DIR "/workers/operations/README.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  INFO(page_table());
  CHECK(page.find("\n" + page_table() + "\n") != std::string::npos);
}

Json arguments_of(std::string_view line) {
  const auto call = workers::parse_chat(workers::operations(), line);
  INFO(line);
  REQUIRE(call);
  return call->arguments;
}

std::string usage_of(std::string_view line) {
  const auto call = workers::parse_chat(workers::operations(), line);
  INFO(line);
  REQUIRE_FALSE(call);
  CHECK(call.error().error == OperationError::usage);
  return call.error().text;
}

TEST_CASE("a chat command has options, words, and a rest", "[workers][R001]") {
  CHECK(arguments_of("/claude write the  manual ") == Json{{"prompt", "write the  manual"}});
  CHECK(arguments_of("  /claude@steno_bot --name docs write\nit") ==
        Json{{"name", "docs"}, {"prompt", "write\nit"}});
  CHECK(arguments_of("/claude --name \"two words\" go") ==
        Json{{"name", "two words"}, {"prompt", "go"}});
  CHECK(arguments_of("/claude -- --name is no option") == Json{{"prompt", "--name is no option"}});
  CHECK(arguments_of("/claude_sessions") == Json::object());
  CHECK(arguments_of("/claude_sessions running") == Json{{"status", "running"}});
  CHECK(arguments_of("/claude_bg") == Json::object());
  CHECK(arguments_of("/claude_resume --list") == Json{{"list", true}});
  CHECK(arguments_of("/claude_resume --fork docs now the tests") ==
        Json{{"fork", true}, {"session", "docs"}, {"prompt", "now the tests"}});
  CHECK(arguments_of("/claude_respond --interrupt docs stop it") ==
        Json{{"interrupt", true}, {"session", "docs"}, {"message", "stop it"}});
}

TEST_CASE("dashes, quotes and blanks of a phone's keyboard count as those of ASCII", "[workers]") {
  const Json named = {{"name", "my docs"}, {"prompt", "write it"}};
  CHECK(arguments_of("/claude —name “my docs” write it") == named);
  CHECK(arguments_of("/claude ––name \"my docs” write it") == named);
  CHECK(arguments_of("/claude ⸺name „my docs“ write it") == named);
  CHECK(arguments_of("/claude\u00A0--name\u00A0\"my docs\"\u00A0write it") == named);
  CHECK(arguments_of("/claude — —name is no option") == Json{{"prompt", "—name is no option"}});
  CHECK(arguments_of("/claude write — “well” ") == Json{{"prompt", "write — “well”"}});
  CHECK(arguments_of("/claude_resume —list") == Json{{"list", true}});
  CHECK(usage_of("/claude —nam docs go").starts_with("there is no option —nam (-- comes before"));
}

TEST_CASE("a word with blanks is in quotes wherever a chat command takes one", "[workers]") {
  CHECK(arguments_of("/claude_kill \"my docs\"") == Json{{"session", "my docs"}});
  CHECK(arguments_of("/claude_respond “my docs” now the “index”") ==
        Json{{"session", "my docs"}, {"message", "now the “index”"}});
  CHECK(usage_of("/claude_kill \"my docs").starts_with("the second quote of session is missing"));
}

TEST_CASE("a chat command that is wrong is told how it is used", "[workers]") {
  CHECK(usage_of("/claude") == "prompt is missing; usage: /claude [--name NAME] PROMPT");
  CHECK(usage_of("/claude --name") ==
        "--name lacks its value; usage: /claude [--name NAME] PROMPT");
  CHECK(usage_of("/claude --name \"docs") ==
        "the second quote of --name is missing; usage: /claude [--name NAME] PROMPT");
  CHECK(usage_of("/claude --name a --name b go") ==
        "--name is said twice; usage: /claude [--name NAME] PROMPT");
  CHECK(usage_of("/claude --model x go") ==
        "there is no option --model (-- comes before a text that begins so); usage: /claude "
        "[--name NAME] PROMPT");
  CHECK(usage_of("/claude_respond docs") ==
        "message is missing; usage: /claude_respond [--interrupt] SESSION MESSAGE");
  CHECK(usage_of("/claude_kill docs now") == "'now' is too much; usage: /claude_kill SESSION");
  for (const char* line : {"", "/", "claude go", "/claude_output x", "/help"}) {
    CHECK(usage_of(line).find("is no command; there are /claude [--name NAME] PROMPT; ") !=
          std::string::npos);
  }
}

Task<Outcome<Answer>> answered(Outcome<Answer> answer) {
  co_return answer;
}

// Answers every operation with what it was asked, or with a refusal.
JsonRpc rpc(std::optional<Refusal> refusal = {}) {
  const auto run = [refusal](const Operation& operation, const Json& given, Reader) {
    if (refusal) return answered(tl::unexpected(*refusal));
    const auto named = workers::named_arguments(operation.parameters, given);
    if (!named) return answered(tl::unexpected(named.error()));
    return answered(Answer{*named, "done"});
  };
  return JsonRpc(workers::operations(), run);
}

// The answer to a message that waits for nothing.
std::string answer(const JsonRpc& of, const std::string& message) {
  auto task = of.answer(message);
  task.start();
  REQUIRE(task.is_done());
  return task.take();
}

Json ask(const std::string& method, const Json& params, const JsonRpc& of = rpc()) {
  const Json request = {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}};
  const Json told = Json::parse(answer(of, request.dump()));
  CHECK(told["jsonrpc"] == "2.0");
  CHECK(told["id"] == 7);
  return told;
}

TEST_CASE("a method takes its parameters by name in either spelling", "[workers][R001]") {
  const Json said = {{"prompt", "go"}, {"max_budget_usd", 0.5}};
  CHECK(ask("claude-code.launch", said)["result"] == said);
  CHECK(ask("claude-code.launch", {{"prompt", "go"}, {"maxBudgetUsd", 0.5}})["result"] == said);
  CHECK(ask("claude-code.kill", {{"id", "docs"}})["result"] == Json{{"session", "docs"}});
  CHECK(ask("claude-code.stats", nullptr)["result"] == Json::object());
}

std::string wrong(const std::string& method, const Json& params, int code = -32602) {
  const Json error = ask(method, params)["error"];
  CHECK(error["code"] == code);
  return error["message"];
}

TEST_CASE("wrong parameters of a method are named", "[workers]") {
  CHECK(wrong("claude-code.launch", Json::object()) == "prompt is missing: The task");
  CHECK(wrong("claude-code.launch", {{"prompt", ""}}) == "prompt is missing: The task");
  CHECK(wrong("claude-code.kill", {{"id", "a"}, {"session", "b"}}) == "session is said twice");
  CHECK(wrong("claude-code.kill", {{"sesion", "b"}}) ==
        "there is no parameter 'sesion'; accepted are: session, idempotency_key");
  CHECK(wrong("claude-code.output", {{"id", "a"}, {"lines", 0}}) ==
        "lines takes a whole number from 1 to 10000, not 0");
  CHECK(wrong("claude-code.output", {{"id", "a"}, {"lines", 18446744073709551615u}}) ==
        "lines takes a whole number from 1 to 10000, not 18446744073709551615");
  CHECK(wrong("claude-code.kill", Json{"docs"}).starts_with("the parameters are an object"));
  CHECK(wrong("claude-code.nothing", {}, -32601)
            .starts_with("there is no method 'claude-code.nothing'; known are claude-code.launch"));
}

TEST_CASE("a failed operation is told as the command line tells it", "[workers]") {
  const JsonRpc failing = rpc(Refusal{OperationError::not_found, "there is no session 'x'"});
  const Json error = ask("claude-code.kill", {{"id", "x"}}, failing)["error"];
  CHECK(error == Json{{"code", -32000},
                      {"message", "there is no session 'x'"},
                      {"data", {{"code", "not_found"}, {"exit", 3}}}});
  const Json result =
      ask("tools/call", {{"name", "claude_kill"}, {"arguments", {{"session", "x"}}}}, failing);
  CHECK(result["result"]["isError"] == true);
  CHECK(result["result"]["content"][0]["text"] == "there is no session 'x'");
}

TEST_CASE("each error has the name and the exit code of the command line", "[workers]") {
  for (const std::string_view name : base::EnumNames<OperationError>::kNames) {
    INFO(name);
    const auto error = *base::parse_enum<OperationError>(name);
    const JsonRpc failing = rpc(Refusal{error, "no"});
    const Json told = ask("claude-code.kill", {{"id", "x"}}, failing)["error"]["data"];
    CHECK(told["exit"] == steno::exit_code_of(error));
    CHECK(told["code"] == steno::exit_code_name(steno::exit_code_of(error)));
    CHECK(steno::error_of_exit(steno::exit_code_of(error)) == error);
  }
}

int code_of(const std::string& message) {
  const Json told = Json::parse(answer(rpc(), message));
  CHECK(told["id"].is_null());
  return told["error"]["code"];
}

TEST_CASE("a message that is no request is told so", "[workers]") {
  CHECK(code_of("") == -32700);
  CHECK(code_of("{") == -32700);
  CHECK(code_of("\xff") == -32700);
  CHECK(code_of("[]") == -32600);
  CHECK(code_of("3") == -32600);
  CHECK(code_of("{}") == -32600);
  CHECK(code_of(R"({"jsonrpc":"2.0","id":[],"method":"ping"})") == -32600);
  CHECK(code_of(std::string(100'000, '[')) == -32600);
  CHECK(code_of(std::string(100'000, '[') + std::string(100'000, ']')) == -32600);
  Json batch = Json::array();
  for (int i = 0; i < 101; ++i) batch.push_back({{"jsonrpc", "2.0"}, {"method", "ping"}});
  CHECK(code_of(batch.dump()) == -32600);
}

// Returns the code of the error, which must be answered under the id.
int code_under(const Json& id, const std::string& message) {
  const Json told = Json::parse(answer(rpc(), message));
  INFO(message.substr(0, 200));
  CHECK(told["id"] == id);
  return told.value("error", Json::object()).value("code", 0);
}

TEST_CASE("whatever is refused of a request, it is answered under its id", "[workers]") {
  CHECK(code_under(1, R"({"jsonrpc":"1.0","id":1,"method":"ping"})") == -32600);
  CHECK(code_under("a", R"({"id":"a"})") == -32600);
  // SDKs write the id last.
  const std::string id = R"(,"jsonrpc":"2.0","id":"x-7"})";
  CHECK(code_under("x-7", R"({"method":"ping","params":)" + std::string(40, '[') +
                              std::string(40, ']') + id) == -32600);
  CHECK(code_under("x-7", R"({"method":"ping","params":)" +
                              Json(std::vector<int>(20'000, 0)).dump() + id) == -32600);
  CHECK(code_under("x-7", R"({"method":"ping","params":")" + std::string(2 << 20, 'x') + "\"" +
                              id) == -32600);
  CHECK(code_under("x-7", R"({"method":"ping","params":{"id":3,"a":"\"id\":4"},)"
                          "+" +
                              id) == -32700);
  CHECK(code_under(-12, R"({ "id" : -12 , "method": nonsense })") == -32700);
  CHECK(code_under("\xEF\xBF\xBD", R"({"id":"\ud83d","method":nonsense})") == -32700);
  CHECK(code_under(nullptr, R"({"id":{"id":1},"method":nonsense})") == -32700);
  CHECK(code_under(nullptr, R"([{"id":1},)") == -32700);
}

TEST_CASE("half a surrogate pair is read as the replacement character", "[workers]") {
  const auto prompt_of = [](const std::string& escaped) {
    const Json told = Json::parse(
        answer(rpc(), R"({"jsonrpc":"2.0","id":3,"method":"claude-code.launch","params":)"
                      R"({"prompt":")" +
                          escaped + R"("}})"));
    CHECK(told["id"] == 3);
    return told["result"].value("prompt", "");
  };
  CHECK(prompt_of(R"(cut \ud83d…)") == "cut \uFFFD…");
  CHECK(prompt_of(R"(cut \ude00)") == "cut \uFFFD");
  CHECK(prompt_of(R"(\ud83d\ud83d\ude00!)") == "\uFFFD\U0001F600!");
  CHECK(prompt_of(R"(a\\ud83d)") == R"(a\ud83d)");
}

TEST_CASE("a notification is done and not answered", "[workers]") {
  int calls = 0;
  const JsonRpc counting(workers::operations(), [&](const Operation&, const Json&, Reader) {
    ++calls;
    return answered(Answer{Json::object(), ""});
  });
  const std::string kill =
      R"({"jsonrpc":"2.0","method":"claude-code.kill","params":{"session":"x"}})";
  CHECK(answer(counting, kill).empty());
  CHECK(answer(counting, "[" + kill + "," + kill + "]").empty());
  CHECK(calls == 3);
  const Json answers =
      Json::parse(answer(counting, "[" + kill + R"(,{"jsonrpc":"2.0","id":"a","method":"ping"}])"));
  CHECK(answers == Json::parse(R"([{"jsonrpc":"2.0","id":"a","result":{}}])"));
}

TEST_CASE("an agent finds the tools by the Model Context Protocol", "[workers][R001]") {
  const Json begun = ask("initialize", {{"protocolVersion", "2024-11-05"}})["result"];
  CHECK(begun["protocolVersion"] == "2024-11-05");
  CHECK(begun["serverInfo"]["name"] == "steno");
  CHECK(ask("initialize", {{"protocolVersion", "2099-01-01"}})["result"]["protocolVersion"] ==
        "2025-06-18");
  const Json tools = ask("tools/list", nullptr)["result"]["tools"];
  CHECK(tools.size() == 20);
  for (const Json& tool : tools) {
    const std::string name = tool["name"];
    CHECK(tool["inputSchema"]["type"] == "object");
    const bool only_reads = name == "claude_sessions" || name == "claude_output" ||
                            name == "claude_stats" || name == "session_approvals" ||
                            name == "session_commands" || name == "sessions_list" ||
                            name == "sessions_history" || name == "conversation_show";
    CHECK(tool["annotations"]["readOnlyHint"] == only_reads);
  }
  const Json done =
      ask("tools/call", {{"name", "claude_kill"}, {"arguments", {{"session", "x"}}}})["result"];
  CHECK(done["isError"] == false);
  CHECK(done["structuredContent"] == Json{{"session", "x"}});
  CHECK(done["content"][0]["text"] == "done");
  const JsonRpc wordy(workers::operations(), [](const Operation&, const Json&, Reader) {
    return answered(Answer{{{"lines", Json{"words"}}}, "words"});
  });
  const Json call = {{"name", "claude_output"}, {"arguments", {{"session", "x"}}}};
  const Json told = ask("tools/call", call, wordy)["result"];
  CHECK(told["content"][0]["text"] == "words");
  CHECK_FALSE(told.contains("structuredContent"));
  CHECK(ask("tools/call", {{"name", "claude_dance"}})["error"]["code"] == -32602);
  CHECK(ask("tools/call", nullptr)["error"]["code"] == -32602);
}

TEST_CASE("a client of the Model Context Protocol gives its key beside the arguments",
          "[workers]") {
  const auto called = [](const std::string& tool, const Json& meta, const Json& arguments) {
    const Json call = {{"name", tool}, {"arguments", arguments}, {"_meta", meta}};
    return ask("tools/call", call)["result"];
  };
  const Json kill = {{"session", "x"}};
  const Json keyed = {{"session", "x"}, {"idempotency_key", "k"}};
  CHECK(called("claude_kill", {{"idempotencyKey", "k"}}, kill)["structuredContent"] == keyed);
  CHECK(called("claude_kill", {{"idempotencyKey", "other"}}, keyed)["structuredContent"] == keyed);
  CHECK(called("claude_kill", {{"progressToken", 1}}, kill)["structuredContent"] == kill);
  CHECK(called("claude_stats", {{"idempotencyKey", "k"}}, nullptr)["structuredContent"] ==
        Json::object());
}

// The identity that a request of `operation` has.
workers::RequestIdentity identity(const std::string& agent, const std::string& operation,
                                  const Json& arguments) {
  support::AsyncWorld world;
  const workers::Caller caller{world.tasks, "ann", agent};
  const Operation& asked = *workers::find_method(workers::operations(), operation);
  const auto named = workers::named_arguments(asked.parameters, arguments);
  REQUIRE(named);
  const auto made = workers::identity_of(caller, asked, *named);
  REQUIRE(made);
  REQUIRE(*made);
  return **made;
}

TEST_CASE("a key makes one id for an agent's requests of one operation", "[workers]") {
  const Json go = {{"prompt", "go"}, {"max_budget_usd", 1}, {"idempotency_key", "k"}};
  const auto first = identity("main", "session.launch", go);
  const auto again = identity("main", "session.launch",
                              {{"idempotencyKey", "k"}, {"maxBudgetUsd", 1}, {"prompt", "go"}});
  CHECK(first.id == again.id);
  CHECK(first.asked == again.asked);
  const auto other =
      identity("main", "session.launch", {{"prompt", "stop"}, {"idempotency_key", "k"}});
  CHECK(other.id == first.id);
  CHECK(other.asked != first.asked);
  CHECK(identity("docs", "session.launch", go).id != first.id);
  const auto kill = identity("main", "session.kill", {{"id", "x"}, {"idempotency_key", "k"}});
  CHECK(kill.id != first.id);
  Json key = go;
  key["idempotency_key"] = "l";
  CHECK(identity("main", "session.launch", key).id != first.id);
}

}  // namespace
