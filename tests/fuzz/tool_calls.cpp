// Tool calls that ask for approval, the patterns of rules, and files of other programs' rules.
#include "tests/fuzz/fuzz.hpp"
#include "workers/rules/foreign_rules.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/ask_risk.hpp"

using fuzz::require;

namespace {

void read_file(base::ByteView text) {
  const auto read = workers::read_foreign_rules(text, "/home/u");
  if (!read) return;
  const workers::PatternMatcher matcher;
  for (const workers::ForeignRule& rule : read->rules) {
    require(!rule.patterns.empty() || !rule.note.empty(), "what becomes no rule says why");
    require(!rule.is_fault || rule.patterns.empty(), "what is refused becomes no rule");
    for (const std::string& pattern : rule.patterns) {
      const bool is_granting = rule.verdict == domain::RuleVerdict::allow;
      require(matcher.fault_of(pattern, is_granting).empty(), "what is read can be added");
    }
  }
}

}  // namespace

// A pattern, a tool, and what the agent says of the call; or a file.
void fuzz::run(ByteView in) {
  read_file(in);
  Source source(in);
  const std::string pattern(source.piece());
  const ByteView tool = source.piece();
  const ByteView text = source.rest();
  const domain::AskedCall call{tool, text, "/srv/project"};
  const workers::PatternMatcher matcher;

  const auto parts = matcher.parts_of(call);
  require(!parts.empty(), "a call does something");
  for (const auto& part : parts) {
    const bool may_match = matcher.matches(pattern, part, call, true);
    if (matcher.matches(pattern, part, call, false)) {
      require(may_match, "a pattern that is about a part may be about it");
    }
  }
  if (matcher.fault_of(pattern, true).empty()) {
    require(matcher.fault_of(pattern, false).empty(), "what can allow can deny");
  }

  const std::string suggested = workers::pattern_for(call);
  require(suggested.empty() || matcher.fault_of(suggested, true).empty(),
          "a pattern that is suggested can be a rule");
  for (const auto& part : parts) {
    require(suggested.empty() || matcher.matches(suggested, part, call, false),
            "a pattern that is suggested is about the call");
  }

  const auto asked = workers::read_ask(text);
  workers::risk_of(tool, asked);
  workers::ask_lines(domain::AskKind::question, asked);
  const std::string answers = workers::answers_of(asked, pattern);
  require(asked.questions.empty() || answers != "[]", "an answer says something");
}
