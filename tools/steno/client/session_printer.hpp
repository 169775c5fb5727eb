// Prints a session's agent output and actions, event by event.
#pragma once

#include <cstddef>
#include <string>

#include "eventlog/domain/session/events.hpp"
#include "workers/json/event_json.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/tool_calls.hpp"

namespace steno {

// True if the printer shows all of what is asked.
bool is_shown_whole(domain::AskKind kind, const workers::AskText& ask);

// Text goes to stdout as it comes: on a terminal made safe, elsewhere unchanged. A block whose end
// is not what its pieces began with is printed anew. Tool calls, subagents' text and failures are
// remarks on stderr.
class SessionPrinter {
 public:
  // `calls` must outlive the printer.
  SessionPrinter(bool is_terminal, workers::ToolCalls& calls)
      : is_terminal_(is_terminal), calls_(calls) {}

  // Prints one event. `seen` carries its whole content, however large.
  void show(const workers::SeenEvent& seen);
  // Prints what an agent asks of people. `left_out`: so many bytes of it are not in `text`.
  void show_ask(const domain::AskRaised& asked, const std::string& text, std::int64_t left_out);
  // Ends a line that is half printed.
  void end_line();
  // The columns of that line; 0: none is half printed.
  std::size_t columns() const { return is_mid_line_ ? columns_ : 0; }
  // Somebody else has ended it.
  void line_has_ended() { is_mid_line_ = false; }

 private:
  void on(const domain::OutputRecorded& event, const std::string& text);
  void on(const domain::PartialOutputRecorded& event, const std::string& text);
  void on(const domain::ToolCallStarted& event, const std::string& input);
  void on(const domain::ToolCallFinished& event, const std::string& output);
  void on(const domain::OwnTurnStarted& event, const std::string& text);
  void on(const domain::TasksChanged& event, const std::string& text);
  void on(const domain::ModelCallRetried& event, const std::string& text);
  void on(const domain::ModelFellBack& event, const std::string& text);
  void on(const domain::TurnReturned& event, const std::string& text);
  void on(const domain::PromptInjected& event, const std::string& text);
  void on(const domain::ToolCallDenied& event, const std::string& text);
  void on(const domain::AgentNoted& event, const std::string& text);
  void on(const domain::McpServersReported& event, const std::string& text);
  void on(const domain::HookRan& event, const std::string& text);
  void on(const domain::AskRaised& event, const std::string& text) { show_ask(event, text, 0); }
  void on(const domain::AskAnswered& event, const std::string& text);
  void on(const domain::AskClosed& event, const std::string& text);
  void on(const domain::AgentSilenceReported& event, const std::string& text);
  void on(const domain::RateLimitReported& event, const std::string& text);
  void on(const domain::ContextCompacted& event, const std::string& text);
  void on(const domain::AgentStatusReported& event, const std::string& text);
  void on(const domain::ToolCallsRepeated& event, const std::string& text);
  void on(const domain::AgentSessionLost& event, const std::string& text);
  void on(const domain::TranscriptWritesLost& event, const std::string& text);
  void on(const domain::AgentSessionShared& event, const std::string& text);
  void on(const domain::TasksLost& event, const std::string& text);
  void on(const domain::QueuePaused& event, const std::string& text);
  void on(const domain::TurnFinished& event, const std::string& text);
  void on(const domain::TurnFailed& event, const std::string& text);
  void on(const domain::TurnInterrupted& event, const std::string& text);
  void on(const domain::AgentStartFailed& event, const std::string& text);
  void on(const domain::AgentExited& event, const std::string& stderr_tail);
  template <class Event>
  void on(const Event&, const std::string&) {}

  // Marks the end of a block; later text belongs to another one.
  void end_block();
  void say(std::string_view text);
  // `parent` is the call whose subagent this is about; empty: the agent itself.
  void note(std::string_view parent, const std::string& line);

  const bool is_terminal_;
  workers::ToolCalls& calls_;
  std::string partial_;    // text of the current block that has been printed
  std::string last_said_;  // the last whole block
  bool is_mid_line_ = false;
  std::size_t columns_ = 0;  // of the line that is half printed
};

}  // namespace steno
