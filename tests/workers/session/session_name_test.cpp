#include "workers/session/session_name.hpp"

#include "tests/support/given_when_then.hpp"

namespace session {
namespace {

TEST_CASE("a prompt's first three telling words make a name", "[session]") {
  CHECK(name_from_prompt("Fix the login bug in auth") == "fix-login-bug");
  CHECK(name_from_prompt("Please could you write TESTS?") == "tests");
  CHECK(name_from_prompt("refactor/parser.module, now!") == "refactor-parser-module");
  CHECK(name_from_prompt("") == "session");
  CHECK(name_from_prompt("the and of") == "session");
  CHECK(name_from_prompt("grüße") == "gr");
  CHECK(name_from_prompt("--- -a- --help--") == "help");
}

TEST_CASE("a name from a prompt is short and of plain characters", "[session]") {
  base::SeededRandom random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string prompt(random.below(200), ' ');
    for (char& c : prompt) c = static_cast<char>(random.next());
    const std::string name = name_from_prompt(prompt);
    INFO("seed 11, round " << round);
    REQUIRE_FALSE(name.empty());
    REQUIRE(name.size() <= 3 * 24 + 2);
    REQUIRE(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
  }
}

TEST_CASE("a taken name gets the first free number", "[session]") {
  const auto id = support::numbered<SessionId>(1);
  CHECK(unique_name("a", {}) == "a");
  CHECK(unique_name("a", {{"a", id}}) == "a-2");
  CHECK(unique_name("a", {{"a", id}, {"a-2", id}, {"a-4", id}}) == "a-3");
}

}  // namespace
}  // namespace session
