// Claude Code writes one JSON object a line to stdout, a "frame". Reading a frame keeps what a
// report needs. All other frames are either known to matter to nobody, or strange and kept whole.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eventlog/domain/session/commands.hpp"
#include "workers/engines/ask.hpp"

namespace engines {

// Comes at the start of every run, which ends with the next result.
struct InitFrame {
  domain::ReportInitialized init;
  base::TurnId run{};                   // the frame's own id
  std::vector<base::TurnId> prompts{};  // those with which the run begins; older versions: none
  std::vector<std::string> broken{};    // as McpServersReported has it
  std::vector<std::string> commands{};  // as SlashCommandsReported has them

  bool operator==(const InitFrame&) const = default;
};

// A call of the model, and what is known of its use.
struct ModelCall {
  std::string id;
  std::string model;  // empty: not said
  domain::Usage usage;

  bool operator==(const ModelCall&) const = default;
};

// One finished block of a message: text, thinking, a tool call, or a tool's result. The reports'
// turn and parent are not set yet.
using Block = std::variant<domain::ReportOutput, domain::ReportToolCallStarted,
                           domain::ReportToolCallFinished>;

struct MessageFrame {
  std::string id;           // the frame's own id; empty: not said
  std::string parent;       // the call whose subagent this is about; empty: the agent itself
  bool is_strange = false;  // it also has a block of an unknown kind
  std::vector<Block> blocks;
  ModelCall call{};  // that made the message; the output is not counted yet

  bool operator==(const MessageFrame&) const = default;
};

// What the agent says that it used of one model.
struct ModelClaim {
  std::string model;
  std::string canonical;  // the model's name without variants
  domain::Usage usage;
  base::NanoUsd cost;
  bool has_list_price = true;  // no part of the use is charged in another way than by token
  // The agent itself says that it knows the model's price, or that it does not; none: it does not
  // say it.
  std::optional<bool> is_priced{};

  bool operator==(const ModelClaim&) const = default;
};

// The end of a run.
struct ResultFrame {
  domain::ReportTurnResult result;
  std::vector<base::TurnId> prompts;  // that it answers; older versions: none
  base::TurnId run;                   // the frame's own id
  bool is_own = false;                // it says that the run began without a prompt
  // Since the result before; none: this version of the agent does not say it.
  std::optional<std::vector<ModelClaim>> since{};
  std::vector<ModelClaim> totals{};  // of the process; some versions: of the agent session
  bool is_cut_off = false;           // a call of the model did not come to its end
  bool has_odd_figures = false;      // some cannot be right, and were left out
  bool is_unresumed = false;         // there is no transcript of what the agent was to resume
  std::vector<domain::ToolCallDenied> denied{};  // in this run; their turn is not set

  bool operator==(const ResultFrame&) const = default;
};

// A new message of the model begins to stream.
struct StreamStarted {
  ModelCall call;

  bool operator==(const StreamStarted&) const = default;
};

// More is known of the use of the call whose message streams.
struct CallUsage {
  domain::Usage usage;
  bool has_input = false;  // else only the output counts
  bool is_last = false;    // the model has said all that it wanted to, and calls no tool

  bool operator==(const CallUsage&) const = default;
};

// The tasks in the background that run now.
struct TasksChanged {
  std::int64_t tasks = 0;
  std::string text;            // what they are to do
  std::int64_t subagents = 0;  // of these tasks: all but those that are known to be shell commands

  bool operator==(const TasksChanged&) const = default;
};

// The agent begins to work, or comes to rest. Newer versions say it.
struct StateChanged {
  bool is_idle = false;

  bool operator==(const StateChanged&) const = default;
};

// More of the text block that the main agent is writing.
struct TextDelta {
  std::string text;

  bool operator==(const TextDelta&) const = default;
};

// A request of the agent to its host, which waits for the answer.
struct AgentRequest {
  Ask ask;              // older versions do not name the call
  std::string agent{};  // the task of the subagent that asks; empty: the agent itself

  bool operator==(const AgentRequest&) const = default;
};

// The agent's answer to a request of its host.
struct HostAnswered {
  std::string id;       // the host's, of the request
  std::string refusal;  // the agent's words
  bool is_refused = false;

  bool operator==(const HostAnswered&) const = default;
};

// The agent does not wait for that answer any more.
struct RequestWithdrawn {
  std::string id;

  bool operator==(const RequestWithdrawn&) const = default;
};

// The agent has denied a tool call by itself; the call's result, an error, follows.
struct CallDenied {
  std::string call;

  bool operator==(const CallDenied&) const = default;
};

// The agent tells its host something. Its turn is not set yet.
struct NoteFrame {
  domain::ReportAgentNoted note;
  bool is_refusal = false;  // it can say why the prompt is not given to the model

  bool operator==(const NoteFrame&) const = default;
};

enum class PromptState { other, started, cancelled };

// What becomes of a prompt, or of a message that the agent wrote to itself.
struct PromptLifecycle {
  base::TurnId prompt;
  PromptState state = PromptState::other;
  bool is_wake_up = false;  // the agent had asked to be woken by it

  bool operator==(const PromptLifecycle&) const = default;
};

// A fact that is recorded as the frame tells it. Its turn is not set yet.
using Notice = std::variant<domain::ModelCallRetried, domain::ModelFellBack,
                            domain::RateLimitReported, domain::ContextCompacted,
                            domain::AgentStatusReported, domain::TranscriptWritesLost>;

// A task in the background, or a subagent, has ended.
struct TaskEnded {
  std::string task;            // the agent's id of it
  std::string call;            // the tool call that had started it; empty: not said
  bool is_background = false;  // else a tool of the run, which goes on

  bool operator==(const TaskEnded&) const = default;
};

// The conversation was cleared: a new agent session follows, whose running totals begin at zero.
struct ConversationReset {
  bool operator==(const ConversationReset&) const = default;
};

struct KnownFrame {  // needs no report
  bool operator==(const KnownFrame&) const = default;
};

struct StrangeFrame {
  domain::LineFault fault = domain::LineFault::unknown_kind;

  bool operator==(const StrangeFrame&) const = default;
};

using Frame = std::variant<InitFrame, MessageFrame, ResultFrame, StreamStarted, CallUsage,
                           TextDelta, AgentRequest, HostAnswered, RequestWithdrawn, CallDenied,
                           NoteFrame, PromptLifecycle, TasksChanged, StateChanged, Notice,
                           TaskEnded, ConversationReset, KnownFrame, StrangeFrame>;

// What a tool by which the agent asks its user is about; permission: it is another tool.
AskKind kind_of_ask(const std::string& tool);

// Reads any bytes as a frame.
Frame read_frame(base::ByteView line);

}  // namespace engines
