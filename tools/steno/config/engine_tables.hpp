// The tables [engines.NAME] of the configuration file: engines with a name of their own, and
// further settings of those that are always there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/result.hpp"
#include "tools/steno/config/config_file.hpp"
#include "workers/engines/engine_catalog.hpp"

namespace steno {

struct Config;
struct ConfigKey;
struct Setting;
enum class KeyKind;

constexpr std::string_view kEnginesTable = "engines";

// A table, where "the same" is what the settings outside tables say.
struct EngineTable {
  std::string name;
  const engines::EngineKind* kind = nullptr;
  std::string description;                          // empty: that of the kind
  std::optional<std::vector<std::string>> program;  // unset: the kind's
  std::optional<std::string> home;                  // unset: the same as agent_home
  std::optional<std::vector<std::string>> pass;     // unset: the same as agent_environment
  std::vector<std::string> environment;             // "NAME=value"
  std::optional<bool> is_sandboxed;                 // unset: the same as agent_sandboxed
  std::optional<std::vector<domain::HookPoint>> hook_points;  // unset: the kind's
  std::vector<std::pair<std::string, std::string>> said;      // key and where, as it was said
};

// Reads what the file says in tables; `path` is the file's, `user_home` the meaning of "~/". Errors
// `invalid`, with place and key: another table, a name or a value that is not accepted, an unknown
// key, a table without a kind.
base::Result<std::vector<EngineTable>> read_engine_tables(const std::vector<FileSetting>& settings,
                                                          const std::string& path,
                                                          const std::string& user_home);

// Returns the keys of a table, named "engines.NAME.program" and so on.
const std::vector<ConfigKey>& engine_keys();
// Returns the kind of a key of the table {"engines", NAME}; none: there is no such key.
std::optional<KeyKind> kind_of_engine_key(const std::vector<std::string>& table,
                                          const std::string& key);
// Returns what the tables say, named "engines.sandbox.program" and so on.
std::vector<Setting> engine_settings(const Config& config);

// Returns all engines: each kind under its own name, then those of the other tables, with all
// settings that are in the configuration.
engines::EngineCatalog engine_catalog(const Config& config);

}  // namespace steno
