// What `steno` is set to, and where each setting comes from: the flag, else the environment
// variable STENO_<KEY>, else the TOML file, else the default.
//
// The file is the one that --config or STENO_CONFIG names; with --home or STENO_HOME it is
// <home>/steno.toml, and otherwise $XDG_CONFIG_HOME/steno/steno.toml. Only a named one must exist.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/strong.hpp"
#include "eventlog/base/time.hpp"
#include "eventlog/domain/types.hpp"
#include "tools/steno/config/config_file.hpp"

namespace steno {

enum class OutputFormat { table, json, jsonl };

// Ascending: a later one wins.
enum class SettingSource { builtin, file, environment, flag };

struct Setting {
  std::string key;
  std::string value;  // as it could be given
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

// How engines are started whose program is searched in the PATH; of the others nothing.
std::map<std::string, std::vector<std::string>> builtin_programs();
// The setting of how the engine is started.
std::string program_key(std::string_view engine);

struct Config {
  std::string config_file;  // that was read, or would be if it existed
  std::string home;         // one private folder for everything; empty: none
  std::string data_folder;  // the log and what is derived from it
  std::string run_folder;   // sockets, the agents' private folders
  std::string agent = "main";
  std::int64_t max_sessions = 5;
  base::NanoUsd budget{5'000'000'000};  // of one session, over its resumes and forks; 0: none
  domain::PermissionMode permission_mode = domain::PermissionMode::ask;
  std::string workdir;  // absolute
  std::string model;    // empty: the agent's own default
  std::string engine = "claude";
  // Start of argv, by engine: all of them.
  std::map<std::string, std::vector<std::string>> programs = builtin_programs();
  std::string keeper_program;
  std::string agent_home;  // HOME of agents; empty: the worker's own
  std::string log_level = "info";
  OutputFormat output = OutputFormat::table;
  bool keep_workers = false;  // workers and their agents outlive a stop of the server
  base::Duration timeout = std::chrono::seconds(10);  // of one request
  base::Duration worker_silence_max = std::chrono::seconds(10);
  base::Duration orphan_grace = std::chrono::minutes(30);
  base::Duration kill_grace = std::chrono::seconds(3);
  // How long the text of an ended session is kept; 0: for ever. The last three say so by how it
  // ended; none: as the first one says.
  base::Duration keep_content_for{0};
  std::optional<base::Duration> keep_completed_for;
  std::optional<base::Duration> keep_failed_for;
  std::optional<base::Duration> keep_killed_for;

  std::vector<Setting> settings;  // every key, in the order of config_keys()
};

// Everything that a configuration is made from, so that tests need no process of their own.
struct ConfigInput {
  std::map<std::string, std::string> flags;        // by key; "config" names the file
  std::map<std::string, std::string> environment;  // of the process
  std::string program_folder;                      // that the steno executable is in
  std::string working_folder;                      // that relative paths begin at
  base::Result<std::vector<FileSetting>> (*read_file)(const std::string& path) = read_config_file;
};

// That of this process.
ConfigInput process_input(std::map<std::string, std::string> flags);

// Errors: invalid, naming the setting, where it stands, and what is accepted, also for a variable
// STENO_… that is all but a setting's; not_found for a named file that does not exist.
base::Result<Config> load_config(const ConfigInput& input);

struct ConfigKey {
  std::string_view name;      // in the file; STENO_<NAME> in the environment, --<name> as a flag
  std::string_view accepted;  // "a whole number from 1 to 10000"
  std::string_view help;
};
const std::vector<ConfigKey>& config_keys();
// What holds when nobody says anything; empty: nothing, or what depends on the surroundings.
std::string default_text(std::string_view key);

// "max_sessions" → "--max-sessions", "STENO_MAX_SESSIONS".
std::string flag_name(std::string_view key);
std::string environment_name(std::string_view key);

// Flags that give another `steno` process exactly this configuration: "--agent=main", …
std::vector<std::string> flags_of(const Config& config);

// The key was given by a flag.
bool is_flag(const Config& config, std::string_view key);
// The key was given at all.
bool is_set(const Config& config, std::string_view key);

struct Endpoints {
  std::string command;
  std::string worker;
  std::string feed;
};

// In the run folder. Error too_large: a Unix socket's path has at most 107 bytes.
base::Result<Endpoints> endpoints_of(const Config& config);

// The worker's lock and the folder of the sessions' locks. They lie beside the log: whoever opens
// it sees who runs its agents, also after the run folder was changed or removed.
std::string worker_lock_of(const Config& config);
std::string session_locks_of(const Config& config);

}  // namespace steno

template <>
struct base::EnumNames<steno::OutputFormat> {
  static constexpr std::string_view kNames[] = {"table", "json", "jsonl"};
};
template <>
struct base::EnumNames<steno::SettingSource> {
  static constexpr std::string_view kNames[] = {"default", "file", "environment", "flag"};
};
