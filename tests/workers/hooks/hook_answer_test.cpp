// What hooks print is read as Claude Code reads it; what is not understood is a failure.
#include "workers/hooks/hook_answer.hpp"

#include "tests/support/catch.hpp"

namespace workers {
namespace {

using domain::HookPoint;

HookAnswer answer(const std::string& output, HookPoint point = HookPoint::pre_tool_use) {
  return read_answer(point, 0, output, {});
}

TEST_CASE("a decision is read in each of its forms", "[workers]") {
  const struct {
    const char* output;
    bool is_blocking;
    const char* decision;
    const char* reason;
  } rows[] = {
      {R"({"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}})",
       true, "", "no"},
      {R"({"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"?"}})",
       false, "ask", "?"},
      {R"({"hookSpecificOutput":{"decision":{"behavior":"allow","message":"fine"}}})", false,
       "allow", "fine"},
      {R"({"decision":"block","reason":"no"})", true, "", "no"},
      {R"({"hookSpecificOutput":{"permissionDecision":"deny","decision":null}})", true, "", ""},
      {R"({"decision":"approve"})", false, "allow", ""},
      {R"({"preventDefault":true,"message":"no"})", true, "", "no"},
      {R"({"unknown":7})", false, "", ""},
      {"", false, "", ""},
      {"some words", false, "", ""},
  };
  for (const auto& row : rows) {
    INFO(row.output);
    const HookAnswer read = answer(row.output);
    CHECK(read.failure.empty());
    CHECK(read.is_blocking == row.is_blocking);
    CHECK(read.decision == row.decision);
    CHECK(read.reason == row.reason);
  }
}

TEST_CASE("the exit code 2 blocks with what stands on stderr", "[workers]") {
  const HookAnswer read = read_answer(HookPoint::stop, 2, "{}", "the tests fail");
  CHECK(read.is_blocking);
  CHECK(read.reason == "the tests fail");
  // JSON that blocks counts, whatever else the program says.
  CHECK(read_answer(HookPoint::stop, 1, R"({"decision":"block"})", {}).is_blocking);
  CHECK(read_answer(HookPoint::stop, 1, "{}", {}).failure == "it ended with code 1");
  const HookAnswer failed = read_answer(HookPoint::stop, 1, "words", "why");
  CHECK(failed.failure == "it ended with code 1");
  CHECK(failed.said == "why");
}

TEST_CASE("text is told to the model where a prompt is given", "[workers]") {
  CHECK(answer("on branch main", HookPoint::session_start).context == "on branch main");
  CHECK(answer("on branch main", HookPoint::user_prompt_submit).context == "on branch main");
  CHECK(answer("on branch main", HookPoint::post_tool_use).context.empty());
}

TEST_CASE("changes and words are read", "[workers]") {
  const HookAnswer read = answer(
      R"({"continue":false,"stopReason":"enough","systemMessage":"look","hookSpecificOutput":
          {"hookEventName":"PreToolUse","updatedInput":{"a":1},"additionalContext":"so"}})");
  CHECK(read.stop == "enough");
  CHECK(read.message == "look");
  CHECK(read.context == "so");
  CHECK(read.input.dump() == R"({"a":1})");
  CHECK(read.changes_anything());
}

TEST_CASE("an answer that is not understood is a failure", "[workers]") {
  for (const std::string output :
       {"{", R"({"decision":"maybe"})", R"({"decision":7})", R"({"continue":"no"})",
        R"({"hookSpecificOutput":7})", R"({"hookSpecificOutput":{"updatedInput":"rm"}})",
        R"({"hookSpecificOutput":{"hookEventName":"Stop"}})"}) {
    INFO(output);
    CHECK_FALSE(answer(output).failure.empty());
  }
  std::string deep = R"({"hookSpecificOutput":)";
  for (int i = 0; i < 10'000; ++i) deep += "[";
  CHECK_FALSE(answer(deep).failure.empty());
}

}  // namespace
}  // namespace workers
