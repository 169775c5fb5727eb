// One-line summaries of tool calls as their events pass: of a call's start, and of its failure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace workers {

// Comes before each line that is of a subagent of the agent's.
inline constexpr std::string_view kSubagentMark = "  │ ";

// Remembers calls from their start to their end. At 1,000 open calls it forgets all of them at
// once.
class ToolCalls {
 public:
  // Returns "🔧 Bash — make test". `input` is the call's input as JSON; empty: unknown.
  std::string begin(const std::string& call, std::string_view tool, std::string_view input);
  // Returns "✗ Bash — make test: failed: no such target", or "denied", with the beginning of
  // `output`, which can be empty. What only the model is to know of a denial is left out.
  std::string fail(const std::string& call, bool is_denied, std::string_view output);
  // As fail(), of a call that a person has denied: take_denied() does not have it.
  std::string refuse(const std::string& call, std::string_view output);
  // Forgets a call that ended well.
  void end(const std::string& call) { calls_.erase(call); }
  // As fail(), of a denied call whose result came before. Returns what it was: "Write — notes.txt",
  // or the tool alone.
  std::string deny(const std::string& call, std::string_view tool);
  // Returns the calls without an end, and forgets them: "Bash — make test".
  std::vector<std::string> take_open();
  // Returns the first 100 calls denied since the last call of this function: "Bash — make test".
  std::vector<std::string> take_denied();

 private:
  std::map<std::string, std::string> calls_;   // by id, as "Bash — make test"
  std::map<std::string, std::string> failed_;  // likewise, since the last take_denied()
  std::vector<std::string> denied_;
};

}  // namespace workers
