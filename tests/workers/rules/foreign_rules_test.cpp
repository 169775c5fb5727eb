// Rules of other programs become patterns that say the same, or are refused by name.
#include "workers/rules/foreign_rules.hpp"

#include "tests/support/catch.hpp"

namespace {

using domain::RuleVerdict;
using workers::ForeignRule;
using workers::read_foreign_rules;

ForeignRule only(const std::string& text) {
  const auto read = read_foreign_rules(text, "/home/u");
  REQUIRE(read);
  REQUIRE(read->rules.size() == 1);
  return read->rules.front();
}

std::vector<std::string> approval(const std::string& entry) {
  return only(R"({"alwaysApprove": {")" + entry + R"(": true}})").patterns;
}

std::vector<std::string> permission(const std::string& list, const std::string& entry) {
  return only(R"({"permissions": {")" + list + R"(": [")" + entry + R"("]}})").patterns;
}

using Patterns = std::vector<std::string>;

TEST_CASE("entries of an approvals.json become patterns", "[tools][R263]") {
  CHECK(approval("exec:ls *") == Patterns{"Bash(ls *)"});
  CHECK(approval("Read:*.md") == Patterns{"Read(**/*.md)"});
  CHECK(approval("read:src/*") == Patterns{"Read(src/*)"});
  CHECK(approval("exec:*") == Patterns{"Bash"});
  CHECK(approval("web_search") == Patterns{"WebSearch"});
  CHECK(approval("mcp__github") == Patterns{"mcp__github"});
}

TEST_CASE("a rule is written as the entry that is read as this rule", "[tools][R263]") {
  using workers::approval_entry;
  CHECK(approval_entry("Bash(ls *)") == "exec:ls *");
  CHECK(approval_entry("Bash(npm run test:*)") == "exec:npm run test:*");
  CHECK(approval_entry("Bash") == "exec");
  CHECK(approval_entry("Read(**/*.md)") == "Read:**/*.md");
  CHECK(approval_entry("mcp__github__search") == "mcp__github__search");
  CHECK_FALSE(approval_entry("Bash(/^git log/)"));
  CHECK_FALSE(approval_entry("Read(notes.md)"));
}

TEST_CASE("what an approvals.json does not approve becomes no rule", "[tools][R263]") {
  const ForeignRule rule = only(R"({"alwaysApprove": {"exec:rm *": false}})");
  CHECK(rule.patterns.empty());
  CHECK_FALSE(rule.is_fault);
  CHECK(rule.note.find("people are asked") != std::string::npos);
  CHECK(only(R"({"alwaysApprove": {"exec:rm *": "yes"}})").is_fault);
}

TEST_CASE("permissions of Claude Code become patterns of the same calls", "[tools]") {
  CHECK(permission("allow", "Bash(npm run test:*)") == Patterns{"Bash(npm run test:*)"});
  CHECK(permission("allow", "Bash(*)") == Patterns{"Bash"});
  CHECK(permission("allow", "WebFetch(domain:example.org)") ==
        Patterns{"WebFetch(domain:example.org)"});
  CHECK(permission("allow", "Edit(src/**)") == Patterns{"Edit(src/**)"});
  CHECK(permission("allow", "Read(~/notes.md)") == Patterns{"Read(//home/u/notes.md)"});
  CHECK(permission("allow", "Read(docs/)") == Patterns{"Read(**/docs/**)"});
  CHECK(permission("allow", "mcp__github__*") == Patterns{"mcp__github__*"});
}

TEST_CASE("a folder whose reading is denied is denied with all that is in it", "[tools]") {
  CHECK(permission("deny", "Read(.env)") == Patterns{"Read(**/.env)", "Read(**/.env/**)"});
  CHECK(permission("ask", "Read(./keys)") == Patterns{"Read(./keys)", "Read(./keys/**)"});
  CHECK(permission("deny", "Read(./secrets/**)") == Patterns{"Read(./secrets/**)"});
  CHECK(permission("allow", "Read(./keys)") == Patterns{"Read(./keys)"});
}

TEST_CASE("what no pattern can say is refused and says why", "[tools][R263]") {
  for (const char* entry :
       {"exec:/usr/bin/", "browser:open *", "web_fetch:https://example.org/*", "a b:*", ""}) {
    INFO(entry);
    const ForeignRule rule = only(R"({"alwaysApprove": {")" + std::string(entry) + R"(": true}})");
    CHECK(rule.is_fault);
    CHECK(rule.patterns.empty());
    CHECK_FALSE(rule.note.empty());
  }
  for (const char* entry : {"Bash(/x/)", "Task(Explore)", "Bash()", "Bash(x", "Read(~bob/x)"}) {
    INFO(entry);
    const ForeignRule rule =
        only(R"({"permissions": {"deny": [")" + std::string(entry) + R"("]}})");
    CHECK(rule.is_fault);
    CHECK(rule.patterns.empty());
  }
  CHECK(only(R"({"permissions": {"deny": [7]}})").is_fault);
  CHECK(only(R"({"permissions": {"deny": "Bash"}})").is_fault);
}

TEST_CASE("what denies comes before what allows, and the rest is named", "[tools]") {
  const auto read = read_foreign_rules(
      R"({"permissions": {"allow": ["A"], "deny": ["B"], "ask": ["C"], "defaultMode": "plan"},
          "alwaysApprove": {"D": true}, "history": [], "env": {}})",
      "/home/u");
  REQUIRE(read);
  std::string order;
  for (const ForeignRule& rule : read->rules) order += rule.entry;
  CHECK(order == "BCAD");
  CHECK(read->rules[0].verdict == RuleVerdict::deny);
  CHECK(read->others == Patterns{"permissions.defaultMode", "history", "env"});
}

TEST_CASE("a text that is no such file is refused", "[tools]") {
  const std::string deep(100'000, '[');
  for (const std::string& text : {std::string("[]"), std::string("{}"), std::string("\xff{"), deep,
                                  std::string(R"({"permissions": []})")}) {
    CHECK_FALSE(read_foreign_rules(text, "/home/u"));
  }
  std::string many = "7";
  for (int i = 0; i < 1'000; ++i) many += ",7";
  CHECK_FALSE(read_foreign_rules(R"({"permissions": {"ask": [)" + many + "]}}", "/home/u"));
}

}  // namespace
