// The aggregate of rules.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/call_matcher.hpp"
#include "eventlog/domain/rules/commands.hpp"
#include "eventlog/domain/rules/state.hpp"

namespace domain {

struct RulesStream {
  using State = RulesState;
  using Events = RulesEvents;
  using Command = RulesCommand;
  using ClientCommands = RulesClientCommands;
  using Reply = RulesReply;
  static constexpr std::string_view kPattern = "$rules";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
  static constexpr std::string_view kNoun = "rules";
};

constexpr std::string_view kRulesStream = RulesStream::kPattern;

struct RuleAnswer {
  RuleVerdict verdict = RuleVerdict::ask;
  std::int64_t rule = 0;  // that says so; 0: none is about the call

  bool operator==(const RuleAnswer&) const = default;
};

// True if a rule denies calls of that session, or has people asked.
bool has_guards(const RulesState& rules, std::string_view agent, SessionId session);

// Returns the answer of the rules that are for that session of that agent. `deny` wins over `ask`,
// and that over `allow`. A call is allowed only if each of its parts is; it is denied, and asked
// for, if one of them is. Of several rules the one for fewer sessions is named, then the one with
// the longer pattern.
RuleAnswer answer_by_rules(const RulesState& rules, std::string_view agent, SessionId session,
                           const AskedCall& call, const CallMatcher& matcher);

}  // namespace domain
