// Lists of commands and of settings. A setting in no list, and of no session, belongs to `serve`.
#include "tools/steno/command_line/setting_use.hpp"

#include <set>
#include <string_view>

#include "eventlog/domain/session/spec_settings.hpp"

namespace steno {
namespace {

using Names = std::set<std::string_view>;

// Commands that ask a server, and so read no settings of one. Others can read them all.
const Names& asking() {
  static const Names kAsking = {
      "run",      "spawn",    "send",   "interrupt", "continue",   "close",   "kill",
      "resume",   "ls",       "show",   "attention", "foreground", "message", "background",
      "schedule", "notify",   "output", "search",    "attach",     "wait",    "logs",
      "watch",    "stats",    "chat",   "rules",     "approvals",  "approve", "deny",
      "set",      "commands", "answer", "hooks",     "mcp",        "conv",    "erase",
      "backup",   "archive",  "anchor", "label",     "top"};
  return kAsking;
}

// Of these, the ones that open sessions.
const Names& opening() {
  static const Names kOpening = {"run",           "spawn", "resume", "schedule add",
                                 "schedule edit", "chat",  "mcp",    "conv send"};
  return kOpening;
}

// Settings of whoever asks.
const Names& of_all() {
  static const Names kOfAll = {"config", "home",   "data_folder", "run_folder",
                               "agent",  "output", "timeout",     "log_level"};
  return kOfAll;
}

// True for a key that can be said with a session's settings and is none of them. A schedule keeps
// only the channel.
bool is_said_besides(std::string_view key, bool is_schedule) {
  static const Names kBesides = {"start_within",       "folder_channels", "fallback_channel",
                                 "mcp_permission_max", "mcp_workdirs",    "mcp_tools",
                                 "mcp_approvals"};
  return key == "channel" || (!is_schedule && kBesides.contains(key));
}

bool is_of_sessions(std::string_view key, bool is_schedule) {
  return domain::find_spec_setting(key) != nullptr || is_said_besides(key, is_schedule);
}

// What some commands read besides.
bool is_read_besides(const std::string& command, std::string_view key) {
  const domain::SpecSetting* setting = domain::find_spec_setting(key);
  if (command == "set" && setting != nullptr) {
    return setting->change != domain::SettingChange::never;
  }
  if (key == "start_within") return command == "send";
  if (key == "channel") return command == "foreground" || command == "background";
  return (key == "chat_senders" || key == "chat_file_mentions") && command == "chat";
}

}  // namespace

std::string misplaced_flag(const std::string& command, const std::string& key) {
  const std::string first = command.substr(0, command.find(' '));
  if (!asking().contains(first) || of_all().contains(key) || is_read_besides(first, key)) return {};
  const std::string flag = flag_name(key);
  if (!is_of_sessions(key, false)) {
    const std::string reader = key == "chat_senders" ? "chat" : "serve";
    return flag + " is read by steno " + reader + " only; steno " + command + " has no use for it";
  }
  const bool is_schedule = first == "schedule";
  const bool is_grouped = is_schedule || first == "conv";
  if (is_schedule && !is_of_sessions(key, true)) {
    return flag + " is no setting of what a schedule opens; steno " + command +
           " has no use for it";
  }
  if (opening().contains(is_grouped ? command : first)) return {};
  std::string text = flag +
                     " is read where a session is opened (run, spawn, resume, schedule add "
                     "and edit, conv send, chat and mcp); steno " +
                     command + " has no use for it";
  const domain::SpecSetting* setting = domain::find_spec_setting(key);
  const bool can_change = setting != nullptr && setting->change != domain::SettingChange::never;
  if (first == "send" && can_change) text += ": steno set REF " + flag + " … comes before";
  if ((first == "send" && !can_change) || first == "set") {
    text += ": a live session keeps it, so steno close REF, then steno resume REF " + flag + " …";
  }
  return text;
}

}  // namespace steno
