// A rule that is tried is for all agents, so that it counts whatever call it is held against.
#include "tools/steno/client/known_rules.hpp"

#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

using domain::Rule;
using domain::RuleVerdict;

RuleSessions sessions_of(Connection& connection, const std::vector<Rule>& rules) {
  RuleSessions sessions;
  for (const Rule& rule : rules) {
    if (!rule.session.is_set() || sessions.contains(rule.session)) continue;
    workers::QueryBody query;
    query.agent = rule.agent;
    query.reference = rule.session.text();
    const auto shown = connection.ask<workers::ShowAnswer>(workers::kVerbShow, query);
    sessions[rule.session] = shown ? shown->session.alias : query.reference;
  }
  return sessions;
}

std::string scope_text(const Rule& rule, const RuleSessions& sessions) {
  if (rule.session.is_set()) {
    const auto found = sessions.find(rule.session);
    return "session " + (found == sessions.end() ? rule.session.text() : found->second);
  }
  return rule.agent.empty() ? "all agents" : "agent " + rule.agent;
}

std::string KnownRules::text_of(std::int64_t number) const {
  const Rule& rule = state.rules.at(number);
  return std::string(base::enum_name(rule.verdict)) + " " + workers::safe_line(rule.pattern) +
         (is_stored(number)
              ? " (rule " + std::to_string(number) + ", " + scope_text(rule, sessions) + ")"
              : " (tried, not stored)");
}

Outcome<workers::RulesAnswer> ask_rules(Connection& connection) {
  return connection.ask<workers::RulesAnswer>(workers::kVerbRules, workers::QueryBody{});
}

Outcome<KnownRules> known_rules(Connection& connection, const RuleArguments& arguments) {
  const auto answer = ask_rules(connection);
  if (!answer) return tl::unexpected(answer.error());
  KnownRules known;
  known.sessions = sessions_of(connection, answer->rules);
  for (const Rule& rule : answer->rules) {
    known.state.rules[rule.rule] = rule;
    known.last_stored = std::max(known.last_stored, rule.rule);
  }
  const workers::PatternMatcher matcher;
  std::int64_t next = known.last_stored;
  for (const auto& [patterns, verdict] : {std::pair(&arguments.allowed, RuleVerdict::allow),
                                          std::pair(&arguments.denied, RuleVerdict::deny),
                                          std::pair(&arguments.asked, RuleVerdict::ask)}) {
    for (const std::string& pattern : *patterns) {
      const std::string fault = matcher.fault_of(pattern, verdict == RuleVerdict::allow);
      if (!fault.empty()) return fail(kExitUsage, fault);
      Rule rule;
      rule.rule = ++next;
      rule.pattern = pattern;
      rule.verdict = verdict;
      known.state.rules[rule.rule] = std::move(rule);
    }
  }
  return known;
}

}  // namespace steno
