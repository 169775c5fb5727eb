// The nouns that events, state and commands share. Pure values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/sparse.hpp"

namespace domain {

using base::Bytes;
using base::CommandId;
using base::FencingToken;
using base::NanoUsd;
using base::Position;
using base::SessionId;
using base::StreamVersion;
using base::Time;
using base::TurnId;
using base::WorkerId;

// `none` stands for "no such session"; the last three are terminal and never left.
enum class SessionStatus : std::uint8_t { none, starting, running, completed, failed, killed };

constexpr bool is_live(SessionStatus status) {
  return status == SessionStatus::starting || status == SessionStatus::running;
}
constexpr bool is_terminal(SessionStatus status) {
  return status != SessionStatus::none && !is_live(status);
}

enum class PermissionMode : std::uint8_t { ask, plan, accept_edits, bypass_permissions };

// Why a turn or a session ended otherwise than by its own success.
enum class EndReason : std::uint8_t {
  none,
  user,              // somebody asked for it
  turn_error,        // the agent reported an error as the turn's result
  budget,            // the agent stopped because the session's budget is spent
  agent_exited,      // the agent process ended before it had finished
  start_failed,      // the agent process could not be started
  worker_lost,       // the worker that ran it died
  session_ended,     // the turn's session ended first
  stopped,           // Steno stopped, and ended its agents
  tasks_unfinished,  // tasks in the background went on for too long
  idle,              // nobody sent a prompt for too long
  run_timeout,       // the turn ran for too long
  repeated_calls,    // the agent made the same tool call again and again
  daily_budget,      // the sessions of its agent have spent what they may in a day
  // The session has used what it may.
  max_tokens,
  max_tool_calls,
  max_output_bytes,
  expired,          // the prompt was not started in time
  agent_budget,     // the sessions of its agent have spent what they may over all time
  hook_unanswered,  // a hook gave no verdict on a tool call, in a session whose hooks must answer
  usage_limit,      // the model's provider takes nothing more until a time that it has told
  session_limit,    // as many sessions run as may
  deferred,         // what the agent asks is to be answered; it has no process meanwhile
};

// True for the limits of money that hold beside a session's own: prompts wait behind them.
constexpr bool is_cap(EndReason reason) {
  return reason == EndReason::daily_budget || reason == EndReason::agent_budget;
}

// The fate of tasks that the agent wants to run in the background, such as its subagents.
enum class BackgroundTasks : std::uint8_t {
  allow,    // they run beside the agent's turns
  inlined,  // they run within the turn that starts them, as far as the agent can do that
  forbid,   // it can start none, and no subagents
};

// Whether people hear the agent's requests.
enum class Approvals : std::uint8_t {
  ask,   // it waits for an answer
  deny,  // it is denied at once
};

// The answer where nobody gives one in time.
enum class UnansweredAsk : std::uint8_t { deny, approve };

// The fate of a turn whose worker died, or with which Steno was stopped.
enum class RestartPolicy : std::uint8_t {
  none,    // of a resume, as its source; otherwise the next one
  notify,  // it is interrupted, and whoever is to be notified hears of it
  retry,   // its prompt is given to an agent again, see kTurnAttemptsMax
};

struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_read_tokens = 0;
  std::int64_t cache_creation_tokens = 0;

  bool operator==(const Usage&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("input", &Usage::input_tokens);
    visit("output", &Usage::output_tokens);
    visit("cache_read", &Usage::cache_read_tokens);
    visit("cache_creation", &Usage::cache_creation_tokens);
  }
};

// Where a session goes on with the conversation of the one that it resumes.
enum class ResumedAt {
  end,  // where the agent's own session stands: it ended with the session that is resumed
  // It has gone on since; at the last message of the session that is resumed, with a copy. Without
  // one, the agent would know the newest branch of its session only.
  message,
  // Likewise, but that message is not known: where the agent's own session stands, with a copy.
  latest,
  record,  // the agent has lost its transcript, and is told what the record holds
};

// Limits of a session's use in all, besides money and without those that resume or fork it. 0: no
// limit; of a resume, as its source; below 0: no limit.
struct UseLimits {
  std::int64_t max_tokens = 0;  // of all four kinds
  std::int64_t max_tool_calls = 0;
  std::int64_t max_output_bytes = 0;  // as recorded, of the agent's blocks and its tools' results

  bool operator==(const UseLimits&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("max_tokens", &UseLimits::max_tokens);
    visit("max_tool_calls", &UseLimits::max_tool_calls);
    visit("max_output_bytes", &UseLimits::max_output_bytes);
  }
};

// The settings with which an engine runs a session's agent process.
struct SessionSpec {
  std::string engine;   // a name that workers/engines/engines.cpp lists
  std::string workdir;  // absolute
  std::string model;    // empty: the agent's own default
  PermissionMode permission_mode = PermissionMode::ask;
  bool is_multi_turn = false;
  bool is_fork = false;        // continue under a new id of the agent's
  NanoUsd budget;              // cap over all resumes and forks; 0 = none
  std::int64_t max_turns = 0;  // cap on the agent's model calls for one prompt; 0 = none
  base::Sparse<std::vector<std::string>> allowed_tools;
  // The agent's own session to continue; empty: begin anew.
  base::Sparse<std::string> resume_agent_session;
  // Prompts that wait are given to the agent also after a turn has failed; else the queue pauses.
  bool continues_after_failure = false;
  BackgroundTasks background = BackgroundTasks::allow;
  ResumedAt resumed_at = ResumedAt::end;
  // The agent's id of the last message of the session that is resumed; empty: not known.
  base::Sparse<std::string> resume_message{};
  // Limits that Steno itself enforces. 0: as the server's settings say, in an event none; below 0:
  // none.
  base::Duration idle_timeout{};  // a multi-turn session that waits so long for a prompt is killed
  base::Duration run_timeout{};   // a turn that runs so long is interrupted
  // So many identical tool calls in a row are told, and twice as many end the turn.
  std::int64_t repeated_calls_max = 0;
  base::Duration remind_after{};        // a session that lives so long is told of, once
  base::Sparse<std::string> channel{};  // the place that notifications go to; empty: none
  base::Sparse<UseLimits> use_limits{};
  // Taken while the provider refuses `model`; empty: none.
  base::Sparse<std::string> fallback_model{};
  RestartPolicy restart_policy = RestartPolicy::none;
  // The places from which the agent takes its settings, such as "user,project"; "none"; empty: all.
  base::Sparse<std::string> setting_sources{};
  bool hooks_must_answer =
      false;                      // a turn is interrupted if a hook gives no verdict on a tool call
  bool mcp_must_connect = false;  // the session fails if an MCP server of its agent is broken
  Approvals approvals = Approvals::ask;
  base::Duration
      approval_timeout{};  // the agent waits so long for an answer; 0, or below: for ever
  UnansweredAsk unanswered = UnansweredAsk::deny;
  std::int64_t thinking_tokens = 0;  // most that the agent thinks before it answers; 0: its default
  // Absolute path of a file with further MCP servers of the agent; empty: none.
  base::Sparse<std::string> mcp_config{};

  bool operator==(const SessionSpec&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("engine", &SessionSpec::engine);
    visit("workdir", &SessionSpec::workdir);
    visit("model", &SessionSpec::model);
    visit("permission_mode", &SessionSpec::permission_mode);
    visit("multi_turn", &SessionSpec::is_multi_turn);
    visit("budget", &SessionSpec::budget);
    visit("max_turns", &SessionSpec::max_turns);
    visit("allowed_tools", &SessionSpec::allowed_tools);
    visit("resume_agent_session", &SessionSpec::resume_agent_session);
    visit("fork", &SessionSpec::is_fork);
    visit("continue_after_failure", &SessionSpec::continues_after_failure);
    visit("background", &SessionSpec::background);
    visit("resumed_at", &SessionSpec::resumed_at);
    visit("resume_message", &SessionSpec::resume_message);
    visit("idle_timeout_us", &SessionSpec::idle_timeout);
    visit("run_timeout_us", &SessionSpec::run_timeout);
    visit("repeated_calls_max", &SessionSpec::repeated_calls_max);
    visit("remind_after_us", &SessionSpec::remind_after);
    visit("channel", &SessionSpec::channel);
    visit("use_limits", &SessionSpec::use_limits);
    visit("fallback_model", &SessionSpec::fallback_model);
    visit("restart_policy", &SessionSpec::restart_policy);
    visit("setting_sources", &SessionSpec::setting_sources);
    visit("hooks_must_answer", &SessionSpec::hooks_must_answer);
    visit("mcp_must_connect", &SessionSpec::mcp_must_connect);
    visit("approvals", &SessionSpec::approvals);
    visit("approval_timeout_us", &SessionSpec::approval_timeout);
    visit("unanswered", &SessionSpec::unanswered);
    visit("thinking_tokens", &SessionSpec::thinking_tokens);
    visit("mcp_config", &SessionSpec::mcp_config);
  }
};

// The largest text of an event: a larger prompt is refused. An agent's output stays far below it,
// since its lines are bounded earlier.
constexpr std::int64_t kContentBytesMax = std::int64_t{64} << 20;
// A directive carries a turn's prompts, their files and the system prompt in one frame of 96 MiB.
constexpr std::int64_t kSystemPromptBytesMax = std::int64_t{4} << 20;

// The erasable part of an event: one text, whose meaning depends on the event's type. `Text` is
// std::string, or base::ByteView into the bytes that it is decoded from.
template <class Text>
struct ContentOf {
  Text text;

  bool operator==(const ContentOf&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("text", &ContentOf::text);
  }
};
using Content = ContentOf<std::string>;

// Each target has a sink, which the server's settings name; that of `parent` is always there.
enum class NotificationTarget : std::uint8_t {
  channel,  // a program that sends to the session's origin channel
  system,   // a program that wakes an orchestrator
  webhook,  // an HTTP request
  desktop,  // the desktop of the server's user
  parent,   // the session whose subagent the session is: it gets a prompt
  wake,     // an HTTP request that wakes an orchestrator, where no channel is told
  hook,     // the hooks that are told of the ends of sessions
};
constexpr std::size_t kNotificationTargets = 7;

}  // namespace domain

template <>
struct base::EnumNames<domain::SessionStatus> {
  static constexpr std::string_view kNames[] = {"none",      "starting", "running",
                                                "completed", "failed",   "killed"};
};
template <>
struct base::EnumNames<domain::ResumedAt> {
  static constexpr std::string_view kNames[] = {"end", "message", "latest", "record"};
};
template <>
struct base::EnumNames<domain::RestartPolicy> {
  static constexpr std::string_view kNames[] = {"none", "notify", "retry"};
};
template <>
struct base::EnumNames<domain::Approvals> {
  static constexpr std::string_view kNames[] = {"ask", "deny"};
};
template <>
struct base::EnumNames<domain::UnansweredAsk> {
  static constexpr std::string_view kNames[] = {"deny", "approve"};
};
template <>
struct base::EnumNames<domain::BackgroundTasks> {
  static constexpr std::string_view kNames[] = {"allow", "inline", "forbid"};
};
template <>
struct base::EnumNames<domain::PermissionMode> {
  static constexpr std::string_view kNames[] = {"default", "plan", "acceptEdits",
                                                "bypassPermissions"};
};
template <>
struct base::EnumNames<domain::EndReason> {
  static constexpr std::string_view kNames[] = {"none",
                                                "user",
                                                "turn_error",
                                                "budget",
                                                "agent_exited",
                                                "start_failed",
                                                "worker_lost",
                                                "session_ended",
                                                "stopped",
                                                "tasks_unfinished",
                                                "idle",
                                                "run_timeout",
                                                "repeated_calls",
                                                "daily_budget",
                                                "max_tokens",
                                                "max_tool_calls",
                                                "max_output_bytes",
                                                "expired",
                                                "agent_budget",
                                                "hook_unanswered",
                                                "usage_limit",
                                                "session_limit",
                                                "deferred"};
};
template <>
struct base::EnumNames<domain::NotificationTarget> {
  static constexpr std::string_view kNames[] = {"channel", "system", "webhook", "desktop",
                                                "parent",  "wake",   "hook"};
};
