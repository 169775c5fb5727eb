// Compares tool calls with patterns in the language of Claude Code's permissions:
//
//   Bash                 every call of the tool
//   Bash(make test)      that command
//   Bash(npm run *)      commands that begin so; "Bash(npm run:*)" means the same
//   Edit(src/**)         files below a folder of the session; ** stands for any folders, * for a
//                        part of a name. "//etc/**" begins at the root. Edit is about all tools
//                        that change files, Read about all that read or list them
//   WebFetch(domain:example.org)
//   mcp__github          every tool of that server; mcp__github__* and mcp__github__search likewise
//   Bash(/^git (log|diff)\b/)   a regular expression (RE2), of the command or of a tool's input
//
// Source: code.claude.com, "Configure permissions"; a shell command is taken apart at && || ; | and
// line feeds, and each part needs a rule that allows it.
#pragma once

#include "eventlog/domain/call_matcher.hpp"

namespace workers {

// Reads nothing but what it is given, and finds no links. Used by any thread.
class PatternMatcher final : public domain::CallMatcher {
 public:
  std::vector<domain::CallPart> parts_of(const domain::AskedCall& call) const override;
  bool matches(const std::string& pattern, const domain::CallPart& part,
               const domain::AskedCall& call, bool is_loose) const override;
  std::string fault_of(const std::string& pattern, bool is_granting) const override;
};

// True if every call that `narrow` is about is one of `wide`, too. False also where that is hard to
// tell. Both must be patterns without a fault.
bool covers(const std::string& wide, const std::string& narrow);

// Returns the pattern that allows this call from now on: what the agent itself suggests for it,
// else just this call. Empty: there is none.
std::string pattern_for(const domain::AskedCall& call);

}  // namespace workers
