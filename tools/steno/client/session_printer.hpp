// Prints what a session's agent says and does, event by event.
#pragma once

#include <string>

#include "tools/steno/json/event_view.hpp"
#include "tools/steno/json/tool_calls.hpp"

namespace steno {

// Begins each line of what a subagent said or did.
inline constexpr std::string_view kSubagentMark = "  │ ";

// Text goes to stdout: on a terminal made safe, and as it comes; elsewhere in finished blocks, as
// it is. What the agent and its subagents do, what subagents say, and what goes wrong, are remarks
// on stderr.
class SessionPrinter {
 public:
  // `calls` outlives it.
  SessionPrinter(bool is_terminal, ToolCalls& calls) : is_terminal_(is_terminal), calls_(calls) {}

  // `seen` with its content, however large.
  void show(const SeenEvent& seen);
  // Ends a line that is only half printed.
  void end_line();

 private:
  void on(const domain::OutputRecorded& event, const std::string& text);
  void on(const domain::PartialOutputRecorded& event, const std::string& text);
  void on(const domain::ToolCallStarted& event, const std::string& input);
  void on(const domain::ToolCallFinished& event, const std::string& output);
  void on(const domain::TurnFinished& event, const std::string& text);
  void on(const domain::TurnFailed& event, const std::string& text);
  void on(const domain::TurnInterrupted& event, const std::string& text);
  void on(const domain::AgentStartFailed& event, const std::string& text);
  void on(const domain::AgentExited& event, const std::string& stderr_tail);
  template <class Event>
  void on(const Event&, const std::string&) {}

  // What is said next is of another block.
  void end_block();
  void say(std::string_view text);
  // `parent`: the call whose subagent it comes from; empty: the agent itself.
  void note(std::string_view parent, const std::string& line);

  const bool is_terminal_;
  ToolCalls& calls_;
  std::string partial_;  // of the block that is being said: what has been printed
  bool is_mid_line_ = false;
};

}  // namespace steno
