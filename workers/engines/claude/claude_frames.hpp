// What Claude Code writes to stdout: one JSON object a line, a "frame". Reading one keeps what a
// report is made of; all else is either known to matter to nobody, or strange and kept whole.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "eventlog/domain/session/commands.hpp"

namespace engines {

// At the start of every turn.
struct InitFrame {
  domain::ReportInitialized init;
};

// One finished block of a message: something said, a tool call, or a tool's result. The reports'
// turn and parent are not set yet.
using Block = std::variant<domain::ReportOutput, domain::ReportToolCallStarted,
                           domain::ReportToolCallFinished>;

struct MessageFrame {
  std::string parent;       // the call whose subagent this is about; empty: the agent itself
  bool is_strange = false;  // it has a block of an unknown kind, too
  std::vector<Block> blocks;
};

// The end of a turn.
struct ResultFrame {
  domain::ReportTurnResult result;
  std::vector<std::string> prompts;  // uuids of the user messages that it answers; may be empty
};

// A new message of the model begins to stream.
struct StreamStarted {};

// More of the text block that the main agent is saying.
struct TextDelta {
  std::string text;
};

// The agent asks its host, and waits for the answer.
struct AgentRequest {
  std::string id;
  bool is_permission = false;
  std::string call;  // the tool call that a permission is asked for; older versions do not say
};

// The agent has denied a tool call by itself; the call's result, an error, follows.
struct CallDenied {
  std::string call;
};

// A user message that was accepted has been dropped without a result.
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

// Total: any bytes are a frame.
Frame read_frame(base::ByteView line);

}  // namespace engines
