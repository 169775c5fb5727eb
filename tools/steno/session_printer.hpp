// Prints what a session's agent says and does, event by event.
#pragma once

#include <string>

#include "tools/steno/event_view.hpp"

namespace steno {

// Text goes to stdout: on a terminal made safe, and as it comes; elsewhere in finished blocks, as
// it is. What the agent does, and what goes wrong, are remarks on stderr.
class SessionPrinter {
 public:
  explicit SessionPrinter(bool is_terminal) : is_terminal_(is_terminal) {}

  // `seen` with its content, however large.
  void show(const SeenEvent& seen);
  // Ends a line that is only half printed.
  void end_line();

 private:
  void on(const session::OutputRecorded& event, const std::string& text);
  void on(const session::PartialOutputRecorded& event, const std::string& text);
  void on(const session::ToolCallStarted& event, const std::string& input);
  void on(const session::TurnFailed& event, const std::string& text);
  void on(const session::TurnInterrupted& event, const std::string& text);
  void on(const session::AgentStartFailed& event, const std::string& text);
  void on(const session::AgentExited& event, const std::string& stderr_tail);
  template <class Event>
  void on(const Event&, const std::string&) {}

  void say(std::string_view text);
  void note(const std::string& line);

  const bool is_terminal_;
  std::string partial_;  // of the block that is being said: what has been printed
  bool is_mid_line_ = false;
};

}  // namespace steno
