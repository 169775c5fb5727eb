// Facts of rules, on the stream $rules: answers that people have given beforehand to what agents
// will ask. There is one such stream for the server.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

enum class RuleVerdict : std::uint8_t {
  ask,    // people are asked, whatever allows it
  allow,  // it is granted at once
  deny,   // it is denied at once
};

// A rule allows tool calls, denies them, or has people asked.
struct Rule {
  std::int64_t rule = 0;  // its number, from 1; never given twice
  std::string agent;      // whose sessions it is for; empty: all agents'
  SessionId session;      // the only one that it is for; unset: all
  std::string pattern;    // of the calls, see workers/rules/pattern_matcher.hpp
  RuleVerdict verdict = RuleVerdict::ask;
  std::string by{};  // who added it
  Time added{};      // wall time

  bool operator==(const Rule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rule", &Rule::rule);
    visit("agent", &Rule::agent);
    visit("session", &Rule::session);
    visit("pattern", &Rule::pattern);
    visit("verdict", &Rule::verdict);
    visit("by", &Rule::by);
    visit("added", &Rule::added);
  }
};

struct RuleAdded {
  static constexpr std::string_view kType = "RuleAdded";
  std::int64_t rule = 0;  // as Rule has it, and so has what follows
  std::string agent;
  SessionId session;
  std::string pattern;
  RuleVerdict verdict = RuleVerdict::ask;

  bool operator==(const RuleAdded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rule", &RuleAdded::rule);
    visit("agent", &RuleAdded::agent);
    visit("session", &RuleAdded::session);
    visit("pattern", &RuleAdded::pattern);
    visit("verdict", &RuleAdded::verdict);
  }
};

struct RuleRemoved {
  static constexpr std::string_view kType = "RuleRemoved";
  std::int64_t rule = 0;

  bool operator==(const RuleRemoved&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rule", &RuleRemoved::rule);
  }
};

using RulesEvents = base::Types<RuleAdded, RuleRemoved>;

}  // namespace domain

template <>
struct base::EnumNames<domain::RuleVerdict> {
  static constexpr std::string_view kNames[] = {"ask", "allow", "deny"};
};
