// Two lists of commands and two of settings. A setting in no list belongs to `serve`.
#include "tools/steno/command_line/setting_use.hpp"

#include <set>
#include <string_view>

namespace steno {
namespace {

using Names = std::set<std::string_view>;

// Commands that ask a server, and so read no settings of one. Others can read them all.
const Names& asking() {
  static const Names kAsking = {"run",       "spawn",      "send",    "interrupt",  "continue",
                                "close",     "kill",       "resume",  "ls",         "show",
                                "attention", "foreground", "message", "background", "schedule",
                                "notify",    "output",     "watch",   "stats",      "chat",
                                "mcp",       "erase",      "backup",  "archive",    "anchor"};
  return kAsking;
}

// Of these, the ones that open sessions.
const Names& opening() {
  static const Names kOpening = {"run",           "spawn", "resume", "schedule add",
                                 "schedule edit", "chat",  "mcp"};
  return kOpening;
}

// Settings of whoever asks.
const Names& of_all() {
  static const Names kOfAll = {"config", "home",   "data_folder", "run_folder",
                               "agent",  "output", "timeout",     "log_level"};
  return kOfAll;
}

// Settings of a session, as far as whoever opens it says them.
const Names& of_sessions() {
  static const Names kOfSessions = {"engine",           "model",
                                    "fallback_model",   "workdir",
                                    "permission_mode",  "background",
                                    "budget_usd",       "idle_timeout",
                                    "run_timeout",      "repeated_calls_max",
                                    "remind_after",     "max_tokens",
                                    "max_tool_calls",   "max_output_bytes",
                                    "channel",          "folder_channels",
                                    "fallback_channel", "restart_policy",
                                    "start_within",     "mcp_permission_max",
                                    "mcp_workdirs",     "mcp_tools",
                                    "setting_sources",  "hooks_must_answer",
                                    "mcp_must_connect"};
  return kOfSessions;
}

// Of the settings of sessions, those that a schedule keeps for what it opens.
bool is_of_schedules(std::string_view key) {
  static const Names kOthers = {"start_within",       "folder_channels", "fallback_channel",
                                "mcp_permission_max", "mcp_workdirs",    "mcp_tools"};
  return !kOthers.contains(key);
}

// What some commands read besides.
bool is_read_besides(const std::string& command, std::string_view key) {
  if (key == "start_within") return command == "send";
  if (key == "channel") return command == "foreground" || command == "background";
  return (key == "chat_senders" || key == "chat_file_mentions") && command == "chat";
}

}  // namespace

std::string misplaced_flag(const std::string& command, const std::string& key) {
  const std::string first = command.substr(0, command.find(' '));
  if (!asking().contains(first) || of_all().contains(key) || is_read_besides(first, key)) return {};
  const std::string flag = flag_name(key);
  if (!of_sessions().contains(key)) {
    const std::string reader = key == "chat_senders" ? "chat" : "serve";
    return flag + " is read by steno " + reader + " only; steno " + command + " has no use for it";
  }
  const bool is_schedule = first == "schedule";
  if (is_schedule && !is_of_schedules(key)) {
    return flag + " is no setting of what a schedule opens; steno " + command +
           " has no use for it";
  }
  if (opening().contains(is_schedule ? command : first)) return {};
  std::string text = flag +
                     " is read where a session is opened (run, spawn, resume, schedule add "
                     "and edit, chat and mcp); steno " +
                     command + " has no use for it";
  if (first == "send") {
    text += ": a live session keeps its settings, so steno close REF, then steno resume REF " +
            flag + " …";
  }
  return text;
}

}  // namespace steno
