// Names made from prompts, and the rules for given ones: neither can be taken for an id or an
// alias.
#include "eventlog/domain/session/session_name.hpp"

#include <set>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "tests/support/given_when_then.hpp"

namespace domain {
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

std::string unique_beside(const std::string& words, const std::set<std::string>& taken) {
  return unique_name(words, [&](const std::string& name) { return taken.contains(name); });
}

TEST_CASE("only the beginning of a prompt is looked at for a name", "[session]") {
  CHECK(name_from_prompt(std::string(1 << 20, 'a')) == std::string(24, 'a'));
  CHECK(name_from_prompt(std::string(1 << 20, ' ').append("late")) == "session");
}

TEST_CASE("a taken name gets the first free number", "[session]") {
  CHECK(unique_beside("a", {}) == "a");
  CHECK(unique_beside("a", {"a"}) == "a-2");
  CHECK(unique_beside("a", {"a", "a-2", "a-4"}) == "a-3");
}

TEST_CASE("a name that is made is never taken for an alias", "[session]") {
  CHECK(name_from_prompt("the database") == "database");
  CHECK(unique_beside("database", {}) == "database-2");
}

TEST_CASE("a name that was made is found again by its prompt and its mark", "[session]") {
  const std::string prompt = "Fix the login bug in auth";
  CHECK(made_name(prompt, name_mark("fix-login-bug")) == "fix-login-bug");
  CHECK(made_name(prompt, name_mark("fix-login-bug-17")) == "fix-login-bug-17");
  CHECK_FALSE(made_name(prompt, -1));
}

TEST_CASE("a name that can be given is one line of visible text", "[session]") {
  for (const std::string name : {"fix-bug", "Fix the bug", "grüße", "日本", "x", "test", "a1b2c3d",
                                 "a1b2c3d4e", "cafe-123"}) {
    INFO(name);
    CHECK_FALSE(name_fault(name));
  }
  for (const std::string name : {" ", "\t", "   ", " a", "a ", "a\tb", "a\nb", "a\x1b[31mb",
                                 "a\x7f", "a\xc2\x85", "\xc2\xa0", "\xe3\x80\x80", "\xe2\x80\x8b",
                                 "a\xe2\x80\xae"
                                 "b",
                                 "a\xff", "\xc0\x80"}) {
    INFO(name);
    const auto fault = name_fault(name);
    REQUIRE(fault);
    CHECK(fault->starts_with("a session's name"));
  }
  CHECK(name_fault(std::string("a\0b", 3)));
  CHECK_FALSE(name_fault(std::string(kNameBytesMax, 'n')));
  CHECK(name_fault(std::string(kNameBytesMax + 1, 'n')));
}

TEST_CASE("a name that would be taken for an id or an alias cannot be given", "[session]") {
  const auto id = support::numbered<SessionId>(1);
  CHECK(name_fault(id.text()));
  CHECK(name_fault(base::to_hex(id.view())));
  CHECK(name_fault(alias_of(id, 7)));
  CHECK_FALSE(name_fault(alias_of(id, 7).substr(1)));
}

}  // namespace
}  // namespace domain
