// Lists of commands; config/setting_reader has those of settings.
#include "tools/steno/command_line/setting_use.hpp"

#include <set>
#include <string_view>

#include "eventlog/domain/session/spec_settings.hpp"
#include "tools/steno/config/setting_reader.hpp"

namespace steno {
namespace {

using Names = std::set<std::string_view>;

constexpr std::string_view kWorktreeAtEnd = "worktree_at_end";

// Commands that ask a server, and so read no settings of one. Others can read them all.
const Names& asking() {
  static const Names kAsking = {
      "run",      "spawn",    "send",   "interrupt", "continue",   "close",   "kill",
      "resume",   "ls",       "show",   "attention", "foreground", "message", "background",
      "schedule", "notify",   "output", "search",    "attach",     "wait",    "logs",
      "watch",    "stats",    "chat",   "rules",     "approvals",  "approve", "deny",
      "set",      "commands", "answer", "hooks",     "mcp",        "conv",    "erase",
      "backup",   "archive",  "anchor", "label",     "rename",     "diff",    "worktree",
      "top"};
  return kAsking;
}

// Of these, the ones that open sessions.
const Names& opening() {
  static const Names kOpening = {"run",           "spawn", "resume", "schedule add",
                                 "schedule edit", "chat",  "mcp",    "conv send"};
  return kOpening;
}

bool is_of_sessions(std::string_view key) {
  return reader_of(key) == SettingReader::session_openers;
}

// A schedule keeps only the channel of what is said with a session's settings.
bool is_of_schedules(std::string_view key) {
  return domain::find_spec_setting(key) != nullptr || key == "channel";
}

// What some commands read besides.
bool is_read_besides(const std::string& command, std::string_view key) {
  const domain::SpecSetting* setting = domain::find_spec_setting(key);
  if (command == "set" && setting != nullptr) {
    return setting->change != domain::SettingChange::never;
  }
  if (key == kWorktreeAtEnd) return command == "run";
  if (key == "start_within") return command == "send";
  if (key == "channel") return command == "foreground" || command == "background";
  return (key == "chat_senders" || key == "chat_file_mentions") && command == "chat";
}

}  // namespace

std::string misplaced_flag(const std::string& command, const std::string& key) {
  const std::string first = command.substr(0, command.find(' '));
  const bool is_for_all = reader_of(key) == SettingReader::every_command;
  if (!asking().contains(first) || is_for_all || is_read_besides(first, key)) return {};
  const std::string flag = flag_name(key);
  if (!is_of_sessions(key) || key == kWorktreeAtEnd) {
    const std::string reader =
        key == "chat_senders" ? "chat" : (key == kWorktreeAtEnd ? "run" : "serve");
    return flag + " is read by steno " + reader + " only; steno " + command + " has no use for it";
  }
  const bool is_schedule = first == "schedule";
  const bool is_grouped = is_schedule || first == "conv";
  if (is_schedule && !is_of_schedules(key)) {
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
