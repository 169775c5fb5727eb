// Claude Code writes one JSON object a line to stdout, a "frame". Reading a frame keeps what a
// report needs. All other frames are either known to matter to nobody, or strange and kept whole.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "eventlog/domain/session/commands.hpp"

namespace engines {

// Comes at the start of every turn.
struct InitFrame {
  domain::ReportInitialized init;
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

// The end of a turn.
struct ResultFrame {
  domain::ReportTurnResult result;
  std::vector<std::string> prompts;  // uuids of the user messages that it answers; can be empty
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

// An accepted user message was dropped without a result.
struct PromptCancelled {
  std::string prompt;  // its uuid
};

// The conversation was cleared: a new agent session follows, whose running totals begin at zero.
struct ConversationReset {};

struct KnownFrame {};  // needs no report

struct StrangeFrame {
  domain::LineFault fault = domain::LineFault::unknown_kind;
};

using Frame =
    std::variant<InitFrame, MessageFrame, ResultFrame, StreamStarted, TextDelta, AgentRequest,
                 CallDenied, PromptCancelled, ConversationReset, KnownFrame, StrangeFrame>;

// Reads any bytes as a frame.
Frame read_frame(base::ByteView line);

}  // namespace engines
