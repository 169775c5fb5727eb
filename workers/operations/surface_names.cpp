// Looks a name up twice: as it is listed, and as it follows from the operation's own.
#include "workers/operations/surface_names.hpp"

#include <algorithm>
#include <array>

namespace workers {
namespace {

// Names by which bots, agents and programs know operations since before these had their own. Empty:
// the surface has no other name.
struct Aliases {
  std::string_view operation;
  std::string_view tool;
  std::string_view chat;
  std::string_view method;
};

constexpr std::array kAliases{
    Aliases{"session.launch", "claude_launch", "claude", "claude-code.launch"},
    Aliases{"session.list", "claude_sessions", "claude_sessions", "claude-code.sessions"},
    Aliases{"session.kill", "claude_kill", "claude_kill", "claude-code.kill"},
    Aliases{"session.output", "claude_output", "", "claude-code.output"},
    Aliases{"session.foreground", "claude_fg", "claude_fg", ""},
    Aliases{"session.background", "claude_bg", "claude_bg", ""},
    Aliases{"session.resume", "", "claude_resume", ""},
    Aliases{"session.respond", "claude_respond", "claude_respond", "claude-code.respond"},
    Aliases{"session.interrupt", "", "", "claude-code.interrupt"},
    Aliases{"session.rename", "", "rename", ""},
    Aliases{"session.commands", "", "commands", ""},
    Aliases{"session.approvals", "", "approvals", ""},
    Aliases{"session.approve", "", "approve", ""},
    Aliases{"session.deny", "", "deny", ""},
    Aliases{"session.answer", "", "answer", ""},
    Aliases{"session.events", "", "", "claude-code.events"},
    Aliases{"conversation.send", "sessions_send", "", "chat.send"},
    Aliases{"conversation.spawn", "sessions_spawn", "", "sessions.spawn"},
    Aliases{"conversation.list", "sessions_list", "conversations", "sessions.list"},
    Aliases{"conversation.show", "", "conversation", "sessions.resolve"},
    Aliases{"conversation.history", "sessions_history", "", "chat.history"},
    Aliases{"conversation.preview", "", "", "sessions.preview"},
    Aliases{"conversation.patch", "", "", "sessions.patch"},
    Aliases{"conversation.reset", "", "", "sessions.reset"},
    Aliases{"conversation.stop", "", "", "chat.abort"},
    Aliases{"conversation.compact", "", "", "sessions.compact"},
    Aliases{"conversation.delete", "", "", "sessions.delete"},
    Aliases{"session.stats", "claude_stats", "claude_stats", "claude-code.stats"},
};

struct Surface {
  bool Surfaces::*has;
  std::string_view Aliases::*alias;
  bool has_dots;  // in its names
};

constexpr Surface kTools{&Surfaces::tool, &Aliases::tool, false};
constexpr Surface kChats{&Surfaces::chat, &Aliases::chat, false};
constexpr Surface kMethods{&Surfaces::method, &Aliases::method, true};

std::string own_name(const Operation& operation, const Surface& surface) {
  std::string name = operation.name;
  if (!surface.has_dots) std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string listed_name(const Operation& operation, const Surface& surface) {
  if (!(operation.surfaces.*surface.has)) return {};
  const auto found = std::find_if(kAliases.begin(), kAliases.end(), [&](const Aliases& aliases) {
    return aliases.operation == operation.name;
  });
  const bool has_alias = found != kAliases.end() && !((*found).*surface.alias).empty();
  return has_alias ? std::string((*found).*surface.alias) : own_name(operation, surface);
}

const Operation* find(const OperationTable& table, const Surface& surface,
                      std::string_view wanted) {
  const auto is_meant = [&](const Operation& operation) {
    return operation.surfaces.*surface.has &&
           (listed_name(operation, surface) == wanted || own_name(operation, surface) == wanted);
  };
  const auto found = std::find_if(table.rows.begin(), table.rows.end(), is_meant);
  return found == table.rows.end() ? nullptr : &*found;
}

}  // namespace

std::string tool_name(const Operation& operation) {
  return listed_name(operation, kTools);
}
std::string chat_name(const Operation& operation) {
  return listed_name(operation, kChats);
}
std::string method_name(const Operation& operation) {
  return listed_name(operation, kMethods);
}

const Operation* find_tool(const OperationTable& table, std::string_view name) {
  return find(table, kTools, name);
}
const Operation* find_chat(const OperationTable& table, std::string_view name) {
  return find(table, kChats, name);
}
const Operation* find_method(const OperationTable& table, std::string_view name) {
  return find(table, kMethods, name);
}

}  // namespace workers
