// A call that failed is shown with why, on one line.
#include "workers/text/tool_calls.hpp"

#include "tests/support/catch.hpp"
#include "workers/runner/unattended.hpp"

namespace {

using workers::ToolCalls;

std::string failed(std::string_view output, bool is_denied = false) {
  ToolCalls calls;
  calls.begin("1", "Bash", R"({"command":"make"})");
  return calls.fail("1", is_denied, output);
}

TEST_CASE("why a call failed is told beyond the first line", "[tools]") {
  CHECK(failed("Bash failed:\n\n  `command` is missing\n") ==
        "✗ Bash — make: failed: Bash failed: `command` is missing");
  CHECK(failed("") == "✗ Bash — make: failed");
  CHECK(failed(" \n") == "✗ Bash — make: failed");
  CHECK(failed("a\x1b[2J\nb") == "✗ Bash — make: failed: a\\x1b[2J b");
  CHECK(failed(std::string(100'000, 'x') + "\nlast").size() < 200);
}

TEST_CASE("what a denial tells the model is not shown to people", "[tools]") {
  CHECK(failed(workers::kDenied, true) == "✗ Bash — make: denied");
  CHECK(failed("use make test", true) == "✗ Bash — make: denied: use make test");
  CHECK(
      failed(workers::kNobodyApproves, true) ==
      "✗ Bash — make: denied: Denied: this tool call needs an approval, and nobody can give one in "
      "this session. It was not carried out.");
  // A tool can say anything.
  CHECK(failed(workers::kDenied).ends_with("why it was needed."));
}

}  // namespace
