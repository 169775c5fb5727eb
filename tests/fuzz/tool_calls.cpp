// Tool calls that ask for approval, and the patterns of rules.
#include "tests/fuzz/fuzz.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/ask_risk.hpp"

using fuzz::require;

// A pattern, a tool, and what the agent says of the call.
void fuzz::run(ByteView in) {
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
