// Lists of settings. One in no list, and of no session, belongs to the server.
#include "tools/steno/config/setting_reader.hpp"

#include <set>

#include "eventlog/domain/session/spec_settings.hpp"

namespace steno {
namespace {

using Names = std::set<std::string_view>;

const Names& of_every_command() {
  static const Names kAll = {"config", "home",   "data_folder", "run_folder",
                             "agent",  "output", "timeout",     "log_level"};
  return kAll;
}

// What is said with a session's settings and is none of them.
const Names& said_besides() {
  static const Names kBesides = {"channel",      "start_within",     "folder_channels",
                                 "mcp_workdirs", "fallback_channel", "mcp_permission_max",
                                 "mcp_tools",    "mcp_approvals",    "worktree_at_end"};
  return kBesides;
}

}  // namespace

SettingReader reader_of(std::string_view key) {
  if (of_every_command().contains(key)) return SettingReader::every_command;
  const bool is_of_session =
      domain::find_spec_setting(key) != nullptr || said_besides().contains(key);
  return is_of_session ? SettingReader::session_openers : SettingReader::server;
}

}  // namespace steno
