// Reads the rules of other programs as patterns of ours, and writes the first form:
//
//   {"alwaysApprove": {"exec:ls *": true, "Read:*.md": true}, "history": […]}
//   {"permissions": {"allow": ["Bash(npm test:*)"], "ask": […], "deny": ["Read(./.env)"]}}
//
// The first is the approvals.json of OpenClaw, the second a settings.json of Claude Code. A file
// can hold both. What a rule of ours cannot say, or would say of more calls, is refused by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/result.hpp"
#include "eventlog/domain/rules/events.hpp"

namespace workers {

// What became of one entry of the file.
struct ForeignRule {
  std::string entry;  // as the file has it
  domain::RuleVerdict verdict = domain::RuleVerdict::allow;
  std::vector<std::string> patterns{};  // each becomes a rule; none: it becomes nothing
  std::string note{};                   // why not, or what to know of it; empty: nothing
  bool is_fault = false;                // it asks for a rule that cannot be said

  bool operator==(const ForeignRule&) const = default;
};

struct ForeignRules {
  std::vector<ForeignRule> rules;   // what denies first, then what asks, then what allows
  std::vector<std::string> others;  // what else the file says, and is not taken over

  bool operator==(const ForeignRules&) const = default;
};

// `home`: absolute path of the folder that "~" stands for. Errors: invalid, for a text that is no
// such file, or has more entries than there can be rules.
base::Result<ForeignRules> read_foreign_rules(std::string_view text, const std::string& home);

// Returns the entry of alwaysApprove that is read as a rule that allows `pattern`: "exec:ls *" for
// "Bash(ls *)". None: no entry is.
std::optional<std::string> approval_entry(const std::string& pattern);
// Returns the word of an approvals.json for a tool: "exec" for "Bash".
std::string approval_tool(const std::string& tool);

}  // namespace workers
