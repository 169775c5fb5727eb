// Port: reads tool calls as agents ask for them, and compares them with the patterns of rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace domain {

// A tool call that needs an answer.
struct AskedCall {
  std::string_view tool;
  std::string_view text;     // as the content of AskRaised
  std::string_view workdir;  // absolute; the folder that the agent works in
};

// One of the things that a call does. A shell command can do several, each allowed or not.
struct CallPart {
  std::string tool;
  std::string text;      // the command, or the absolute path, or the host; empty: there is none
  bool is_plain = true;  // false: it can do more than can be read off it

  bool operator==(const CallPart&) const = default;
};

// Pure: the same call and pattern always give the same answer.
class CallMatcher {
 public:
  virtual ~CallMatcher() = default;
  // Returns what the call does, in its order; at least one part.
  virtual std::vector<CallPart> parts_of(const AskedCall& call) const = 0;
  // True if the pattern is about the part. `is_loose`: also if it only may be.
  virtual bool matches(const std::string& pattern, const CallPart& part, const AskedCall& call,
                       bool is_loose) const = 0;
  // Returns what is wrong with a pattern; empty: nothing. `is_granting`: a rule that allows has it.
  virtual std::string fault_of(const std::string& pattern, bool is_granting) const = 0;
};

}  // namespace domain
