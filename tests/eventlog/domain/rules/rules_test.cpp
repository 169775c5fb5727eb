// Rules answer what agents ask: deny wins over ask, and that over allow.
#include "eventlog/domain/rules/rules.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::turn;

const std::string kRules(kRulesStream);

// Takes a call apart at commas; a pattern is about a part that begins so. "?" can be anything.
class PlainMatcher final : public CallMatcher {
 public:
  std::vector<CallPart> parts_of(const AskedCall& call) const override {
    std::vector<CallPart> parts;
    for (std::string_view rest = call.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      parts.push_back({std::string(call.tool), std::string(rest.substr(0, end)), rest[0] != '?'});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return parts;
  }
  bool matches(const std::string& pattern, const CallPart& part, const AskedCall&,
               bool is_loose) const override {
    return part.is_plain ? part.text.starts_with(pattern) : is_loose;
  }
  std::string fault_of(const std::string& pattern, bool) const override {
    return pattern == "bad" ? "no pattern" : "";
  }
};
const PlainMatcher kMatcher;

RulesState rules_with(std::vector<Rule> rules) {
  RulesState state;
  for (Rule& rule : rules) {
    rule.rule = ++state.added;
    state.rules[rule.rule] = rule;
  }
  return state;
}

Rule rule_of(const std::string& pattern, RuleVerdict verdict, const std::string& agent = "",
             SessionId session = {}) {
  return {0, agent, session, pattern, verdict};
}

RuleAnswer answer_to(const std::vector<Rule>& rules, std::string_view text) {
  return answer_by_rules(rules_with(rules), "main", support::kSession, {"Bash", text, "/srv"},
                         kMatcher);
}

TEST_CASE("without a rule people are asked", "[session]") {
  CHECK(answer_to({}, "make") == RuleAnswer{});
  CHECK(answer_to({rule_of("npm", RuleVerdict::allow)}, "make") == RuleAnswer{});
}

TEST_CASE("each part needs a rule that allows it, and one that is denied denies all",
          "[session][N05]") {
  const std::vector<Rule> rules = {
      rule_of("make", RuleVerdict::allow), rule_of("npm", RuleVerdict::allow),
      rule_of("git push", RuleVerdict::deny), rule_of("make install", RuleVerdict::ask)};
  CHECK(answer_to(rules, "make test,npm test") == RuleAnswer{RuleVerdict::allow, 1});
  CHECK(answer_to(rules, "make,rm -rf /") == RuleAnswer{});
  CHECK(answer_to(rules, "make,git push") == RuleAnswer{RuleVerdict::deny, 3});
  CHECK(answer_to(rules, "make,make install") == RuleAnswer{RuleVerdict::ask, 4});
  CHECK(answer_to(rules, "make install,git push") == RuleAnswer{RuleVerdict::deny, 3});
}

TEST_CASE("what cannot be read off is denied by what may be about it, and allowed by nothing",
          "[session]") {
  CHECK(answer_to({rule_of("make", RuleVerdict::allow)}, "?make") == RuleAnswer{});
  CHECK(answer_to({rule_of("x", RuleVerdict::deny)}, "?make") == RuleAnswer{RuleVerdict::deny, 1});
}

TEST_CASE("a rule is for its agent and its session, and the more special one is named",
          "[session]") {
  CHECK(answer_to({rule_of("make", RuleVerdict::allow, "other")}, "make") == RuleAnswer{});
  CHECK(answer_to({rule_of("make", RuleVerdict::allow, "main", support::numbered<SessionId>(7))},
                  "make") == RuleAnswer{});
  CHECK(answer_to({rule_of("make", RuleVerdict::allow),
                   rule_of("ma", RuleVerdict::allow, "main", support::kSession),
                   rule_of("make", RuleVerdict::allow, "main")},
                  "make")
            .rule == 2);
  CHECK(answer_to({rule_of("m", RuleVerdict::allow), rule_of("make", RuleVerdict::allow)}, "make")
            .rule == 2);
}

ReportAskRaised asks(AskKind kind, const std::string& text) {
  return {1, kind, turn(1), "Bash", "call", text};
}

support::When decided(RuleVerdict verdict, const ReportAskRaised& asked) {
  support::Given world =
      given(support::running(), fact(RuleAdded{1, "", {}, "make", verdict}).on(kRules));
  world.context.calls = &kMatcher;
  world.context.limits.sinks.fill(true);
  return world.when(support::report(3, asked));
}

TEST_CASE("a rule answers in the decision that records what is asked, and nobody is told",
          "[session]") {
  for (const RuleVerdict verdict : {RuleVerdict::allow, RuleVerdict::deny}) {
    const auto when = decided(verdict, asks(AskKind::approval, "make"));
    REQUIRE(when.outcome());
    REQUIRE(when.outcome()->size() == 2);
    const auto& answer = (*when.outcome())[1].event.get<AskAnswered>();
    CHECK(answer.basis == AskBasis::rule);
    CHECK(answer.rule == 1);
    CHECK((answer.verdict == AskVerdict::granted) == (verdict == RuleVerdict::allow));
    CHECK((*when.outcome())[1].content.text.empty() == (verdict == RuleVerdict::allow));
  }
  const auto asked = decided(RuleVerdict::ask, asks(AskKind::approval, "make"));
  REQUIRE(asked.outcome()->size() > 1);
  const auto& raised = asked.outcome()->front().event.get<AskRaised>();
  CHECK(raised.rule == 1);
  CHECK(raised.pattern == "make");
  // A question has no answer in a rule.
  const auto question = decided(RuleVerdict::allow, asks(AskKind::question, "make"));
  CHECK_FALSE((*question.outcome())[1].event.is<AskAnswered>());
}

TEST_CASE("a call that hooks have changed is held against the rules again", "[session]") {
  const auto concluded = [](RuleVerdict verdict, AskKind kind, const std::string& text) {
    const HookPoint point = kind == AskKind::step ? HookPoint::pre_tool_use : HookPoint::none;
    support::Given world =
        given(support::running() +
                  fact(AskRaised{1, 1, kind, turn(1), "Bash", "call", point}).by_report(1, 3),
              fact(RuleAdded{1, "", {}, "make", verdict}).on(kRules));
    world.context.calls = &kMatcher;
    const auto when = world.when(ConcludeHooks{1, AskVerdict::granted, text, {}});
    REQUIRE(when.outcome());
    return when.outcome()->front().event.get<AskAnswered>().verdict;
  };
  const std::string changed = "make";
  CHECK(concluded(RuleVerdict::deny, AskKind::step, changed) == AskVerdict::denied);
  CHECK(concluded(RuleVerdict::ask, AskKind::step, changed) == AskVerdict::denied);
  CHECK(concluded(RuleVerdict::allow, AskKind::step, changed) == AskVerdict::granted);
  CHECK(concluded(RuleVerdict::deny, AskKind::step, {}) == AskVerdict::granted);
}

TEST_CASE("rules are added and removed", "[session]") {
  support::Given world = given();
  world.context = support::context_of(StreamRef{RulesStream::kPattern, {}, {}}, support::kCommand);
  world.context.calls = &kMatcher;
  const AddRule add{"main", {}, "make", RuleVerdict::allow};
  const auto added =
      world.when(RulesCommand(add)).then(RuleAdded{1, "main", {}, "make", RuleVerdict::allow});
  added.when(RulesCommand(add)).then_rejected(RejectionCode::already_exists);
  added.when(RulesCommand(RemoveRule{2})).then_rejected(RejectionCode::not_found);
  const auto removed = added.when(RulesCommand(RemoveRule{1})).then(RuleRemoved{1});
  // A number is never given twice.
  removed.when(RulesCommand(add)).then(RuleAdded{2, "main", {}, "make", RuleVerdict::allow});
  world.when(RulesCommand(AddRule{"main", {}, "bad", RuleVerdict::allow}))
      .then_rejected(RejectionCode::invalid);
  world.when(RulesCommand(AddRule{"no agent", {}, "make", RuleVerdict::allow}))
      .then_rejected(RejectionCode::invalid);
  world.when(RulesCommand(AddRule{"", support::kSession, "make", RuleVerdict::allow}))
      .then_rejected(RejectionCode::invalid);
  world.when(RulesCommand(AddRule{"main", {}, std::string(2'000, 'x'), RuleVerdict::allow}))
      .then_rejected(RejectionCode::invalid);
}

}  // namespace
}  // namespace domain
