// The tool calls that go by: what a line says of a call's start, and of its failure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace steno {

// Remembers calls from their start to their end, 1,000 at most; then all are forgotten at once.
class ToolCalls {
 public:
  // "🔧 Bash — make test". `input` is the call's input, JSON; empty: not known.
  std::string begin(const std::string& call, std::string_view tool, std::string_view input);
  // "✗ Bash — make test: failed: no such target", or "denied", with the first line of `output`,
  // which may be empty.
  std::string fail(const std::string& call, bool is_denied, std::string_view output);
  // The call has ended well.
  void end(const std::string& call) { calls_.erase(call); }
  // What was denied since this was last asked, the first 100: "Bash — make test".
  std::vector<std::string> take_denied();

 private:
  std::map<std::string, std::string> calls_;  // by id, as "Bash — make test"
  std::vector<std::string> denied_;
};

}  // namespace steno
