// Patterns are compared with calls as Claude Code compares its permissions, and never allow more.
#include "workers/rules/pattern_matcher.hpp"
#include "tests/support/catch.hpp"

namespace {

using domain::AskedCall;
using domain::CallPart;
using workers::PatternMatcher;

const PatternMatcher kMatcher;

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (c == '\n') {
      json += "\\n";
    } else if (c == '\t') {
      json += "\\t";
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string command(const std::string& text) {
  return R"({"input":{"command":)" + quoted(text) + "}}";
}

// True if the pattern alone allows the call.
bool allows(const std::string& pattern, const AskedCall& call) {
  CHECK(kMatcher.fault_of(pattern, true).empty());
  for (const CallPart& part : kMatcher.parts_of(call)) {
    if (!kMatcher.matches(pattern, part, call, false)) return false;
  }
  return true;
}

bool allows(const std::string& pattern, const std::string& text) {
  const std::string json = command(text);
  return allows(pattern, AskedCall{"Bash", json, "/srv/project"});
}

bool may_be_about(const std::string& pattern, const std::string& text) {
  const std::string json = command(text);
  const AskedCall call{"Bash", json, "/srv/project"};
  const auto parts = kMatcher.parts_of(call);
  return std::any_of(parts.begin(), parts.end(), [&](const CallPart& part) {
    return kMatcher.matches(pattern, part, call, true);
  });
}

TEST_CASE("what denies a command denies it with other blanks, too", "[tools]") {
  for (const char* text : {"git push x", "git  push x", "git\tpush  x", " git push x"}) {
    INFO(text);
    CHECK(may_be_about("Bash(git push *)", text));
  }
  CHECK_FALSE(allows("Bash(git push *)", "git  push x"));
  CHECK_FALSE(may_be_about("Bash(git push *)", "git pushed x"));
}

TEST_CASE("what denies a command denies it behind other words, and in what cannot be read off",
          "[tools]") {
  for (const char* text :
       {"FOO=1 git push", "A='b c' B+=2 git push", "{ git push; }", "if true; then git push; fi",
        "! git push", "for i in 1 2; do git push; done", "sudo -n git push", "env A=1 git push x",
        "nice -n 5 git push", "timeout 5s git push", "sudo env git  push",
        "ls | xargs -n1 git push", "git push > x", "cd \"$HOME\" && git push",
        "echo $(git push)"}) {
    INFO(text);
    CHECK(may_be_about("Bash(git push *)", text));
    CHECK(may_be_about("Bash(git push*)", text));
    CHECK(may_be_about("Bash(*)", text));
    CHECK(may_be_about("Bash(/^git +push\\b/)", text));
    CHECK_FALSE(may_be_about("Bash(git pull*)", text));
    CHECK_FALSE(may_be_about("Bash(/^git +pull/)", text));
  }
  CHECK(may_be_about("Bash(sudo *)", "sudo git push"));
  CHECK(may_be_about("Bash(/^git push$/)", "git push > x"));
  CHECK(may_be_about("Bash(dd *)", "sudo dd if=/dev/zero"));
  CHECK(may_be_about("Bash(ssh *)", "timeout 5 ssh host"));
  CHECK(may_be_about("Bash(sh *)", "sudo sh x.sh"));
  CHECK_FALSE(may_be_about("Bash(rm *)", "npm run format > out.txt"));
  CHECK_FALSE(may_be_about("Bash(rm *)", "cd \"$HOME/farm\""));
  CHECK_FALSE(may_be_about("Bash(dd *)", "git add $F"));
  CHECK_FALSE(may_be_about("Bash(git push *)", "git commit -m 'git push x'"));
  CHECK_FALSE(may_be_about("Bash(git push *)", "echo git push"));
  // A command with too many words before it counts as one that is meant.
  std::string many;
  for (int i = 0; i < 1'000; ++i) many += "A=1 ";
  CHECK(may_be_about("Bash(git push *)", many + "make"));
  // A pattern that allows takes the words alone.
  CHECK_FALSE(allows("Bash(git push *)", "FOO=1 git push"));
  CHECK_FALSE(allows("Bash(git push *)", "sudo git push"));
}

TEST_CASE("a command is allowed by its words, or by how it begins", "[tools]") {
  CHECK(allows("Bash(make test)", "make test"));
  CHECK_FALSE(allows("Bash(make test)", "make test -k"));
  for (const char* pattern : {"Bash(npm run:*)", "Bash(npm run *)"}) {
    INFO(pattern);
    CHECK(allows(pattern, "npm run"));
    CHECK(allows(pattern, "npm run test -- --watch"));
    CHECK_FALSE(allows(pattern, "npm runx"));
    CHECK_FALSE(allows(pattern, "npm install"));
  }
  CHECK(allows("Bash(git * main)", "git push main"));
  CHECK_FALSE(allows("Bash(git * main)", "git push main2"));
  CHECK(allows("Bash", "anything && at all"));
  CHECK_FALSE(allows("Write", "make"));
}

TEST_CASE("a command that does more than one thing needs all of them allowed", "[tools]") {
  for (const char* text :
       {"make && rm -rf /", "make; rm -rf /", "make | sh", "make || sh", "make\nrm -rf /",
        "make & rm -rf /", "make $(rm -rf /)", "make `rm -rf /`", "make \"$(rm -rf /)\"",
        "make > /etc/passwd", "make < x", "make <(rm x)", "(make; rm x)", "make \\\nrm",
        "make \"unfinished", "make $HOME", "FOO=1 make", "make 'a' \"b`c`\"", ""}) {
    INFO(text);
    CHECK_FALSE(allows("Bash(make:*)", text));
  }
  CHECK(allows("Bash(make:*)", "make && make test; make -k | make 'a;b' \"c && d\""));
  CHECK(allows("Bash(make:*)", "make a\\;b"));
}

TEST_CASE("a command that cannot be read off is allowed only word for word", "[tools]") {
  CHECK(allows("Bash(echo $HOME)", "echo $HOME"));
  CHECK_FALSE(allows("Bash(echo *)", "echo $HOME"));
  CHECK_FALSE(allows("Bash(/./)", "echo $HOME"));
  CHECK(may_be_about("Bash(rm *)", "echo $(rm -rf x)"));
  CHECK(may_be_about("Bash(/rm/)", "echo $(rm -rf x)"));
  CHECK_FALSE(may_be_about("Bash(git push *)", "echo $(rm -rf x)"));
}

TEST_CASE("paths are those of the session's folder, and have no way out of it", "[tools]") {
  const auto edits = [](const std::string& pattern, const std::string& path,
                        const std::string& tool = "Edit") {
    const std::string json = R"({"input":{"file_path":)" + quoted(path) + "}}";
    return allows(pattern, AskedCall{tool, json, "/srv/project"});
  };
  for (const char* pattern :
       {"Edit(src/**)", "Edit(./src/**)", "Edit(/src/**)", "Edit(//srv/project/src/**)"}) {
    INFO(pattern);
    CHECK(edits(pattern, "src/a.cpp"));
    CHECK(edits(pattern, "/srv/project/src/b/c.cpp"));
    CHECK_FALSE(edits(pattern, "src/../secret"));
    CHECK_FALSE(edits(pattern, "/srv/other/src/a.cpp"));
    CHECK_FALSE(edits(pattern, "srcx/a.cpp"));
  }
  CHECK(edits("Edit(*.md)", "README.md"));
  CHECK_FALSE(edits("Edit(*.md)", "docs/a.md"));
  CHECK(edits("Edit(**/*.md)", "docs/a/b.md"));
  CHECK(edits("Edit(**/*.md)", "README.md"));
  CHECK(edits("Edit(src/**)", "src/a", "Write"));
  CHECK_FALSE(edits("Write(src/**)", "src/a", "Edit"));
  CHECK_FALSE(edits("Edit(src/**)", "src/a", "Read"));
  CHECK(edits("Read(src/**)", "src/a", "Read"));
  CHECK_FALSE(edits("Edit(a.b)", "axb"));
}

TEST_CASE("hosts, servers of tools, and inputs are compared", "[tools]") {
  const auto fetches = [](const std::string& url) {
    const std::string json = R"({"input":{"url":)" + quoted(url) + "}}";
    return allows("WebFetch(domain:example.org)", AskedCall{"WebFetch", json, "/"});
  };
  CHECK(fetches("https://example.org/a?b"));
  CHECK(fetches("http://user@example.org:80"));
  CHECK_FALSE(fetches("https://example.org.evil.net/"));
  CHECK_FALSE(fetches("https://evil.net/?example.org"));
  CHECK_FALSE(fetches("https://example.org@evil.net/"));
  CHECK_FALSE(fetches("example.org"));
  const AskedCall search{"mcp__github__search", R"({"input":{"q":"draft"}})", "/"};
  for (const char* pattern :
       {"mcp__github", "mcp__github__*", "mcp__github__search", "mcp__github__search(/draft/)"}) {
    INFO(pattern);
    CHECK(allows(pattern, search));
  }
  for (const char* pattern : {"mcp__git", "mcp__github__s", "mcp__github__search(/final/)"}) {
    INFO(pattern);
    CHECK_FALSE(allows(pattern, search));
  }
}

TEST_CASE("a pattern that is none is refused with what is wrong", "[tools]") {
  for (const char* pattern : {"", "*", "Bash()", "Bash(/[/)", "Bash(/x*/)", "Bash(/.*/)", "a b",
                              "mcp__*", "Task(x)", "(x)"}) {
    INFO(pattern);
    CHECK_FALSE(kMatcher.fault_of(pattern, true).empty());
  }
  CHECK(kMatcher.fault_of("Bash(/.*/)", false).empty());
  for (const char* pattern : {"Bash(*)", "Bash(**)", "Bash(:*)", "Bash( * )"}) {
    CHECK(kMatcher.fault_of(pattern, true).find("fits every call") != std::string::npos);
    CHECK(kMatcher.fault_of(pattern, false).empty());
  }
  // One that would take for ever elsewhere is compared in linear time.
  CHECK_FALSE(allows("Bash(/^(a|a)*b$/)", std::string(10'000, 'a')));
  CHECK_FALSE(allows("Bash(*a*a*a*a*a*a*a*b)", std::string(10'000, 'a')));
}

TEST_CASE("a call that is approved for good becomes a pattern that allows just such calls",
          "[tools]") {
  const auto made = [](const std::string& tool, const std::string& json) {
    const AskedCall call{tool, json, "/srv/project"};
    const std::string pattern = workers::pattern_for(call);
    if (!pattern.empty()) CHECK(allows(pattern, call));
    return pattern;
  };
  CHECK(made("Bash", command("npm test")) == "Bash(npm test)");
  CHECK(
      made("Bash",
           R"({"input":{"command":"npm test"},"context":{"permission_suggestions":[)"
           R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}]}]}})") ==
      "Bash(npm test *)");
  // A suggestion that is about something else is not taken.
  CHECK(made("Bash",
             R"({"input":{"command":"npm test"},"context":{"permission_suggestions":[)"
             R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"rm *"}]}]}})") ==
        "Bash(npm test)");
  CHECK(made("Bash", command("a && b")).empty());
  CHECK(made("Edit", R"({"input":{"file_path":"src/a"}})") == "Edit(//srv/project/src/a)");
  CHECK(made("WebFetch", R"({"input":{"url":"https://example.org/x"}})") ==
        "WebFetch(domain:example.org)");
  CHECK(made("mcp__a__b", R"({"input":{}})") == "mcp__a__b");
}

TEST_CASE("a pattern that covers another is about all of its calls", "[tools]") {
  using workers::covers;
  for (const auto& [wide, narrow] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Bash", "Bash"},
           {"Bash", "Bash(make *)"},
           {"Bash(make *)", "Bash(make test)"},
           {"Bash(make:*)", "Bash(make *)"},
           {"Bash(make *)", "Bash(make:*)"},
           {"Bash(m*)", "Bash(make t*)"},
           {"Edit", "Write(src/**)"},
           {"mcp__github", "mcp__github__search"},
           {"WebFetch(domain:*.org)", "WebFetch(domain:a.org)"}}) {
    INFO(wide << " " << narrow);
    CHECK(covers(wide, narrow));
  }
  for (const auto& [wide, narrow] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Bash(make *)", "Bash"},
           {"Bash(make test)", "Bash(make *)"},
           {"Bash(make *)", "Bash(makefile)"},
           {"Bash(/make/)", "Bash(make)"},
           {"Bash", "Read"},
           {"Write", "Edit"},
           {"Edit(src/*)", "Edit(src/**)"},
           {"mcp__github__search", "mcp__github"}}) {
    INFO(wide << " " << narrow);
    CHECK_FALSE(covers(wide, narrow));
  }
}

TEST_CASE("no rule allows plans", "[tools]") {
  for (const char* pattern : {"ExitPlanMode", "ExitPlanMode(/cache/)"}) {
    CHECK(kMatcher.fault_of(pattern, true).starts_with("no rule allows ExitPlanMode"));
    CHECK(kMatcher.fault_of(pattern, false).empty());
  }
  CHECK(workers::pattern_for({"ExitPlanMode", R"({"input":{"plan":"Move it"}})", "/srv"}).empty());
}

}  // namespace
