// The table of operations, and how a chat and JSON-RPC reach it; without a server.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/catch.hpp"
#include "tools/steno/operations/chat_line.hpp"
#include "tools/steno/operations/json_rpc.hpp"
#include "tools/steno/operations/operations.hpp"

namespace {

using steno::Answer;
using steno::ChatCall;
using steno::Json;
using steno::JsonRpc;
using steno::kExitUsage;
using steno::Operation;
using steno::Outcome;

std::set<std::string> names_of(std::string Operation::*name) {
  std::set<std::string> names;
  for (const Operation& operation : steno::operations()) {
    const bool is_new = (operation.*name).empty() || names.insert(operation.*name).second;
    CHECK(is_new);
  }
  return names;
}

TEST_CASE("there are eight tools, eight chat commands and eight methods", "[tools][R001]") {
  CHECK(names_of(&Operation::tool) ==
        std::set<std::string>{"claude_launch", "claude_sessions", "claude_kill", "claude_output",
                              "claude_fg", "claude_bg", "claude_respond", "claude_stats"});
  CHECK(names_of(&Operation::chat) ==
        std::set<std::string>{"claude", "claude_sessions", "claude_kill", "claude_fg", "claude_bg",
                              "claude_resume", "claude_respond", "claude_stats"});
  CHECK(names_of(&Operation::method) ==
        std::set<std::string>{"claude-code.sessions", "claude-code.launch", "claude-code.kill",
                              "claude-code.output", "claude-code.respond", "claude-code.interrupt",
                              "claude-code.events", "claude-code.stats"});
}

TEST_CASE("every operation describes its parameters", "[tools]") {
  for (const Operation& operation : steno::operations()) {
    INFO(operation.tool << " " << operation.chat);
    CHECK_FALSE(operation.summary.empty());
    std::set<std::string> names;
    for (const steno::Parameter& parameter : operation.parameters) {
      INFO(parameter.name);
      CHECK(names.insert(parameter.name).second);
      CHECK_FALSE(parameter.help.empty());
      CHECK(parameter.schema.contains("type"));
    }
    CHECK(operation.schema()["properties"].size() == operation.parameters.size());
  }
  CHECK(steno::operation_of_tool("claude_launch")->schema()["required"] == Json{"prompt"});
}

// Returns the table as tools/README.md has it.
std::string page_table() {
  std::string table = "| Tool | Chat | Method | | Parameters |\n|---|---|---|---|---|\n";
  const auto code = [](const std::string& text) { return text.empty() ? "" : "`" + text + "`"; };
  for (const Operation& operation : steno::operations()) {
    std::string parameters;
    for (const steno::Parameter& parameter : operation.parameters) {
      parameters += (parameters.empty() ? "" : ", ") + code(parameter.name);
      if (parameter.is_required) parameters += " (needed)";
    }
    const std::string chat = operation.chat.empty() ? "" : "/" + operation.chat;
    table += "| " + code(operation.tool) + " | " + code(chat) + " | " + code(operation.method) +
             " | " + operation.summary + " | " + parameters + " |\n";
  }
  return table;
}

TEST_CASE("the page of tools lists the operations as they are", "[tools]") {
  std::ifstream file(STENO_SOURCE_DIR "/tools/README.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  INFO(page_table());
  CHECK(page.find("\n" + page_table() + "\n") != std::string::npos);
}

Json arguments_of(std::string_view line) {
  const auto call = steno::parse_chat(line);
  INFO(line);
  REQUIRE(call);
  return call->arguments;
}

std::string usage_of(std::string_view line) {
  const auto call = steno::parse_chat(line);
  INFO(line);
  REQUIRE_FALSE(call);
  CHECK(call.error().exit_code == kExitUsage);
  return call.error().text;
}

TEST_CASE("a chat command has options, words, and a rest", "[tools][R001]") {
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

TEST_CASE("dashes, quotes and blanks of a phone's keyboard count as those of ASCII", "[tools]") {
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

TEST_CASE("a word with blanks is in quotes wherever a chat command takes one", "[tools]") {
  CHECK(arguments_of("/claude_kill \"my docs\"") == Json{{"session", "my docs"}});
  CHECK(arguments_of("/claude_respond “my docs” now the “index”") ==
        Json{{"session", "my docs"}, {"message", "now the “index”"}});
  CHECK(usage_of("/claude_kill \"my docs").starts_with("the second quote of session is missing"));
}

TEST_CASE("a chat command that is wrong is told how it is used", "[tools]") {
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

// Answers every operation with what it was asked, or with a failure.
JsonRpc rpc(std::optional<steno::Failure> failure = {}) {
  return JsonRpc([failure](const Operation& operation, const Json& given) -> Outcome<Answer> {
    if (failure) return tl::unexpected(*failure);
    const auto named = steno::named_arguments(operation.parameters, given);
    if (!named) return tl::unexpected(named.error());
    return Answer{*named, "done"};
  });
}

Json ask(const std::string& method, const Json& params, const JsonRpc& of = rpc()) {
  const Json request = {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}};
  const Json answer = Json::parse(of.answer(request.dump()));
  CHECK(answer["jsonrpc"] == "2.0");
  CHECK(answer["id"] == 7);
  return answer;
}

TEST_CASE("a method takes its parameters by name in either spelling", "[tools][R001]") {
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

TEST_CASE("wrong parameters of a method are named", "[tools]") {
  CHECK(wrong("claude-code.launch", Json::object()) == "prompt is missing: The task");
  CHECK(wrong("claude-code.launch", {{"prompt", ""}}) == "prompt is missing: The task");
  CHECK(wrong("claude-code.kill", {{"id", "a"}, {"session", "b"}}) == "session is said twice");
  CHECK(wrong("claude-code.kill", {{"sesion", "b"}}) ==
        "there is no parameter 'sesion'; accepted are: session");
  CHECK(wrong("claude-code.output", {{"id", "a"}, {"lines", 0}}) ==
        "lines takes a whole number from 1 to 10000, not 0");
  CHECK(wrong("claude-code.output", {{"id", "a"}, {"lines", 18446744073709551615u}}) ==
        "lines takes a whole number from 1 to 10000, not 18446744073709551615");
  CHECK(wrong("claude-code.kill", Json{"docs"}).starts_with("the parameters are an object"));
  CHECK(wrong("claude-code.nothing", {}, -32601)
            .starts_with("there is no method 'claude-code.nothing'; known are claude-code.launch"));
}

TEST_CASE("a failed operation is told as the command line tells it", "[tools]") {
  const JsonRpc failing = rpc(steno::Failure{steno::kExitNotFound, "there is no session 'x'"});
  const Json error = ask("claude-code.kill", {{"id", "x"}}, failing)["error"];
  CHECK(error == Json{{"code", -32000},
                      {"message", "there is no session 'x'"},
                      {"data", {{"code", "not_found"}, {"exit", 3}}}});
  const Json result =
      ask("tools/call", {{"name", "claude_kill"}, {"arguments", {{"session", "x"}}}}, failing);
  CHECK(result["result"]["isError"] == true);
  CHECK(result["result"]["content"][0]["text"] == "there is no session 'x'");
}

int code_of(const std::string& message) {
  const Json answer = Json::parse(rpc().answer(message));
  CHECK(answer["id"].is_null());
  return answer["error"]["code"];
}

TEST_CASE("a message that is no request is told so", "[tools]") {
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
  const Json answer = Json::parse(rpc().answer(message));
  INFO(message.substr(0, 200));
  CHECK(answer["id"] == id);
  return answer.value("error", Json::object()).value("code", 0);
}

TEST_CASE("whatever is refused of a request, it is answered under its id", "[tools]") {
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

TEST_CASE("half a surrogate pair is read as the replacement character", "[tools]") {
  const auto prompt_of = [](const std::string& escaped) {
    const Json answer = Json::parse(
        rpc().answer(R"({"jsonrpc":"2.0","id":3,"method":"claude-code.launch","params":)"
                     R"({"prompt":")" +
                     escaped + R"("}})"));
    CHECK(answer["id"] == 3);
    return answer["result"].value("prompt", "");
  };
  CHECK(prompt_of(R"(cut \ud83d…)") == "cut \uFFFD…");
  CHECK(prompt_of(R"(cut \ude00)") == "cut \uFFFD");
  CHECK(prompt_of(R"(\ud83d\ud83d\ude00!)") == "\uFFFD\U0001F600!");
  CHECK(prompt_of(R"(a\\ud83d)") == R"(a\ud83d)");
}

TEST_CASE("a notification is done and not answered", "[tools]") {
  int calls = 0;
  const JsonRpc counting([&](const Operation&, const Json&) -> Outcome<Answer> {
    ++calls;
    return Answer{Json::object(), ""};
  });
  const std::string kill =
      R"({"jsonrpc":"2.0","method":"claude-code.kill","params":{"session":"x"}})";
  CHECK(counting.answer(kill).empty());
  CHECK(counting.answer("[" + kill + "," + kill + "]").empty());
  CHECK(calls == 3);
  const Json answers =
      Json::parse(counting.answer("[" + kill + R"(,{"jsonrpc":"2.0","id":"a","method":"ping"}])"));
  CHECK(answers == Json::parse(R"([{"jsonrpc":"2.0","id":"a","result":{}}])"));
}

TEST_CASE("an agent finds the tools by the Model Context Protocol", "[tools][R001]") {
  const Json begun = ask("initialize", {{"protocolVersion", "2024-11-05"}})["result"];
  CHECK(begun["protocolVersion"] == "2024-11-05");
  CHECK(begun["serverInfo"]["name"] == "steno");
  CHECK(ask("initialize", {{"protocolVersion", "2099-01-01"}})["result"]["protocolVersion"] ==
        "2025-06-18");
  const Json tools = ask("tools/list", nullptr)["result"]["tools"];
  CHECK(tools.size() == 8);
  for (const Json& tool : tools) {
    const std::string name = tool["name"];
    CHECK(tool["inputSchema"]["type"] == "object");
    const bool only_reads =
        name == "claude_sessions" || name == "claude_output" || name == "claude_stats";
    CHECK(tool["annotations"]["readOnlyHint"] == only_reads);
  }
  const Json done =
      ask("tools/call", {{"name", "claude_kill"}, {"arguments", {{"session", "x"}}}})["result"];
  CHECK(done["isError"] == false);
  CHECK(done["structuredContent"] == Json{{"session", "x"}});
  CHECK(done["content"][0]["text"] == "done");
  const JsonRpc wordy([](const Operation&, const Json&) -> Outcome<Answer> {
    return Answer{{{"lines", Json{"words"}}}, "words", true};
  });
  const Json call = {{"name", "claude_output"}, {"arguments", {{"session", "x"}}}};
  const Json told = ask("tools/call", call, wordy)["result"];
  CHECK(told["content"][0]["text"] == "words");
  CHECK_FALSE(told.contains("structuredContent"));
  CHECK(ask("tools/call", {{"name", "claude_dance"}})["error"]["code"] == -32602);
  CHECK(ask("tools/call", nullptr)["error"]["code"] == -32602);
}

}  // namespace
