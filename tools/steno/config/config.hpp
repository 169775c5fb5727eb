// The settings of `steno`. Each but those in tables of the file comes from the flag, else the
// environment variable STENO_<KEY>, else the TOML file, else the default.
//
// The file is the one named by --config or STENO_CONFIG. With --home or STENO_HOME it is
// <home>/steno.toml, otherwise $XDG_CONFIG_HOME/steno/steno.toml. Only a file named by --config or
// STENO_CONFIG must exist.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/strong_integer.hpp"
#include "eventlog/base/time.hpp"
#include "eventlog/domain/types.hpp"
#include "tools/steno/config/config_file.hpp"
#include "tools/steno/config/conversation_tables.hpp"
#include "tools/steno/config/engine_tables.hpp"
#include "tools/steno/config/hook_tables.hpp"
#include "workers/text/setting_text.hpp"

namespace domain {
struct ChannelRules;
}

namespace steno {

enum class OutputFormat { table, json, jsonl, prometheus };

// What becomes of the worktree of a session that `run` has followed to its end.
enum class WorktreeAtEnd { keep, remove_unchanged };

// Ascending: a later one wins.
enum class SettingSource { builtin, file, environment, flag };

struct Setting {
  std::string key;
  std::string value;  // in the form in which it can be given
  SettingSource source = SettingSource::builtin;
  std::string where;  // "default", "/path/steno.toml line 3", "STENO_AGENT", "--agent"

  bool operator==(const Setting&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("key", &Setting::key);
    visit("value", &Setting::value);
    visit("source", &Setting::source);
    visit("where", &Setting::where);
  }
};

// Returns argv by engine: the program's name if it is searched in the PATH, else an empty list.
std::map<std::string, std::vector<std::string>> builtin_programs();
// Returns the name of the setting that says how the engine is started.
std::string program_key(std::string_view engine);

struct Config {
  std::string config_file;       // the file that was read, or would be if it existed
  bool has_config_file = false;  // it was read
  bool is_config_named = false;  // a flag or a variable names it, and not the home
  std::string home;              // one private folder for everything; empty: none
  std::string data_folder;       // the log and what is derived from it
  std::string run_folder;        // sockets, the agents' private folders
  std::string agent = "main";
  std::int64_t max_sessions = 5;
  domain::SessionSpec session =
      workers::initial_spec();         // the settings of sessions that are opened
  base::NanoUsd daily_budget{};        // of all sessions of one agent; 0: no limit
  base::NanoUsd agent_budget{};        // likewise, over all days
  base::NanoUsd total_daily_budget{};  // of the sessions of all agents; 0: no limit
  std::string prices_file;             // what models cost, over the file beside the program
  // The first words of argv, for every engine.
  std::map<std::string, std::vector<std::string>> programs = builtin_programs();
  std::vector<EngineTable> engine_tables;  // by name
  engines::EngineCatalog engines;          // what follows from the settings about engines
  std::vector<HookTableRow> hooks;         // in the order in which they are asked
  ConversationTables conversations;
  // Why the tables of these two cannot be read. Only those who need them are kept from what they
  // do.
  std::optional<base::Error> tables_fault;
  std::string keeper_program;
  std::string program_folder;                  // of this program; it is no setting
  std::string agent_home;                      // HOME of agents; empty: the worker's own
  std::vector<std::string> agent_environment;  // names of variables that agents get as well
  bool is_agent_sandboxed = false;             // agents run where they can do no harm
  std::string log_level = "info";
  OutputFormat output = OutputFormat::table;
  bool keep_workers = false;  // workers and their agents outlive a stop of the server
  std::vector<std::string> archive_folders;           // where archives that were moved can be
  base::Duration timeout = std::chrono::seconds(10);  // of one request
  base::Duration worker_silence_max = std::chrono::seconds(10);
  base::Duration orphan_grace = std::chrono::minutes(30);
  base::Duration kill_grace = std::chrono::seconds(3);
  base::Duration stop_grace = std::chrono::seconds(10);       // of turns under way at a stop
  base::Duration idle_agent_stop = std::chrono::minutes(15);  // 0: never
  base::Duration task_wait = std::chrono::minutes(30);        // 0: for ever
  base::Duration silence_after = std::chrono::seconds(15);    // 0: never
  bool takes_file_mentions = false;  // a chat's prompt can have @/any/file, which the agent reads
  base::Duration start_within = std::chrono::hours(1);  // of prompts from chats; 0: never too late
  // Where notifications of a session go, in the order in which they are looked at: said for the
  // session, by the folder that it works in or below ("/folder=channel"), for all others.
  std::string channel;
  std::vector<std::string> folder_channels;
  std::string fallback_channel;
  WorktreeAtEnd worktree_at_end = WorktreeAtEnd::remove_unchanged;
  std::vector<std::string> chat_senders;  // places whose people can give commands
  // The most that programs can give to what they launch (workers/operations/grant.hpp).
  domain::PermissionMode mcp_permission_max = domain::PermissionMode::accept_edits;
  std::vector<std::string> mcp_workdirs;  // empty: any folder
  std::vector<std::string> mcp_tools;     // empty: any tool
  bool mcp_approvals = false;             // programs can approve what agents ask
  bool runs_gateway = false;              // beside the server
  // What delivers notifications; empty: nothing does.
  std::vector<std::string> notify_command;         // to channels
  std::vector<std::string> notify_system_command;  // to an orchestrator
  std::string notify_webhook_file;
  std::string notify_wake_file;
  bool notifies_desktop = false;
  std::int64_t notify_per_minute = 20;  // to one place; 0: no limit
  // Retention of the text of an ended session; 0: for ever. The last three apply by how the session
  // ended; unset: the first one applies.
  base::Duration keep_content_for{0};
  std::optional<base::Duration> keep_completed_for;
  std::optional<base::Duration> keep_failed_for;
  std::optional<base::Duration> keep_killed_for;

  std::vector<Setting> settings;  // every key outside tables, in the order of config_keys()
};

// Returns the path of the program that makes requests to webhooks.
std::string webhook_program(const Config& config);

// Returns where notifications of sessions go that name no channel.
domain::ChannelRules channel_rules(const Config& config);

// Everything that a configuration is made from, so that tests can make one without a process.
struct ConfigInput {
  std::map<std::string, std::string> flags;        // by key; "config" names the file
  std::map<std::string, std::string> environment;  // of the process
  std::string program_folder;                      // folder of the steno executable
  std::string working_folder;                      // base folder of relative paths
  std::function<base::Result<std::vector<FileSetting>>(const std::string& path)> read_file =
      read_config_file;
};

// Returns the input of this process.
ConfigInput process_input(std::map<std::string, std::string> flags);

// Errors: invalid, naming the setting, its place, and the accepted values, also for a variable
// STENO_… that nearly matches a setting; not_found for a named file that does not exist.
base::Result<Config> load_config(const ConfigInput& input);

// Returns the file that load_config() reads, or would read if it existed; empty: there is no place
// for one. Error invalid: its name is no path.
base::Result<std::string> config_file_of(const ConfigInput& input);

// Returns every setting: those outside tables of the file, then those of its tables. The values of
// variables that can be secrets are left out.
std::vector<Setting> all_settings(const Config& config);

enum class KeyKind;
// Returns the kind of the key of the file, such as {"max_sessions"} or {"engines", "sandbox",
// "home"}; none: there is no such key, or it stands in a list of tables.
std::optional<KeyKind> kind_of_key(const std::vector<std::string>& path);

// Sets a session's setting as a file beside the settings file says it, unless a flag or a variable
// says it. Relative paths begin at the file's folder. Errors invalid: as load_config().
base::Result<void> set_from_file(const FileSetting& setting, const std::string& path,
                                 Config& config);

struct ConfigKey {
  std::string_view name;      // in the file; STENO_<NAME> in the environment, --<name> as a flag
  std::string_view accepted;  // "a whole number from 1 to 10000"
  std::string_view help;
};
const std::vector<ConfigKey>& config_keys();
// Returns the builtin default; empty if there is none, or if it depends on the environment.
std::string default_text(std::string_view key);

// "max_sessions" → "--max-sessions", "STENO_MAX_SESSIONS".
std::string flag_name(std::string_view key);
// Returns the variable in which an agent is told its server's value of a setting.
std::string server_variable(std::string_view key);
std::string environment_name(std::string_view key);

// Returns flags that give another `steno` process exactly this configuration: "--agent=main", …
std::vector<std::string> flags_of(const Config& config);
// Returns those of the settings that flags set, or variables, too. A named configuration file is
// among them. A process that is given them reads the rest anew, from the file.
std::vector<std::string> given_flags(const Config& config, SettingSource least);

// True if a flag set the key.
bool is_flag(const Config& config, std::string_view key);
// True if any source set the key.
bool is_set(const Config& config, std::string_view key);

struct Endpoints {
  std::string command;
  std::string worker;
  std::string feed;
  std::string gateway;
};

// Returns the sockets in the run folder. Error too_large: a Unix socket's path has at most 107
// bytes.
base::Result<Endpoints> endpoints_of(const Config& config);

// True if a flag, a variable or the file names the run folder itself. Otherwise it follows from the
// data folder or the home, and a server that runs elsewhere says so in the data folder.
bool is_run_folder_said(const Config& config);

// The worker's lock and the folder of the sessions' locks. They lie beside the log, so that whoever
// opens the log sees who runs its agents, even after the run folder was changed or removed.
std::string worker_lock_of(const Config& config);
std::string session_locks_of(const Config& config);

}  // namespace steno

template <>
struct base::EnumNames<steno::OutputFormat> {
  static constexpr std::string_view kNames[] = {"table", "json", "jsonl", "prometheus"};
};
template <>
struct base::EnumNames<steno::WorktreeAtEnd> {
  static constexpr std::string_view kNames[] = {"keep", "remove-unchanged"};
};
template <>
struct base::EnumNames<steno::SettingSource> {
  static constexpr std::string_view kNames[] = {"default", "file", "environment", "flag"};
};
