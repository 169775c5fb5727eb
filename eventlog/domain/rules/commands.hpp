// Requests about rules.
#pragma once

#include "eventlog/base/sealed_variant.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/rules/state.hpp"

namespace domain {

struct AddRule {
  static constexpr std::string_view kType = "AddRule";
  std::string agent;  // empty: of all agents
  SessionId session;  // unset: for all sessions
  std::string pattern;
  RuleVerdict verdict = RuleVerdict::ask;

  bool operator==(const AddRule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &AddRule::agent);
    visit("session", &AddRule::session);
    visit("pattern", &AddRule::pattern);
    visit("verdict", &AddRule::verdict);
  }
};

struct RemoveRule {
  static constexpr std::string_view kType = "RemoveRule";
  std::int64_t rule = 0;

  bool operator==(const RemoveRule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rule", &RemoveRule::rule);
  }
};

using RulesClientCommands = base::Types<AddRule, RemoveRule>;
using RulesCommand = base::SealedVariant<RulesClientCommands>;

struct RulesReply {
  std::int64_t rule = 0;  // that was added last

  bool operator==(const RulesReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rule", &RulesReply::rule);
  }
};

void reads(const RulesCommand& command, const StreamRef& target, Reads& further);
void reads_further(const RulesCommand& command, const StreamRef& target, const States& states,
                   Reads& further);
Decided decide(const RulesCommand& command, const States& states, const Context& context);
RulesReply reply(const RulesState& state, const RulesCommand& command);

}  // namespace domain

extern template class base::SealedVariant<domain::RulesClientCommands>;
