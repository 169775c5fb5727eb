// The functions that run operations, and their arguments. Each works over the caller's connection
// with the agent and the defaults of its configuration. Any thread that owns the connection.
#pragma once

#include "tools/steno/operations/operation.hpp"

namespace steno {

// Lines of one answer, so that it fits a message.
constexpr std::int64_t kOutputLinesMax = 10'000;

// Events of one answer, and how long it waits for one.
constexpr std::int64_t kEventsMax = 1'000;
constexpr std::int64_t kEventsWaitMsMax = 2'000;

// Fails for a text that is no channel.
Outcome<bool> check_channel(const std::string& channel);

struct LaunchArguments {
  std::string prompt;
  std::string name;
  std::string workdir;
  std::string model;
  std::optional<base::NanoUsd> max_budget;  // 0: no limit
  std::string system_prompt;
  std::vector<std::string> allowed_tools;
  std::string resumed;  // a session, or the id of one that the agent had outside of Steno
  bool is_fork = false;
  bool is_single_turn = false;
  std::optional<domain::PermissionMode> permission_mode;
  std::string channel;  // where notifications go; empty: the caller's
  // When it is too late to start the prompt, 0: never; none: as the settings say.
  std::optional<base::Time> start_before{};
};
Outcome<Answer> launch(const Caller& caller, const LaunchArguments& arguments);

struct GoOnArguments {
  bool lists = false;  // what can be resumed
  bool is_fork = false;
  std::string session;
  std::string prompt;  // empty: kResumePrompt
};
Outcome<Answer> go_on(const Caller& caller, const GoOnArguments& arguments);

struct RespondArguments {
  bool is_interrupting = false;
  std::string session;
  std::string message;
};
Outcome<Answer> respond(const Caller& caller, const RespondArguments& arguments);

enum class StatusFilter { all, starting, running, completed, failed, killed };

struct SessionsArguments {
  StatusFilter status = StatusFilter::all;
  std::int64_t limit = 50;
  std::int64_t before = 0;  // only sessions opened before this position; 0: all
};
Outcome<Answer> list_sessions(const Caller& caller, const SessionsArguments& arguments);

struct KillOneArguments {
  std::string session;
};
Outcome<Answer> kill_one(const Caller& caller, const KillOneArguments& arguments);

struct ShownArguments {
  std::string session;
  std::int64_t lines = 50;
  bool is_full = false;
  std::int64_t skipped = 0;  // of the last lines, which an earlier answer had
};
Outcome<Answer> show_output(const Caller& caller, const ShownArguments& arguments);

struct InterruptArguments {
  std::string session;
};
Outcome<Answer> interrupt_one(const Caller& caller, const InterruptArguments& arguments);

struct EventsArguments {
  std::string session;
  std::int64_t after = 0;  // a position; 0: from the session's first event on
  std::int64_t limit = 100;
  std::int64_t wait_ms = 0;  // for a first event
};
Outcome<Answer> list_events(const Caller& caller, const EventsArguments& arguments);

struct WatchedArguments {
  std::string session;     // background: empty: all that the channel watches
  std::int64_t lines = 0;  // of the output that come with the answer
  std::string channel;     // empty: the caller's
};
Outcome<Answer> to_foreground(const Caller& caller, const WatchedArguments& arguments);
Outcome<Answer> to_background(const Caller& caller, const WatchedArguments& arguments);

struct NoneArguments {};
Outcome<Answer> report_stats(const Caller& caller, const NoneArguments& arguments);

}  // namespace steno

template <>
struct base::EnumNames<steno::StatusFilter> {
  static constexpr std::string_view kNames[] = {"all",       "starting", "running",
                                                "completed", "failed",   "killed"};
};
