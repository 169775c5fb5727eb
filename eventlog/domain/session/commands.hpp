// Requests about a session, which can be refused. A client's command carries the id that its sender
// made and kept: a resent command has the same outcome. Reports come from the worker that holds the
// session's lease.
#pragma once

#include "eventlog/base/sealed_variant.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/session/importing.hpp"
#include "eventlog/domain/session/state.hpp"

namespace domain {

// ---- from clients ----

struct Spawn {
  static constexpr std::string_view kType = "Spawn";
  static constexpr bool kIsLarge = true;
  static constexpr bool kOpens = true;
  std::string name;  // empty: made from the prompt
  std::string origin_channel;
  SessionSpec spec;
  std::string system_prompt;
  std::string prompt;
  SessionId resume;  // unset: a new session; else continue this one's agent session
  // With resume: of the settings (spec_settings.hpp), the spec has those that `said` names; the
  // others are the source's. False, as earlier releases send it: the spec has them all.
  bool takes_over = false;
  std::vector<std::string> said{};
  // With resume, or with agent_session: under a new id, leaving the old one resumable.
  bool is_fork = false;
  // With an unset `resume`: continue this session of the agent's own. The sender must know that no
  // session of the record has it. Empty: begin anew.
  std::string agent_session{};
  Descriptor descriptor{};  // none: that of the session to resume, unless a schedule opened that
  Time start_before{};      // as TurnQueued has it
  // The words of a name that is made and numbered, if no name is given; empty: the prompt's.
  std::string name_like{};
  // The session whose agent asks; unset: nobody's. Its channel is that of the new session, if that
  // is told of none.
  SessionId caller{};
  PromptFiles files{};  // in the order in which the agent is given them, before the prompt
  std::vector<std::string> labels{};  // beside those of the session to resume

  bool operator==(const Spawn&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &Spawn::name);
    visit("origin_channel", &Spawn::origin_channel);
    visit("spec", &Spawn::spec);
    visit("system_prompt", &Spawn::system_prompt);
    visit("prompt", &Spawn::prompt);
    visit("resume", &Spawn::resume);
    visit("fork", &Spawn::is_fork);
    visit("agent_session", &Spawn::agent_session);
    visit("descriptor", &Spawn::descriptor);
    visit("start_before", &Spawn::start_before);
    visit("name_like", &Spawn::name_like);
    visit("caller", &Spawn::caller);
    visit("takes_over", &Spawn::takes_over);
    visit("said", &Spawn::said);
    visit("files", &Spawn::files);
    visit("labels", &Spawn::labels);
  }
};

struct SendPrompt {
  static constexpr std::string_view kType = "SendPrompt";
  static constexpr bool kIsLarge = true;
  std::string prompt;
  bool is_interrupting = false;  // interrupt the running turn; this prompt waits its turn
  SessionId from{};              // the session that sends it; unset: it is none
  Time start_before{};           // as TurnQueued has it
  // Tell the session's origin channel what was said, unless it was said there, in `channel`.
  bool is_echoed = false;
  std::string channel{};
  PromptFiles files{};  // as Spawn has them
  // Channel that is told of the turn, and of what follows until another turn has one; empty: that
  // of the turn before, or the session's.
  std::string place{};

  bool operator==(const SendPrompt&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("prompt", &SendPrompt::prompt);
    visit("interrupt", &SendPrompt::is_interrupting);
    visit("from", &SendPrompt::from);
    visit("start_before", &SendPrompt::start_before);
    visit("echo", &SendPrompt::is_echoed);
    visit("channel", &SendPrompt::channel);
    visit("files", &SendPrompt::files);
    visit("place", &SendPrompt::place);
  }
};

// Give the turn under way a message of the session's conversation. Sent by the server.
struct SteerTurn {
  static constexpr std::string_view kType = "SteerTurn";
  static constexpr bool kIsLarge = true;
  std::string prompt;
  Position message;

  bool operator==(const SteerTurn&) const = default;
};

struct InterruptTurn {
  static constexpr std::string_view kType = "InterruptTurn";
  static constexpr CommandClass kClass = CommandClass::control;
  TurnId turn{};  // unset: the one that runs, or that is the next to be started

  std::optional<CommandId> follows() const {
    return turn.is_set() ? std::optional(CommandId{turn.bytes}) : std::nullopt;
  }
  bool operator==(const InterruptTurn&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &InterruptTurn::turn);
  }
};

struct KillSession {
  static constexpr std::string_view kType = "KillSession";
  static constexpr CommandClass kClass = CommandClass::control;
  bool is_quiet = false;  // nobody is notified

  bool operator==(const KillSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("quiet", &KillSession::is_quiet);
  }
};

// No further prompts; the session completes when its queue is done, and tasks in the background.
struct CloseSession {
  static constexpr std::string_view kType = "CloseSession";
  bool is_now = false;  // do not wait for tasks in the background, nor for the agent's own turns

  bool operator==(const CloseSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("now", &CloseSession::is_now);
  }
};

// Give the agent the prompts that wait behind a failure.
struct ContinueSession {
  static constexpr std::string_view kType = "ContinueSession";
  bool operator==(const ContinueSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// The session needs a person, who knows. It is in the attention queue again with its next need.
struct DismissAttention {
  static constexpr std::string_view kType = "DismissAttention";
  Attention need = Attention::none;  // what it needs one for; without effect if it has another need

  bool operator==(const DismissAttention&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("need", &DismissAttention::need);
  }
};

// Give the session labels, and take others from it. Also after its end.
struct LabelSession {
  static constexpr std::string_view kType = "LabelSession";
  std::vector<std::string> add;
  std::vector<std::string> remove;

  bool operator==(const LabelSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("add", &LabelSession::add);
    visit("remove", &LabelSession::remove);
  }
};

// Give the session another name. Also after its end. Its alias stays.
struct RenameSession {
  static constexpr std::string_view kType = "RenameSession";
  std::string name;

  bool operator==(const RenameSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &RenameSession::name);
  }
};

// Give the session that lives other settings. What can be changed says spec_settings.hpp.
struct ChangeSettings {
  static constexpr std::string_view kType = "ChangeSettings";
  std::vector<std::string> keys;  // as SettingsChanged has them, and so has the next one
  base::Sparse<SessionSpec> spec;

  bool operator==(const ChangeSettings&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("keys", &ChangeSettings::keys);
    visit("spec", &ChangeSettings::spec);
  }
};

// Answer what the agent asks. The first answer counts.
struct AnswerAsk {
  static constexpr std::string_view kType = "AnswerAsk";
  static constexpr bool kIsLarge = true;
  std::int64_t ask = 0;  // as AskRaised has it; 0: none, which is always refused
  AskVerdict verdict = AskVerdict::none;
  std::string text;     // as AskAnswered has it; empty: none
  std::string place{};  // likewise

  bool operator==(const AnswerAsk&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &AnswerAsk::ask);
    visit("verdict", &AnswerAsk::verdict);
    visit("text", &AnswerAsk::text);
    visit("place", &AnswerAsk::place);
  }
};

// One hook's run in a step.
struct HookRun {
  std::string hook;
  HookOutcome outcome = HookOutcome::passed;
  base::Duration took{};
  std::string note;
  std::string said{};  // as HookRan's content

  bool operator==(const HookRun&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("hook", &HookRun::hook);
    visit("outcome", &HookRun::outcome);
    visit("took_us", &HookRun::took);
    visit("note", &HookRun::note);
    visit("said", &HookRun::said);
  }
};

// Sent by the server: the hooks that are for the request were asked, in this order. A step needs a
// verdict; without one what the agent asks people is left to them.
struct ConcludeHooks {
  static constexpr std::string_view kType = "ConcludeHooks";
  static constexpr CommandClass kClass = CommandClass::control;
  static constexpr bool kIsLarge = true;
  std::int64_t ask = 0;  // as AskRaised has it
  AskVerdict verdict = AskVerdict::none;
  std::string text;  // as AskAnswered has it; empty: none
  std::vector<HookRun> runs;
  std::string hook{};  // as AskAnswered has it

  bool operator==(const ConcludeHooks&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &ConcludeHooks::ask);
    visit("verdict", &ConcludeHooks::verdict);
    visit("text", &ConcludeHooks::text);
    visit("runs", &ConcludeHooks::runs);
    visit("hook", &ConcludeHooks::hook);
  }
};

// Sent by the server, which has compared the texts: the request asks for the same as an earlier one
// whose answer no agent process was given.
struct AnswerAsEarlier {
  static constexpr std::string_view kType = "AnswerAsEarlier";
  static constexpr CommandClass kClass = CommandClass::control;
  static constexpr bool kIsLarge = true;
  std::int64_t ask = 0;      // as AskRaised has it
  std::int64_t earlier = 0;  // likewise, of the earlier one
  std::string text;          // of its answer; empty: it has none

  bool operator==(const AnswerAsEarlier&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &AnswerAsEarlier::ask);
    visit("earlier", &AnswerAsEarlier::earlier);
    visit("text", &AnswerAsEarlier::text);
  }
};

// Show the session's output to a channel as it comes, from where it last was; or stop that.
struct SetForeground {
  static constexpr std::string_view kType = "SetForeground";
  std::string channel;
  bool is_foreground = false;

  bool operator==(const SetForeground&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("channel", &SetForeground::channel);
    visit("foreground", &SetForeground::is_foreground);
  }
};

// The channel was shown the session's output up to here, and so much of the text behind it. Never
// moves it back.
struct MarkSeen {
  static constexpr std::string_view kType = "MarkSeen";
  std::string channel;
  Position through;
  std::int64_t further_bytes = 0;  // as OutputSeen has it

  bool operator==(const MarkSeen&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("channel", &MarkSeen::channel);
    visit("through", &MarkSeen::through);
    visit("further_bytes", &MarkSeen::further_bytes);
  }
};

// Erase the text of these events, wherever it lies; without events, the whole session's text.
struct EraseContent {
  static constexpr std::string_view kType = "EraseContent";
  static constexpr bool kIsLarge = true;
  VersionRanges events;  // of the session's stream, in any order

  bool operator==(const EraseContent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("events", &EraseContent::events);
  }
};

// ---- from the server itself ----

// The session's text has reached the end of its retention.
struct ExpireContent {
  static constexpr std::string_view kType = "ExpireContent";
  static constexpr CommandClass kClass = CommandClass::control;
  bool operator==(const ExpireContent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

// A deadline of the session has passed. Without effect if it is not due any more; reports that the
// worker sent before are decided first.
struct PassDeadline {
  static constexpr std::string_view kType = "PassDeadline";
  static constexpr CommandClass kClass = CommandClass::reported;
  DeadlineKind kind = DeadlineKind::idle;

  bool operator==(const PassDeadline&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("kind", &PassDeadline::kind);
  }
};

struct GrantLease {
  static constexpr std::string_view kType = "GrantLease";
  static constexpr CommandClass kClass = CommandClass::control;
  WorkerId worker;

  bool operator==(const GrantLease&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("worker", &GrantLease::worker);
  }
};

// Sent only once the worker's agent process is certainly gone. Reports that the worker sent before
// are decided first. A turn that began under the lease while this was on its way is no agent's.
struct ExpireLease {
  static constexpr std::string_view kType = "ExpireLease";
  static constexpr CommandClass kClass = CommandClass::reported;
  FencingToken token;
  TurnId told{};        // the last turn that the worker can have been told of; unset: none
  Position answered{};  // the last answer that it can have been given; 0: none

  bool operator==(const ExpireLease&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("token", &ExpireLease::token);
    visit("told", &ExpireLease::told);
    visit("answered", &ExpireLease::answered);
  }
};

// Sent only once it is known that the log no longer holds the event's text. The agent is never
// given another text in its place.
struct GiveUpContent {
  static constexpr std::string_view kType = "GiveUpContent";
  static constexpr CommandClass kClass = CommandClass::control;
  Position event;

  bool operator==(const GiveUpContent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("event", &GiveUpContent::event);
  }
};

// ---- a worker's reports; each has its lease's token and its number in the lease's sequence ----

struct ReportAgentStarted {
  static constexpr std::string_view kType = "AgentStarted";
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;
  std::string prices{};  // as AgentStarted has it

  bool operator==(const ReportAgentStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("pid", &ReportAgentStarted::pid);
    visit("start_ticks", &ReportAgentStarted::start_ticks);
    visit("prices", &ReportAgentStarted::prices);
  }
};

struct ReportStartFailed {
  static constexpr std::string_view kType = "StartFailed";
  std::string text;

  bool operator==(const ReportStartFailed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("text", &ReportStartFailed::text);
  }
};

struct ReportInitialized {
  static constexpr std::string_view kType = "Initialized";
  std::string agent_session;
  std::string model;
  std::string agent_version;
  bool is_unpriced = false;  // as AgentInitialized has it

  bool operator==(const ReportInitialized&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent_session", &ReportInitialized::agent_session);
    visit("model", &ReportInitialized::model);
    visit("agent_version", &ReportInitialized::agent_version);
    visit("unpriced", &ReportInitialized::is_unpriced);
  }
};

struct ReportOutput {
  static constexpr std::string_view kType = "Output";
  TurnId turn;
  OutputKind kind = OutputKind::text;
  std::string text;
  std::string parent{};   // the call whose subagent said it; empty: the agent itself
  std::string message{};  // the agent's id of it, at which a resume can go on; empty: it has none

  bool operator==(const ReportOutput&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportOutput::turn);
    visit("kind", &ReportOutput::kind);
    visit("text", &ReportOutput::text);
    visit("parent", &ReportOutput::parent);
    visit("message", &ReportOutput::message);
  }
};

struct ReportPartialOutput {
  static constexpr std::string_view kType = "PartialOutput";
  TurnId turn;
  std::string text;

  bool operator==(const ReportPartialOutput&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportPartialOutput::turn);
    visit("text", &ReportPartialOutput::text);
  }
};

struct ReportToolCallStarted {
  static constexpr std::string_view kType = "ToolCallStarted";
  TurnId turn;
  std::string call;
  std::string tool;
  std::string input;
  std::string parent{};      // the call whose subagent made this one; empty: the agent itself
  std::string message{};     // as ReportOutput has it
  std::int64_t repeats = 0;  // as ToolCallStarted has it

  bool operator==(const ReportToolCallStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportToolCallStarted::turn);
    visit("call", &ReportToolCallStarted::call);
    visit("tool", &ReportToolCallStarted::tool);
    visit("input", &ReportToolCallStarted::input);
    visit("parent", &ReportToolCallStarted::parent);
    visit("message", &ReportToolCallStarted::message);
    visit("repeats", &ReportToolCallStarted::repeats);
  }
};

struct ReportToolCallFinished {
  static constexpr std::string_view kType = "ToolCallFinished";
  TurnId turn;
  std::string call;
  bool is_error = false;
  std::string output;
  bool is_denied = false;  // it was not carried out, for lack of a permission
  std::string parent{};    // as at the call's start
  std::string tool{};      // as ToolCallFinished has it

  bool operator==(const ReportToolCallFinished&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportToolCallFinished::turn);
    visit("call", &ReportToolCallFinished::call);
    visit("error", &ReportToolCallFinished::is_error);
    visit("output", &ReportToolCallFinished::output);
    visit("denied", &ReportToolCallFinished::is_denied);
    visit("parent", &ReportToolCallFinished::parent);
    visit("tool", &ReportToolCallFinished::tool);
  }
};

struct ReportTurnResult {
  static constexpr std::string_view kType = "TurnResult";
  TurnId turn;
  bool is_error = false;
  std::string subtype;
  std::string terminal_reason;
  std::int64_t api_status = 0;
  Usage usage;
  NanoUsd agent_total;  // the agent's running total, resumes included
  std::int64_t model_calls = 0;
  base::Duration took{};
  std::string text;
  // The agent has spent this, by model, since the last ReportSpending or result. Basis `totals`:
  // the agent does not say it, and usage and agent_total count.
  Spending spent{};
  CostBasis basis = CostBasis::totals;
  NanoUsd claimed{};  // the agent's own figure for it; 0: it gave none
  // The running total with which the agent process began; -1: not said.
  NanoUsd agent_base{-1};
  // The agent was given so many of the prompts that were added to the turn, and answers them, too.
  std::int64_t injected = 0;
  bool is_unsaid = false;  // no report of the turn's output says what the agent itself answered
  // The agent does not go on before what it asks about this call is answered, and ends its process;
  // empty: the turn is over.
  std::string deferred{};

  bool operator==(const ReportTurnResult&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportTurnResult::turn);
    visit("error", &ReportTurnResult::is_error);
    visit("subtype", &ReportTurnResult::subtype);
    visit("terminal_reason", &ReportTurnResult::terminal_reason);
    visit("api_status", &ReportTurnResult::api_status);
    visit("usage", &ReportTurnResult::usage);
    visit("agent_total", &ReportTurnResult::agent_total);
    visit("model_calls", &ReportTurnResult::model_calls);
    visit("took_us", &ReportTurnResult::took);
    visit("text", &ReportTurnResult::text);
    visit("spent", &ReportTurnResult::spent);
    visit("basis", &ReportTurnResult::basis);
    visit("claimed", &ReportTurnResult::claimed);
    visit("agent_base", &ReportTurnResult::agent_base);
    visit("injected", &ReportTurnResult::injected);
    visit("unsaid", &ReportTurnResult::is_unsaid);
    visit("deferred", &ReportTurnResult::deferred);
  }
};

// The agent has spent this since the last report of that kind, or the last result.
struct ReportSpending {
  static constexpr std::string_view kType = "Spending";
  TurnId turn;  // that it works on
  Spending spent;

  bool operator==(const ReportSpending&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportSpending::turn);
    visit("spent", &ReportSpending::spent);
  }
};

// The agent works without a prompt. The turn's output and result follow as those of other turns.
struct ReportOwnTurnStarted {
  static constexpr std::string_view kType = "OwnTurnStarted";
  TurnId turn;
  OwnTurnCause cause = OwnTurnCause::unknown;
  std::string task;
  TurnId of;

  bool operator==(const ReportOwnTurnStarted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportOwnTurnStarted::turn);
    visit("cause", &ReportOwnTurnStarted::cause);
    visit("task", &ReportOwnTurnStarted::task);
    visit("of", &ReportOwnTurnStarted::of);
  }
};

// Other tasks run in the background than before; see TasksChanged.
struct ReportTasksChanged {
  static constexpr std::string_view kType = "TasksChanged";
  std::int64_t tasks = 0;
  std::string text;  // what those that run are to do
  bool is_given_up = false;
  std::int64_t subagents = 0;  // of these tasks

  bool operator==(const ReportTasksChanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("tasks", &ReportTasksChanged::tasks);
    visit("text", &ReportTasksChanged::text);
    visit("given_up", &ReportTasksChanged::is_given_up);
    visit("subagents", &ReportTasksChanged::subagents);
  }
};

// The agent process cannot go on with the agent session that it was to resume, and ends. It has
// done nothing with the prompt that it was given.
struct ReportAgentSessionLost {
  static constexpr std::string_view kType = "AgentSessionLost";
  std::string text;  // the agent's own words

  bool operator==(const ReportAgentSessionLost&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("text", &ReportAgentSessionLost::text);
  }
};

// The agent has told its host something; see AgentNoted.
struct ReportAgentNoted {
  static constexpr std::string_view kType = "AgentNoted";
  TurnId turn;
  std::string level;
  std::string tag;
  std::string call;
  std::string text;

  bool operator==(const ReportAgentNoted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &ReportAgentNoted::turn);
    visit("level", &ReportAgentNoted::level);
    visit("tag", &ReportAgentNoted::tag);
    visit("call", &ReportAgentNoted::call);
    visit("text", &ReportAgentNoted::text);
  }
};

struct ReportAgentLine {
  static constexpr std::string_view kType = "AgentLine";
  LineFault fault = LineFault::unknown_kind;
  std::int64_t line_bytes = 0;
  std::string line;

  bool operator==(const ReportAgentLine&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("fault", &ReportAgentLine::fault);
    visit("line_bytes", &ReportAgentLine::line_bytes);
    visit("line", &ReportAgentLine::line);
  }
};

// The agent asks people or hooks for something, and waits for the answer.
struct ReportAskRaised {
  static constexpr std::string_view kType = "AskRaised";
  std::int64_t request = 0;  // its number in the lease, from 1
  AskKind kind = AskKind::approval;
  TurnId turn;
  std::string tool;
  std::string call;
  std::string text;  // as AskRaised has it
  HookPoint point = HookPoint::none;

  bool operator==(const ReportAskRaised&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("request", &ReportAskRaised::request);
    visit("kind", &ReportAskRaised::kind);
    visit("turn", &ReportAskRaised::turn);
    visit("tool", &ReportAskRaised::tool);
    visit("call", &ReportAskRaised::call);
    visit("text", &ReportAskRaised::text);
    visit("point", &ReportAskRaised::point);
  }
};

// The agent was given the answer, or does not wait for it any more.
struct ReportAskClosed {
  static constexpr std::string_view kType = "AskClosed";
  std::int64_t request = 0;
  bool is_withdrawn = false;

  bool operator==(const ReportAskClosed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("request", &ReportAskClosed::request);
    visit("withdrawn", &ReportAskClosed::is_withdrawn);
  }
};

// The last report of a lease: the agent process and everything that it started are gone.
struct ReportAgentExited {
  static constexpr std::string_view kType = "AgentExited";
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  std::string stderr_tail;
  bool is_stopped = false;  // the worker ended it, because it leaves or the agent had no work
  bool has_run = false;     // the agent had introduced itself
  TurnId given{};           // the last turn that it was given; unset: none, or not said
  bool is_heard = false;    // its output was read to the end, and all of it is reported

  bool operator==(const ReportAgentExited&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("exit_code", &ReportAgentExited::exit_code);
    visit("signal", &ReportAgentExited::signal);
    visit("stderr_tail", &ReportAgentExited::stderr_tail);
    visit("stopped", &ReportAgentExited::is_stopped);
    visit("has_run", &ReportAgentExited::has_run);
    visit("given", &ReportAgentExited::given);
    visit("heard", &ReportAgentExited::is_heard);
  }
};

// The last twelve are recorded as they are reported.
using Reports =
    base::Types<ReportAgentStarted, ReportStartFailed, ReportInitialized, ReportOutput,
                ReportPartialOutput, ReportToolCallStarted, ReportToolCallFinished,
                ReportTurnResult, ReportAgentLine, ReportAgentExited, ReportOwnTurnStarted,
                ReportSpending, ReportTasksChanged, ReportAgentSessionLost, ReportAgentNoted,
                ReportAskRaised, ReportAskClosed, ModelCallRetried, ModelFellBack,
                RateLimitReported, ContextCompacted, AgentStatusReported, AgentSilenceReported,
                ToolCallDenied, McpServersReported, TranscriptWritesLost, AgentSessionShared,
                SettingsTold, SlashCommandsReported>;
using Report = base::SealedVariant<Reports>;

// A report and its place. Sequences start at 1 with each lease and have no gaps.
struct LeaseReport {
  static constexpr std::string_view kType = "LeaseReport";
  static constexpr CommandClass kClass = CommandClass::reported;
  FencingToken token;
  std::int64_t sequence = 0;
  Report report;

  bool operator==(const LeaseReport&) const = default;
};

using SessionClientCommands =
    base::Types<Spawn, SendPrompt, InterruptTurn, KillSession, CloseSession, ContinueSession,
                DismissAttention, ChangeSettings, AnswerAsk, SetForeground, MarkSeen, EraseContent,
                ImportTranscript, LabelSession, RenameSession>;
using SessionCommands = base::Joined<
    SessionClientCommands,
    base::Types<GrantLease, ExpireLease, PassDeadline, ExpireContent, CompleteErasure,
                GiveUpContent, ConcludeHooks, AnswerAsEarlier, SteerTurn, LeaseReport>>;
using SessionCommand = base::SealedVariant<SessionCommands>;

// The reply describes the session that the command was for.
struct SessionReply {
  SessionStatus status = SessionStatus::none;
  std::string name;
  std::string alias;
  ResumedAt resumed_at = ResumedAt::end;  // where it goes on with the one that it resumes
  EndReason pause = EndReason::none;  // the reason for which its prompts wait; none: they do not
  TurnId injected_into{};             // the turn that a prompt was added to; unset: none
  Time paused_until{};                // wall time at which they go on; 0: not by themselves

  bool operator==(const SessionReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("status", &SessionReply::status);
    visit("name", &SessionReply::name);
    visit("alias", &SessionReply::alias);
    visit("resumed_at", &SessionReply::resumed_at);
    visit("pause", &SessionReply::pause);
    visit("injected_into", &SessionReply::injected_into);
    visit("paused_until", &SessionReply::paused_until);
  }
};

void reads(const SessionCommand& command, const StreamRef& target, Reads& further);
void reads_further(const SessionCommand& command, const StreamRef& target, const States& states,
                   Reads& further);
Decided decide(const SessionCommand& command, const States& states, const Context& context);
SessionReply reply(const SessionState& state, const SessionCommand& command);

}  // namespace domain

extern template class base::SealedVariant<domain::SessionCommands>;
extern template class base::SealedVariant<domain::Reports>;
