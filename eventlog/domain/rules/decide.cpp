// Decides about rules, and what they answer.
#include <algorithm>

#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/rules/rules.hpp"

namespace domain {
namespace {

Decided decide_one(const RulesState& s, const Context& context, const AddRule& c) {
  if (c.pattern.size() > kPatternBytesMax) {
    return reject(RejectionCode::invalid,
                  "the pattern has more than " + std::to_string(kPatternBytesMax) + " bytes");
  }
  if (context.calls == nullptr) {
    return reject(RejectionCode::refused, "this server cannot compare calls with patterns");
  }
  const std::string fault = context.calls->fault_of(c.pattern, c.verdict == RuleVerdict::allow);
  if (!fault.empty()) return reject(RejectionCode::invalid, fault);
  if (!c.agent.empty() && !is_agent_name(c.agent)) {
    return reject(RejectionCode::invalid, "'" + c.agent + "' is no agent's name");
  }
  if (c.session.is_set() && c.agent.empty()) {
    return reject(RejectionCode::invalid, "a rule for one session names its agent, too");
  }
  for (const auto& [number, rule] : s.rules) {
    const bool is_same = rule.agent == c.agent && rule.session == c.session &&
                         rule.pattern == c.pattern && rule.verdict == c.verdict;
    if (is_same) {
      return reject(RejectionCode::already_exists,
                    "rule " + std::to_string(number) + " says so already");
    }
  }
  if (s.rules.size() >= kRulesMax) {
    return reject(RejectionCode::limit_reached, "there are " + std::to_string(kRulesMax) +
                                                    " rules, the most; steno rules rm removes one");
  }
  Decision decision;
  decision.emit<RulesStream>(RuleAdded{s.added + 1, c.agent, c.session, c.pattern, c.verdict});
  return decision;
}

Decided decide_one(const RulesState& s, const Context&, const RemoveRule& c) {
  if (!s.rules.contains(c.rule)) {
    return reject(RejectionCode::not_found,
                  "there is no rule " + std::to_string(c.rule) + "; steno rules ls lists them");
  }
  Decision decision;
  decision.emit<RulesStream>(RuleRemoved{c.rule});
  return decision;
}

// Puts the more special one first, then the one with the longer pattern.
bool is_more_special(const Rule* a, const Rule* b) {
  const auto scope = [](const Rule* rule) {
    return rule->session.is_set() ? 2 : rule->agent.empty() ? 0 : 1;
  };
  if (scope(a) != scope(b)) return scope(a) > scope(b);
  if (a->pattern.size() != b->pattern.size()) return a->pattern.size() > b->pattern.size();
  return a->rule < b->rule;
}

}  // namespace

void reads(const RulesCommand&, const StreamRef&, Reads&) {}
void reads_further(const RulesCommand&, const StreamRef&, const States&, Reads&) {}

Decided decide(const RulesCommand& command, const States& states, const Context& context) {
  const auto& state = states.target<RulesStream>();
  return std::visit([&](const auto& c) { return decide_one(state, context, c); }, command);
}

RulesReply reply(const RulesState& state, const RulesCommand&) {
  return {state.added};
}

namespace {

bool is_rule_for(const Rule& rule, std::string_view agent, SessionId session) {
  const bool is_for_agent = rule.agent.empty() || rule.agent == agent;
  return is_for_agent && (!rule.session.is_set() || rule.session == session);
}

}  // namespace

bool has_guards(const RulesState& rules, std::string_view agent, SessionId session) {
  return std::any_of(rules.rules.begin(), rules.rules.end(), [&](const auto& entry) {
    return entry.second.verdict != RuleVerdict::allow && is_rule_for(entry.second, agent, session);
  });
}

RuleAnswer answer_by_rules(const RulesState& rules, std::string_view agent, SessionId session,
                           const AskedCall& call, const CallMatcher& matcher) {
  std::vector<const Rule*> held;
  for (const auto& [number, rule] : rules.rules) {
    if (is_rule_for(rule, agent, session)) held.push_back(&rule);
  }
  if (held.empty()) return {};
  std::sort(held.begin(), held.end(), is_more_special);
  const std::vector<CallPart> parts = matcher.parts_of(call);
  const auto first = [&](RuleVerdict verdict, const CallPart& part) -> const Rule* {
    const bool is_loose = verdict != RuleVerdict::allow;
    for (const Rule* rule : held) {
      if (rule->verdict != verdict) continue;
      if (matcher.matches(rule->pattern, part, call, is_loose)) return rule;
    }
    return nullptr;
  };
  for (const RuleVerdict verdict : {RuleVerdict::deny, RuleVerdict::ask}) {
    for (const CallPart& part : parts) {
      if (const Rule* rule = first(verdict, part)) return {verdict, rule->rule};
    }
  }
  RuleAnswer answer;
  for (const CallPart& part : parts) {
    const Rule* rule = first(RuleVerdict::allow, part);
    if (rule == nullptr) return {};
    if (answer.rule == 0) answer = {RuleVerdict::allow, rule->rule};
  }
  return answer;
}

}  // namespace domain
