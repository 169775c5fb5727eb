// Claude Code writes one JSON object a line to stdout, a "frame". Reading a frame keeps what a
// report needs. All other frames are either known to matter to nobody, or strange and kept whole.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "eventlog/domain/session/commands.hpp"

namespace engines {

// Comes at the start of every run, which ends with the next result.
struct InitFrame {
  domain::ReportInitialized init;
  base::TurnId run{};                   // the frame's own id
  std::vector<base::TurnId> prompts{};  // those with which the run begins; older versions: none
};

// One finished block of a message: text, thinking, a tool call, or a tool's result. The reports'
// turn and parent are not set yet.
using Block = std::variant<domain::ReportOutput, domain::ReportToolCallStarted,
                           domain::ReportToolCallFinished>;

struct MessageFrame {
  std::string parent;       // the call whose subagent this is about; empty: the agent itself
  bool is_strange = false;  // it also has a block of an unknown kind
  std::vector<Block> blocks;
};

// The end of a run.
struct ResultFrame {
  domain::ReportTurnResult result;
  std::vector<base::TurnId> prompts;  // that it answers; older versions: none
  base::TurnId run;                   // the frame's own id
  bool is_own = false;                // it says that the run began without a prompt
};

// A new message of the model begins to stream.
struct StreamStarted {};

// More of the text block that the main agent is writing.
struct TextDelta {
  std::string text;
};

// A request of the agent to its host, which waits for the answer.
struct AgentRequest {
  std::string id;
  bool is_permission = false;
  std::string call;  // the tool call that needs the permission; older versions leave it out
};

// The agent has denied a tool call by itself; the call's result, an error, follows.
struct CallDenied {
  std::string call;
};

enum class PromptState { other, started, cancelled };

// What becomes of a prompt, or of a message that the agent wrote to itself.
struct PromptLifecycle {
  base::TurnId prompt;
  PromptState state = PromptState::other;
  bool is_wake_up = false;  // the agent had asked to be woken by it
};

// A task in the background, or a subagent, has ended.
struct TaskEnded {
  std::string task;            // the agent's id of it
  std::string call;            // the tool call that had started it; empty: not said
  bool is_background = false;  // else a tool of the run, which goes on
};

// The conversation was cleared: a new agent session follows, whose running totals begin at zero.
struct ConversationReset {};

struct KnownFrame {};  // needs no report

struct StrangeFrame {
  domain::LineFault fault = domain::LineFault::unknown_kind;
};

using Frame = std::variant<InitFrame, MessageFrame, ResultFrame, StreamStarted, TextDelta,
                           AgentRequest, CallDenied, PromptLifecycle, TaskEnded, ConversationReset,
                           KnownFrame, StrangeFrame>;

// Reads any bytes as a frame.
Frame read_frame(base::ByteView line);

}  // namespace engines
