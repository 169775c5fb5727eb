// Facts of a session, on its own stream <agent>/session/<id>.
#pragma once

#include <optional>

#include "eventlog/domain/content.hpp"
#include "eventlog/domain/prompt_files.hpp"
#include "eventlog/domain/session/ask.hpp"
#include "eventlog/domain/session/descriptor.hpp"
#include "eventlog/domain/session/imported.hpp"
#include "eventlog/domain/session/payer.hpp"
#include "eventlog/domain/spending.hpp"

namespace domain {

// Content: the system prompt, if one was given.
struct SessionOpened {
  static constexpr std::string_view kType = "SessionOpened";
  SessionId session;
  std::string agent;
  std::string name;   // as it was given; empty: made from the prompt, see SessionNamed
  std::string alias;  // 8 characters, unique among all sessions ever
  std::string origin_channel;
  base::Sparse<SessionSpec> spec;
  SessionId resumed_from;  // unset: a new session
  SessionId lineage;       // first session of the chain of resumes and forks; itself when new
  NanoUsd carried_cost;    // the start of the agent's own running total
  base::Sparse<Descriptor> descriptor{};
  base::Sparse<std::vector<Payer>> payers{};  // nearest first; whoever resumes a session pays
  bool is_heard = false;  // as SessionState has it, of the session that it goes on with

  bool operator==(const SessionOpened&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionOpened::session);
    visit("agent", &SessionOpened::agent);
    visit("name", &SessionOpened::name);
    visit("alias", &SessionOpened::alias);
    visit("origin_channel", &SessionOpened::origin_channel);
    visit("spec", &SessionOpened::spec);
    visit("resumed_from", &SessionOpened::resumed_from);
    visit("lineage", &SessionOpened::lineage);
    visit("carried_cost", &SessionOpened::carried_cost);
    visit("descriptor", &SessionOpened::descriptor);
    visit("payers", &SessionOpened::payers);
    visit("heard", &SessionOpened::is_heard);
  }
};

// A file goes with the prompt of the next TurnQueued or PromptInjected, which names its files in
// the order of these events. All are of one decision.
// Content: the file's bytes.
struct FileAttached {
  static constexpr std::string_view kType = "FileAttached";
  TurnId turn;

  bool operator==(const FileAttached&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &FileAttached::turn);
  }
};

// Content: the prompt. One with files can be empty.
struct TurnQueued {
  static constexpr std::string_view kType = "TurnQueued";
  TurnId turn;
  SessionId from{};     // the session that sent the prompt; unset: it was none
  Time start_before{};  // wall time at which it is too late to start it; 0: never
  base::Sparse<std::vector<FileFacts>> files{};  // that go with the prompt
  base::Sparse<std::string> place{};             // as SendPrompt has it

  bool operator==(const TurnQueued&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TurnQueued::turn);
    visit("from", &TurnQueued::from);
    visit("start_before", &TurnQueued::start_before);
    visit("files", &TurnQueued::files);
    visit("place", &TurnQueued::place);
  }
};

// Recorded directly before the first prompt of a session that was not given a name.
// Content: its name, which is made from the prompt's words and is erased with the prompt.
struct SessionNamed {
  static constexpr std::string_view kType = "SessionNamed";
  std::int64_t mark = 0;    // mark of the name, see name_mark.hpp
  std::int64_t number = 0;  // of the name, see numbered_name; 0: of an earlier release

  bool operator==(const SessionNamed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("mark", &SessionNamed::mark);
    visit("number", &SessionNamed::number);
  }
};

// The worker owns the turn from here on. This is recorded before the worker is told, so that a
// prompt is never given to two agent processes.
struct TurnStarted {
  static constexpr std::string_view kType = "TurnStarted";
  TurnId turn;
  FencingToken token;

  bool operator==(const TurnStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TurnStarted::turn);
    visit("token", &TurnStarted::token);
  }
};

enum class OwnTurnCause {
  unknown,
  task,     // a task in the background, or a subagent, had ended
  wake_up,  // the agent had asked to be woken
};

// The agent began to work without a prompt. The turn has no TurnQueued and no TurnStarted; it ends
// as others do.
struct OwnTurnStarted {
  static constexpr std::string_view kType = "OwnTurnStarted";
  TurnId turn;  // made by the agent
  OwnTurnCause cause = OwnTurnCause::unknown;
  std::string task;  // the agent's id of the task; empty: not known
  TurnId of;         // the turn in which that task was started; unset: not known

  bool operator==(const OwnTurnStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &OwnTurnStarted::turn);
    visit("cause", &OwnTurnStarted::cause);
    visit("task", &OwnTurnStarted::task);
    visit("of", &OwnTurnStarted::of);
  }
};

// The turn was started, and its lease ended before an agent was given the prompt; or the agent was
// lost with it, and the turn is tried again. It is the first of the queue again.
struct TurnReturned {
  static constexpr std::string_view kType = "TurnReturned";
  TurnId turn;
  std::int64_t attempts = 0;  // as many agents were lost with it; 0: none was given its prompt
  std::int64_t starts = 0;    // as many agents in a row could not begin with it; 0: none
  // The agent's id of a call about which it has asked: its next process goes on with the turn
  // there, without a prompt. Empty: it is given the prompt.
  std::string deferred{};

  bool operator==(const TurnReturned&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TurnReturned::turn);
    visit("attempts", &TurnReturned::attempts);
    visit("starts", &TurnReturned::starts);
    visit("deferred", &TurnReturned::deferred);
  }
};

// A prompt was added to the only turn of its session, which also answers it.
// Content: the prompt. One with files can be empty.
struct PromptInjected {
  static constexpr std::string_view kType = "PromptInjected";
  TurnId turn;
  SessionId from{};                              // the session that sent it; unset: none did
  base::Sparse<std::vector<FileFacts>> files{};  // as TurnQueued has them

  bool operator==(const PromptInjected&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &PromptInjected::turn);
    visit("from", &PromptInjected::from);
    visit("files", &PromptInjected::files);
  }
};

// The agent has answered the turn's prompt before it was given all that were added to it. Another
// process of the agent is given the rest, and the turn goes on with them.
struct TurnContinued {
  static constexpr std::string_view kType = "TurnContinued";
  TurnId turn;
  std::int64_t injected = 0;  // so many of the prompts that were added are answered, too

  bool operator==(const TurnContinued&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TurnContinued::turn);
    visit("injected", &TurnContinued::injected);
  }
};

// A turn failed while prompts waited, or could not begin. They wait until somebody says how to go
// on, or until a moment that is known.
// Content: the agent's words for a limit of use that it has met itself.
struct QueuePaused {
  static constexpr std::string_view kType = "QueuePaused";
  EndReason reason = EndReason::none;  // of the failure
  // Wall time at which they go on by themselves; 0: they do not, but for a day's budget.
  Time until{};

  bool operator==(const QueuePaused&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("reason", &QueuePaused::reason);
    visit("until", &QueuePaused::until);
  }
};

// The prompts that a failed turn had paused go on.
struct QueueContinued {
  static constexpr std::string_view kType = "QueueContinued";

  bool operator==(const QueueContinued&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

struct InterruptRequested {
  static constexpr std::string_view kType = "InterruptRequested";
  TurnId turn;
  EndReason reason = EndReason::user;  // or the limit for which Steno itself interrupts

  bool operator==(const InterruptRequested&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &InterruptRequested::turn);
    visit("reason", &InterruptRequested::reason);
  }
};

// Other tasks run in the background than before.
// Content: what those that run are to do.
struct TasksChanged {
  static constexpr std::string_view kType = "TasksChanged";
  // That run, or have ended without the agent having dealt with that: then it goes on by itself.
  std::int64_t tasks = 0;
  bool is_given_up = false;    // they were waited for as long as that is allowed
  std::int64_t subagents = 0;  // of these tasks; they call the model

  bool operator==(const TasksChanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("tasks", &TasksChanged::tasks);
    visit("given_up", &TasksChanged::is_given_up);
    visit("subagents", &TasksChanged::subagents);
  }
};

// Tasks in the background ended with the agent, before they were done.
struct TasksLost {
  static constexpr std::string_view kType = "TasksLost";
  std::int64_t tasks = 0;

  bool operator==(const TasksLost&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("tasks", &TasksLost::tasks);
  }
};

// A call of the model has failed, and the agent will make it again.
struct ModelCallRetried {
  static constexpr std::string_view kType = "ModelCallRetried";
  TurnId turn;
  std::int64_t attempt = 0;       // that has failed, from 1
  std::int64_t attempts_max = 0;  // the agent gives up behind it; 0: not said
  base::Duration delay{};         // until the next attempt
  std::int64_t api_status = 0;    // HTTP status of the model API; 0: it gave none
  std::string error;              // the agent's own word for it, such as "rate_limit"

  bool operator==(const ModelCallRetried&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ModelCallRetried::turn);
    visit("attempt", &ModelCallRetried::attempt);
    visit("attempts_max", &ModelCallRetried::attempts_max);
    visit("delay_us", &ModelCallRetried::delay);
    visit("api_status", &ModelCallRetried::api_status);
    visit("error", &ModelCallRetried::error);
  }
};

// The provider refused a model, and the agent goes on with another one.
struct ModelFellBack {
  static constexpr std::string_view kType = "ModelFellBack";
  TurnId turn;
  std::string from;
  std::string to;
  std::string cause;  // the agent's own word, such as "overloaded"; empty: not said

  bool operator==(const ModelFellBack&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ModelFellBack::turn);
    visit("from", &ModelFellBack::from);
    visit("to", &ModelFellBack::to);
    visit("cause", &ModelFellBack::cause);
  }
};

// The model's provider has said how the account stands against one of its limits.
struct RateLimitReported {
  static constexpr std::string_view kType = "RateLimitReported";
  TurnId turn;
  std::string status;    // the provider's own word: "allowed_warning", "rejected"
  std::string limit;     // likewise, such as "five_hour"
  base::Time resets_at;  // wall time; 0: not said
  // Wall time until which the agent can do nothing; 0: it can, or the end is not near or not known.
  base::Time blocks_until{};
  bool is_overage = false;  // the agent goes on, and what it uses is charged beyond the plan

  bool operator==(const RateLimitReported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &RateLimitReported::turn);
    visit("status", &RateLimitReported::status);
    visit("limit", &RateLimitReported::limit);
    visit("resets_at", &RateLimitReported::resets_at);
    visit("blocks_until", &RateLimitReported::blocks_until);
    visit("overage", &RateLimitReported::is_overage);
  }
};

// The agent has replaced its conversation by a summary.
struct ContextCompacted {
  static constexpr std::string_view kType = "ContextCompacted";
  TurnId turn;
  bool is_automatic = false;       // else somebody asked for it
  std::int64_t tokens_before = 0;  // of the conversation; 0: not said
  std::int64_t tokens_after = 0;
  std::int64_t number = 0;  // of the session's compactions; 0: earlier releases counted none

  bool operator==(const ContextCompacted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ContextCompacted::turn);
    visit("automatic", &ContextCompacted::is_automatic);
    visit("tokens_before", &ContextCompacted::tokens_before);
    visit("tokens_after", &ContextCompacted::tokens_after);
    visit("number", &ContextCompacted::number);
  }
};

// The agent says that it is busy otherwise than with a call of the model, or that its permissions
// have changed. At least one of the texts is not empty.
struct AgentStatusReported {
  static constexpr std::string_view kType = "AgentStatusReported";
  TurnId turn;
  std::string status;           // the agent's own word, such as "compacting"
  std::string permission_mode;  // likewise, such as "plan"
  std::string error;            // why what it was busy with has failed
  bool is_kept = false;         // the mode counts for its next process, see ChangedSettings

  bool operator==(const AgentStatusReported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &AgentStatusReported::turn);
    visit("status", &AgentStatusReported::status);
    visit("permission_mode", &AgentStatusReported::permission_mode);
    visit("error", &AgentStatusReported::error);
    visit("kept", &AgentStatusReported::is_kept);
  }
};

// More was spent on a turn. If the turn is under way, its end repeats it, see TurnCost::booked.
struct SpendingRecorded {
  static constexpr std::string_view kType = "SpendingRecorded";
  TurnId turn;  // unset: no turn is known for it
  Spending spent;
  CostBasis basis = CostBasis::reported;
  NanoUsd agent_total{};  // the agent's own running total; 0: not said

  bool operator==(const SpendingRecorded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &SpendingRecorded::turn);
    visit("spent", &SpendingRecorded::spent);
    visit("basis", &SpendingRecorded::basis);
    visit("agent_total", &SpendingRecorded::agent_total);
  }
};

// Content: the turn's result text.
struct TurnFinished {
  static constexpr std::string_view kType = "TurnFinished";
  TurnId turn;
  TurnCost cost;
  // The agent's own word for why it stopped, such as "completed" or "hook_stopped"; empty: not
  // said.
  std::string terminal_reason{};
  // No block of the turn says what the agent answered: the result's text is its answer. Without a
  // text it gave none.
  bool is_answer = false;

  bool operator==(const TurnFinished&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TurnFinished::turn);
    visit("cost", &TurnFinished::cost);
    visit("terminal_reason", &TurnFinished::terminal_reason);
    visit("answer", &TurnFinished::is_answer);
  }
};

// Content: the agent's error text.
struct TurnFailed {
  static constexpr std::string_view kType = "TurnFailed";
  TurnId turn;
  std::string subtype;          // the agent's own word, such as "error_max_turns"
  std::string terminal_reason;  // likewise, such as "api_error"
  std::int64_t api_status = 0;  // HTTP status of the model API, if that was the reason
  TurnCost cost;

  bool operator==(const TurnFailed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TurnFailed::turn);
    visit("subtype", &TurnFailed::subtype);
    visit("terminal_reason", &TurnFailed::terminal_reason);
    visit("api_status", &TurnFailed::api_status);
    visit("cost", &TurnFailed::cost);
  }
};

// Ends a queued or a started turn.
struct TurnInterrupted {
  static constexpr std::string_view kType = "TurnInterrupted";
  TurnId turn;
  EndReason reason = EndReason::none;
  TurnCost cost;
  Time day_over{};  // of one for the budget of a day: when that is over; else 0

  bool operator==(const TurnInterrupted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TurnInterrupted::turn);
    visit("reason", &TurnInterrupted::reason);
    visit("cost", &TurnInterrupted::cost);
    visit("day_over", &TurnInterrupted::day_over);
  }
};

enum class OutputKind { text, thinking };

// Content: one finished block of the agent's output.
struct OutputRecorded {
  static constexpr std::string_view kType = "OutputRecorded";
  TurnId turn;
  std::int64_t block = 0;  // counts the session's blocks from 1
  OutputKind kind = OutputKind::text;
  std::string parent{};   // the call whose subagent said it; empty: the agent itself
  std::string message{};  // the agent's id of it, at which a resume can go on; empty: it has none

  bool operator==(const OutputRecorded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &OutputRecorded::turn);
    visit("block", &OutputRecorded::block);
    visit("kind", &OutputRecorded::kind);
    visit("parent", &OutputRecorded::parent);
    visit("message", &OutputRecorded::message);
  }
};

// Content: the part of a block that was said since the last such event of the same block. The
// finished block supersedes it; without one, these parts are all that is known of the block.
struct PartialOutputRecorded {
  static constexpr std::string_view kType = "PartialOutputRecorded";
  TurnId turn;
  std::int64_t block = 0;

  bool operator==(const PartialOutputRecorded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &PartialOutputRecorded::turn);
    visit("block", &PartialOutputRecorded::block);
  }
};

// Content: the tool's input, JSON.
struct ToolCallStarted {
  static constexpr std::string_view kType = "ToolCallStarted";
  TurnId turn;
  std::string call;  // the agent's id of the call
  std::string tool;
  std::string parent{};   // the call whose subagent made this one; empty: the agent itself
  std::string message{};  // as OutputRecorded has it
  // So many calls with the same tool and input came directly one after the other, this one
  // included, and those before had the same result; 0: it differs from the one before.
  std::int64_t repeats = 0;

  bool operator==(const ToolCallStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ToolCallStarted::turn);
    visit("call", &ToolCallStarted::call);
    visit("tool", &ToolCallStarted::tool);
    visit("parent", &ToolCallStarted::parent);
    visit("message", &ToolCallStarted::message);
    visit("repeats", &ToolCallStarted::repeats);
  }
};

// The agent has made one tool call so often in a row that it may never stop.
struct ToolCallsRepeated {
  static constexpr std::string_view kType = "ToolCallsRepeated";
  TurnId turn;
  std::string tool;
  std::int64_t repeats = 0;
  std::string parent{};  // as the calls have it

  bool operator==(const ToolCallsRepeated&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ToolCallsRepeated::turn);
    visit("tool", &ToolCallsRepeated::tool);
    visit("repeats", &ToolCallsRepeated::repeats);
    visit("parent", &ToolCallsRepeated::parent);
  }
};

// The agent has said nothing for a while although it works and no tool of its runs; or it says
// something again.
struct AgentSilenceReported {
  static constexpr std::string_view kType = "AgentSilenceReported";
  TurnId turn;
  bool is_over = false;
  base::Duration silence{};  // for so long it had said nothing; 0: not said

  bool operator==(const AgentSilenceReported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &AgentSilenceReported::turn);
    visit("over", &AgentSilenceReported::is_over);
    visit("silence_us", &AgentSilenceReported::silence);
  }
};

// Content: the tool's result, JSON or text.
struct ToolCallFinished {
  static constexpr std::string_view kType = "ToolCallFinished";
  TurnId turn;
  std::string call;
  bool is_error = false;
  bool is_denied = false;  // not carried out, for lack of a permission; also an error
  std::string parent{};    // as at the call's start
  std::string tool{};      // of a denied call; empty: it was not denied, or of earlier releases

  bool operator==(const ToolCallFinished&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ToolCallFinished::turn);
    visit("call", &ToolCallFinished::call);
    visit("error", &ToolCallFinished::is_error);
    visit("denied", &ToolCallFinished::is_denied);
    visit("parent", &ToolCallFinished::parent);
    visit("tool", &ToolCallFinished::tool);
  }
};

// A call that has ended with an error was not carried out, for lack of a permission. Agents that
// say so only at the turn's end are the cause of this event.
struct ToolCallDenied {
  static constexpr std::string_view kType = "ToolCallDenied";
  TurnId turn;
  std::string call;
  std::string tool;

  bool operator==(const ToolCallDenied&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ToolCallDenied::turn);
    visit("call", &ToolCallDenied::call);
    visit("tool", &ToolCallDenied::tool);
  }
};

// The agent has told its host something beside the conversation, such as that a hook did not
// answer; see is_warning().
// Content: its words.
struct AgentNoted {
  static constexpr std::string_view kType = "AgentNoted";
  TurnId turn;
  std::string level;  // the agent's own word, such as "notice" or "warning"
  std::string tag;    // likewise, what it is about, such as "hook_no_verdict"; empty: not said
  std::string call;   // the tool call that it is about; empty: none

  bool operator==(const AgentNoted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &AgentNoted::turn);
    visit("level", &AgentNoted::level);
    visit("tag", &AgentNoted::tag);
    visit("call", &AgentNoted::call);
  }
};

// The agent's tag for a hook that gave no verdict on a tool call, so that the call was not checked.
constexpr std::string_view kHookNoVerdict = "hook_no_verdict";

// True if people are to be shown it at once.
inline bool is_warning(const AgentNoted& e) {
  const bool is_mere_news =
      e.level.empty() || e.level == "info" || e.level == "notice" || e.level == "suggestion";
  return !is_mere_news || e.tag == kHookNoVerdict;
}

// Somebody has given the session other settings.
struct SettingsChanged {
  static constexpr std::string_view kType = "SettingsChanged";
  std::int64_t number = 0;         // of the changes to this session, from 1
  std::vector<std::string> keys;   // of spec_settings.hpp
  base::Sparse<SessionSpec> spec;  // has the values of these; the others are its defaults
  bool is_to_tell = false;  // an agent process runs that is told; SettingsTold follows, or its end

  bool operator==(const SettingsChanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("number", &SettingsChanged::number);
    visit("keys", &SettingsChanged::keys);
    visit("spec", &SettingsChanged::spec);
    visit("to_tell", &SettingsChanged::is_to_tell);
  }
};

// The agent was told of the settings that have changed, and has answered.
struct SettingsTold {
  static constexpr std::string_view kType = "SettingsTold";
  std::int64_t number = 0;  // up to this change
  std::string refusal;      // the agent's own words; empty: it has taken them

  bool operator==(const SettingsTold&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("number", &SettingsTold::number);
    visit("refusal", &SettingsTold::refusal);
  }
};

// The agent understands these words at the start of a prompt, behind a slash.
struct SlashCommandsReported {
  static constexpr std::string_view kType = "SlashCommandsReported";
  std::vector<std::string> commands;

  bool operator==(const SlashCommandsReported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("commands", &SlashCommandsReported::commands);
  }
};

// Other MCP servers of the agent than before are not connected.
struct McpServersReported {
  static constexpr std::string_view kType = "McpServersReported";
  std::vector<std::string> broken;  // "NAME: STATUS" each, in the agent's words; empty: all connect

  bool operator==(const McpServersReported&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("broken", &McpServersReported::broken);
  }
};

enum class LineFault { unknown_kind, not_json, invalid_utf8, too_long, cut_short };

// Content: a line of the agent that its engine does not understand, verbatim; only its start if it
// was too long.
struct AgentLineRecorded {
  static constexpr std::string_view kType = "AgentLineRecorded";
  LineFault fault = LineFault::unknown_kind;
  std::int64_t line_bytes = 0;

  bool operator==(const AgentLineRecorded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("fault", &AgentLineRecorded::fault);
    visit("line_bytes", &AgentLineRecorded::line_bytes);
  }
};

// A worker's report that came too late to change anything, such as the result of a killed turn.
struct ReportIgnored {
  static constexpr std::string_view kType = "ReportIgnored";
  std::string kind;

  bool operator==(const ReportIgnored&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("kind", &ReportIgnored::kind);
  }
};

// A client's command was accepted and had no effect, such as the kill of a killed session. It is
// recorded so that a retry has the same outcome.
struct NothingChanged {
  static constexpr std::string_view kType = "NothingChanged";
  std::string command;  // its type

  bool operator==(const NothingChanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("command", &NothingChanged::command);
  }
};

struct LeaseGranted {
  static constexpr std::string_view kType = "LeaseGranted";
  WorkerId worker;
  FencingToken token;
  std::string resume_agent_session;  // continue this one; empty: as the session's spec says
  NanoUsd budget{};                  // what is left of the lineage's; 0: as the spec says
  // The running total with which the agent process should begin; none: it is not known.
  std::optional<NanoUsd> agent_total{};
  // The last message that the agent session should have; empty: that is not known.
  std::string last_message{};

  bool operator==(const LeaseGranted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("worker", &LeaseGranted::worker);
    visit("token", &LeaseGranted::token);
    visit("resume_agent_session", &LeaseGranted::resume_agent_session);
    visit("budget", &LeaseGranted::budget);
    visit("agent_total", &LeaseGranted::agent_total);
    visit("last_message", &LeaseGranted::last_message);
  }
};

// The worker gave the lease back: its agent process and everything that it started are gone.
struct LeaseReleased {
  static constexpr std::string_view kType = "LeaseReleased";
  FencingToken token;

  bool operator==(const LeaseReleased&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("token", &LeaseReleased::token);
  }
};

// The lease was taken from a worker that is gone.
struct LeaseExpired {
  static constexpr std::string_view kType = "LeaseExpired";
  FencingToken token;

  bool operator==(const LeaseExpired&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("token", &LeaseExpired::token);
  }
};

struct AgentStarted {
  static constexpr std::string_view kType = "AgentStarted";
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;  // field 22 of /proc/<pid>/stat: tells a reused pid apart
  // The table by which its use of models is priced; empty: by the agent's own figures.
  std::string prices{};

  bool operator==(const AgentStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("pid", &AgentStarted::pid);
    visit("start_ticks", &AgentStarted::start_ticks);
    visit("prices", &AgentStarted::prices);
  }
};

// The agent's init message. The first one makes the session running.
struct AgentInitialized {
  static constexpr std::string_view kType = "AgentInitialized";
  std::string agent_session;  // the agent's own session id
  std::string model;
  std::string agent_version;
  bool is_unpriced = false;  // the model has no price that is known: its cost is not, either

  bool operator==(const AgentInitialized&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent_session", &AgentInitialized::agent_session);
    visit("model", &AgentInitialized::model);
    visit("agent_version", &AgentInitialized::agent_version);
    visit("unpriced", &AgentInitialized::is_unpriced);
  }
};

// Content: the problem, and what to do about it.
struct AgentStartFailed {
  static constexpr std::string_view kType = "AgentStartFailed";

  bool operator==(const AgentStartFailed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// Content: the end of the agent's stderr.
struct AgentExited {
  static constexpr std::string_view kType = "AgentExited";
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;  // 0: it exited by itself
  bool is_stopped = false;  // Steno ended it, without being asked to end the session
  bool is_heard = false;    // all that it said is on the record

  bool operator==(const AgentExited&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("exit_code", &AgentExited::exit_code);
    visit("signal", &AgentExited::signal);
    visit("stopped", &AgentExited::is_stopped);
    visit("heard", &AgentExited::is_heard);
  }
};

// No further prompts; the session completes when its queue is done, and tasks in the background.
struct CloseRequested {
  static constexpr std::string_view kType = "CloseRequested";
  bool is_now = false;  // tasks in the background are not waited for

  bool operator==(const CloseRequested&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("now", &CloseRequested::is_now);
  }
};

struct SessionClosed {
  static constexpr std::string_view kType = "SessionClosed";
  SessionStatus status = SessionStatus::none;  // a terminal one
  EndReason reason = EndReason::none;

  bool operator==(const SessionClosed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("status", &SessionClosed::status);
    visit("reason", &SessionClosed::reason);
  }
};

// The agent cannot go on with its own session: it has no transcript of it any more, or not of the
// message at which to go on. The next agent process begins a new one, and is told what the record
// holds of the conversation.
// Content: the agent's own words.
struct AgentSessionLost {
  static constexpr std::string_view kType = "AgentSessionLost";
  std::string agent_session;

  bool operator==(const AgentSessionLost&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent_session", &AgentSessionLost::agent_session);
  }
};

// The agent says that it could not write all of its transcript. The next agent process begins a new
// session of its own, and is told what the record holds of the conversation.
struct TranscriptWritesLost {
  static constexpr std::string_view kType = "TranscriptWritesLost";
  TurnId turn;
  std::string error;  // the agent's own word, such as "ENOSPC"; empty: not said

  bool operator==(const TranscriptWritesLost&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &TranscriptWritesLost::turn);
    visit("error", &TranscriptWritesLost::error);
  }
};

// Others have gone on with the agent session: behind the last message of this conversation are
// answers that no agent process of this record gave. The agent goes on at that message, with a copy
// of its session that has none of them, and is told so.
struct AgentSessionShared {
  static constexpr std::string_view kType = "AgentSessionShared";
  TurnId turn;
  std::string agent_session;  // where the answers of the others are
  std::string message;        // the agent's id of the last message of this conversation
  std::int64_t answers = 0;   // of the others, as far as they were counted

  bool operator==(const AgentSessionShared&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &AgentSessionShared::turn);
    visit("agent_session", &AgentSessionShared::agent_session);
    visit("message", &AgentSessionShared::message);
    visit("answers", &AgentSessionShared::answers);
  }
};

// The agent asks people or hooks for something, and waits for the answer before it goes on.
// Content: what it asks, as a JSON object. "input" is the input of its call; what else it said
// about the request stands in "context".
struct AskRaised {
  static constexpr std::string_view kType = "AskRaised";
  std::int64_t ask = 0;      // its number in the session, from 1
  std::int64_t request = 0;  // its number in the lease, from 1
  AskKind kind = AskKind::approval;
  TurnId turn;                        // in which it is asked; unset: not known
  std::string tool;                   // the agent's own word
  std::string call;                   // the agent's id of the call; empty: not said
  HookPoint point = HookPoint::none;  // of a step
  std::int64_t rule = 0;  // by which a person is to be asked, whatever hooks allow; 0: none
  std::string pattern{};  // of that rule

  bool operator==(const AskRaised&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &AskRaised::ask);
    visit("request", &AskRaised::request);
    visit("kind", &AskRaised::kind);
    visit("turn", &AskRaised::turn);
    visit("tool", &AskRaised::tool);
    visit("call", &AskRaised::call);
    visit("point", &AskRaised::point);
    visit("rule", &AskRaised::rule);
    visit("pattern", &AskRaised::pattern);
  }
};

// A request of the agent has its answer. The agent has not heard it yet. The first answer stands.
// Another follows only if its text was lost.
// Content: of what is granted, the input that the call is to have instead, as a JSON object; of a
// question, the answers, as a JSON array of texts in the order of the questions; of a step, what
// the hooks change, as a JSON object (workers/engines/step_changes.hpp). Of what is denied, the
// reason. Without it the call is granted as it was asked.
struct AskAnswered {
  static constexpr std::string_view kType = "AskAnswered";
  std::int64_t ask = 0;
  AskVerdict verdict = AskVerdict::none;
  AskBasis basis = AskBasis::person;
  std::int64_t rule = 0;              // that answers; 0: none does
  HookPoint point = HookPoint::none;  // as AskRaised has it
  std::string hook{};                 // whose answer it is; empty: no single one's
  std::int64_t earlier = 0;           // the request whose answer it was first; 0: none
  std::string place{};                // of a person: the chat where it was given; empty: in none

  bool operator==(const AskAnswered&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &AskAnswered::ask);
    visit("verdict", &AskAnswered::verdict);
    visit("basis", &AskAnswered::basis);
    visit("rule", &AskAnswered::rule);
    visit("point", &AskAnswered::point);
    visit("hook", &AskAnswered::hook);
    visit("earlier", &AskAnswered::earlier);
    visit("place", &AskAnswered::place);
  }
};

// A hook was asked at a step of the agent, or about what it asks people.
// Content: the beginning of what it said if it failed.
struct HookRan {
  static constexpr std::string_view kType = "HookRan";
  std::int64_t ask = 0;
  std::string hook;  // its name
  HookOutcome outcome = HookOutcome::passed;
  base::Duration took{};
  std::string note;  // why it failed, without its own words; empty: it did not

  bool operator==(const HookRan&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &HookRan::ask);
    visit("hook", &HookRan::hook);
    visit("outcome", &HookRan::outcome);
    visit("took_us", &HookRan::took);
    visit("note", &HookRan::note);
  }
};

// A request of the agent is over. Each has one end.
struct AskClosed {
  static constexpr std::string_view kType = "AskClosed";
  std::int64_t ask = 0;
  AskEnd end = AskEnd::told;
  HookPoint point = HookPoint::none;  // as AskRaised has it

  bool operator==(const AskClosed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &AskClosed::ask);
    visit("end", &AskClosed::end);
    visit("point", &AskClosed::point);
  }
};

// The session has lived for as long as its spec says that somebody is to be reminded.
struct LongRunReached {
  static constexpr std::string_view kType = "LongRunReached";

  bool operator==(const LongRunReached&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// A channel begins, or ends, to be shown the session's output as it comes.
struct ForegroundChanged {
  static constexpr std::string_view kType = "ForegroundChanged";
  std::string channel;
  bool is_foreground = false;
  Position seen;  // of the last event that it was shown before; 0: none

  bool operator==(const ForegroundChanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("channel", &ForegroundChanged::channel);
    visit("foreground", &ForegroundChanged::is_foreground);
    visit("seen", &ForegroundChanged::seen);
  }
};

// A channel was shown the session's output.
struct OutputSeen {
  static constexpr std::string_view kType = "OutputSeen";
  std::string channel;
  Position through;  // of the session's last event that it was shown whole
  // It was shown so many bytes of the text of the next event that is shown; they end between two
  // characters.
  std::int64_t further_bytes = 0;

  bool operator==(const OutputSeen&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("channel", &OutputSeen::channel);
    visit("through", &OutputSeen::through);
    visit("further_bytes", &OutputSeen::further_bytes);
  }
};

// A person knows that the session needs one, and does not want to be told again.
struct AttentionDismissed {
  static constexpr std::string_view kType = "AttentionDismissed";

  bool operator==(const AttentionDismissed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// Recorded on the stream of the session that was resumed or forked.
struct SessionResumed {
  static constexpr std::string_view kType = "SessionResumed";
  SessionId by;
  bool is_fork = false;
  bool shares_budget = false;  // releases that do not write it kept a budget for each session
  // The agent's own session goes on, beyond where this one ended; false of older releases, too.
  bool takes_agent_session = false;

  bool operator==(const SessionResumed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("by", &SessionResumed::by);
    visit("fork", &SessionResumed::is_fork);
    visit("shares_budget", &SessionResumed::shares_budget);
    visit("takes_agent_session", &SessionResumed::takes_agent_session);
  }
};

// Recorded on the stream of the session whose agent launched another one. What that one spends
// counts to the launching session's lineage.
struct SessionLaunched {
  static constexpr std::string_view kType = "SessionLaunched";
  SessionId session;

  bool operator==(const SessionLaunched&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionLaunched::session);
  }
};

// The session's labels have changed: words by which people find it again.
struct SessionLabelled {
  static constexpr std::string_view kType = "SessionLabelled";
  std::vector<std::string> added;
  std::vector<std::string> removed;

  bool operator==(const SessionLabelled&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("added", &SessionLabelled::added);
    visit("removed", &SessionLabelled::removed);
  }
};

// The session goes by another name, which was given; also after its end. The text of a name that
// was made stays with the prompt.
struct SessionRenamed {
  static constexpr std::string_view kType = "SessionRenamed";
  std::string name;

  bool operator==(const SessionRenamed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &SessionRenamed::name);
  }
};

using EndsOfTurns = base::Types<TurnFinished, TurnFailed, TurnInterrupted>;

using SessionEvents = base::Joined<
    base::Types<SessionOpened, TurnQueued, SessionNamed, TurnStarted, OwnTurnStarted, TurnReturned,
                PromptInjected, TurnContinued, QueuePaused, QueueContinued, InterruptRequested,
                TasksChanged, ModelCallRetried, ModelFellBack, RateLimitReported, ContextCompacted,
                AgentStatusReported, SpendingRecorded, TurnFinished, TurnFailed, TurnInterrupted,
                OutputRecorded, PartialOutputRecorded, ToolCallStarted, ToolCallsRepeated,
                AgentSilenceReported, ToolCallFinished, ToolCallDenied, AgentNoted,
                McpServersReported, AgentLineRecorded, ReportIgnored, NothingChanged, LeaseGranted,
                LeaseReleased, LeaseExpired, AgentStarted, AgentInitialized, AgentSessionLost,
                AgentStartFailed, AgentExited, CloseRequested, SessionClosed, LongRunReached,
                ForegroundChanged, OutputSeen, AttentionDismissed, SessionResumed, TasksLost,
                TranscriptWritesLost, SessionLaunched, AgentSessionShared, AskRaised, AskAnswered,
                AskClosed, HookRan, SettingsChanged, SettingsTold, SlashCommandsReported,
                FileAttached, TranscriptImported, LineImported, MessageImported, SessionLabelled,
                SessionRenamed>,
    ContentEvents>;

}  // namespace domain

template <>
struct base::EnumNames<domain::OwnTurnCause> {
  static constexpr std::string_view kNames[] = {"unknown", "task", "wake_up"};
};
template <>
struct base::EnumNames<domain::OutputKind> {
  static constexpr std::string_view kNames[] = {"text", "thinking"};
};
template <>
struct base::EnumNames<domain::LineFault> {
  static constexpr std::string_view kNames[] = {"unknown_kind", "not_json", "invalid_utf8",
                                                "too_long", "cut_short"};
};
