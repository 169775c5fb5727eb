// A row for each key says how it is read into a table, and shown.
#include "tools/steno/config/engine_tables.hpp"

#include <algorithm>
#include <map>

#include "tools/steno/config/command_words.hpp"
#include "tools/steno/config/conversation_tables.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/config/hook_tables.hpp"
#include "workers/engines/engines.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::size_t kNameBytesMax = 64;
constexpr std::string_view kNameAccepted = "1 to 64 of a-z 0-9 _ -";
constexpr std::string_view kPrefix = "engines.NAME.";  // of the names that people read

struct EngineKey {
  ConfigKey key;
  KeyKind kind;
  // Returns false if the value is not accepted.
  bool (*set)(EngineTable&, const Given&);
  std::string (*show)(const EngineTable&);
};

bool set_kind(EngineTable& table, const Given& given) {
  table.kind = engines::find_kind(given.text);
  const bool is_own = engines::find_kind(table.name) != nullptr;
  return table.kind != nullptr && (!is_own || table.kind->name == table.name);
}

bool set_program(EngineTable& table, const Given& given) {
  table.program = program_of(given);
  return table.program.has_value();
}

bool set_home(EngineTable& table, const Given& given) {
  table.home = resolve_path(given, given.text);
  return table.home.has_value();
}

bool set_pass(EngineTable& table, const Given& given) {
  table.pass = words_of(given);
  return table.pass && std::all_of(table.pass->begin(), table.pass->end(), is_variable_name);
}

bool set_environment(EngineTable& table, const Given& given) {
  const auto is_variable = [](const std::string& entry) {
    const std::size_t equals = entry.find('=');
    return equals != std::string::npos && is_variable_name(entry.substr(0, equals)) &&
           entry.find('\0') == std::string::npos;
  };
  auto entries = words_of(given);
  if (!entries || !std::all_of(entries->begin(), entries->end(), is_variable)) return false;
  table.environment = std::move(*entries);
  return true;
}

// Returns the names of the variables: the values can be secrets, which nobody is shown.
std::string names_of(const std::vector<std::string>& environment) {
  std::vector<std::string> names;
  names.reserve(environment.size());
  for (const std::string& entry : environment) {
    names.push_back(entry.substr(0, entry.find('=')) + "=…");
  }
  return join_words(names);
}

bool set_sandboxed(EngineTable& table, const Given& given) {
  table.is_sandboxed = given.text == "true";
  return true;
}

bool set_engine_points(EngineTable& table, const Given& given) {
  const auto words = words_of(given);
  if (!words) return false;
  table.hook_points.emplace();
  for (const std::string& word : *words) {
    const auto point = base::parse_enum<domain::HookPoint>(word);
    const auto& known = table.kind == nullptr ? engines::engine_kinds().front()->hook_points
                                              : table.kind->hook_points;
    if (!point || std::find(known.begin(), known.end(), *point) == known.end()) return false;
    table.hook_points->push_back(*point);
  }
  return true;
}

bool set_description(EngineTable& table, const Given& given) {
  table.description = given.text;
  return !given.text.empty() && is_one_line(given.text);
}

const std::vector<EngineKey>& table_keys() {
  static const std::string kKinds = engines::kind_names_text();
  static const std::vector<EngineKey> kKeys = {
      {{"engines.NAME.kind", kKinds, "Kind of agent; a table that is named after one needs none"},
       KeyKind::text,
       set_kind,
       [](const EngineTable& t) { return std::string(t.kind->name); }},
      {{"engines.NAME.program", kProgramAccepted, "How to start it; default: as its kind"},
       KeyKind::words,
       set_program,
       [](const EngineTable& t) { return join_words(*t.program); }},
      {{"engines.NAME.home", kPathAccepted, "HOME of its agents; default: agent_home"},
       KeyKind::path,
       set_home,
       [](const EngineTable& t) { return *t.home; }},
      {{"engines.NAME.pass", kVariablesAccepted,
        "Variables of the server's environment that its agents get, too; default: "
        "agent_environment"},
       KeyKind::words,
       set_pass,
       [](const EngineTable& t) { return join_words(*t.pass); }},
      {{"engines.NAME.environment", "variables such as NAME=value, separated by blanks",
        "Variables that its agents have; these are stronger than all others"},
       KeyKind::words,
       set_environment,
       [](const EngineTable& t) { return names_of(t.environment); }},
      {{"engines.NAME.sandboxed", "true or false",
        "Its agents run where they can do no harm; default: agent_sandboxed"},
       KeyKind::boolean,
       set_sandboxed,
       [](const EngineTable& t) { return std::string(*t.is_sandboxed ? "true" : "false"); }},
      {{"engines.NAME.hook_points",
        "PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure, SubagentStop, Stop or "
        "PreCompact",
        "The points at which its agents can be asked, if that are not all of its kind's"},
       KeyKind::words,
       set_engine_points,
       [](const EngineTable& t) {
         std::vector<std::string> words;
         for (const domain::HookPoint point : *t.hook_points) {
           words.emplace_back(base::enum_name(point));
         }
         return join_words(words);
       }},
      {{"engines.NAME.description", "a line of text", "What people are to know of it"},
       KeyKind::text,
       set_description,
       [](const EngineTable& t) { return t.description; }},
  };
  return kKeys;
}

std::string_view short_name(const EngineKey& key) {
  return key.key.name.substr(kPrefix.size());
}

const EngineKey* find_key(std::string_view name) {
  const auto& all = table_keys();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const EngineKey& key) { return short_name(key) == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineKey& key : table_keys()) names.emplace_back(short_name(key));
  return names;
}

bool is_engine_name(std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kNameBytesMax &&
         std::all_of(name.begin(), name.end(), is_part);
}

std::string titled(std::string_view name) {
  return std::string("[engines.").append(name).append("]");
}

// Reads one setting after the other into the tables.
class TableReader {
 public:
  TableReader(const std::string& path, const std::string& user_home)
      : path_(path), user_home_(user_home) {}

  Result<void> read(const FileSetting& setting) {
    where_ = path_ + " line " + std::to_string(setting.line);
    if (setting.table.empty()) return read_outermost(setting);
    if (setting.table.size() == 1) return begin(setting);
    return read_key(setting);
  }

  Result<std::vector<EngineTable>> take() {
    for (EngineTable& table : tables_) {
      if (table.kind == nullptr) table.kind = engines::find_kind(table.name);
      if (table.kind == nullptr) {
        return base::failure(
            ErrorCode::invalid,
            titled(table.name) + " has no kind; accepted: " + engines::kind_names_text(),
            begun_at_[table.name]);
      }
    }
    return std::move(tables_);
  }

 private:
  Result<void> read_outermost(const FileSetting& setting) const {
    const bool is_engines = setting.key == kEnginesTable;
    if (is_engines && setting.kind == FileValueKind::table) return {};
    if (is_engines) return fail("engines is of the wrong kind; accepted are tables [engines.NAME]");
    return fail("unknown table [" + setting.key +
                "]; known are [engines.NAME], [[hooks]] "
                "and [conversations]");
  }

  Result<void> begin(const FileSetting& setting) {
    if (setting.kind != FileValueKind::table) {
      return fail("engines." + setting.key +
                  " is of the wrong kind; accepted are tables [engines.NAME]");
    }
    if (!is_engine_name(setting.key)) {
      return fail("'" + setting.key + "' is not accepted as the name of an engine; accepted: " +
                  std::string(kNameAccepted));
    }
    tables_.emplace_back().name = setting.key;
    begun_at_[setting.key] = where_;
    return {};
  }

  Result<void> read_key(const FileSetting& setting) {
    EngineTable& table = tables_.back();
    const EngineKey* key = find_key(setting.key);
    if (key == nullptr) return unknown_key(setting.key, titled(table.name), engine_names(), where_);
    const std::string name = titled(table.name) + " " + setting.key;
    if (!fits(key->kind, setting.kind)) return wrong_kind(name, key->key, key->kind, where_);
    const Given given = given_in_file(setting, path_, user_home_);
    if (!key->set(table, given)) {
      if (setting.key == "environment") {
        return fail(name + " is not accepted; accepted: " + std::string(key->key.accepted));
      }
      const bool is_own_kind = setting.key == "kind" && engines::find_kind(table.name) != nullptr;
      return not_accepted(name, is_own_kind ? table.name : key->key.accepted, key->kind, given);
    }
    table.said.emplace_back(setting.key, where_);
    return {};
  }

  tl::unexpected<base::Error> fail(std::string text) const {
    return base::failure(ErrorCode::invalid, std::move(text), where_);
  }

  const std::string& path_;
  const std::string& user_home_;
  std::string where_;  // of the setting in work
  std::vector<EngineTable> tables_;
  std::map<std::string, std::string> begun_at_;
};

}  // namespace

Result<std::vector<EngineTable>> read_engine_tables(const std::vector<FileSetting>& settings,
                                                    const std::string& path,
                                                    const std::string& user_home) {
  TableReader reader(path, user_home);
  for (const FileSetting& setting : settings) {
    const std::string& outermost = setting.table.empty() ? setting.key : setting.table.front();
    if (outermost == kHooksTables || outermost == kConversationsTable) continue;
    if (auto ok = reader.read(setting); !ok) return tl::unexpected(ok.error());
  }
  return reader.take();
}

const std::vector<ConfigKey>& engine_keys() {
  static const std::vector<ConfigKey> kKeys = [] {
    std::vector<ConfigKey> all;
    for (const EngineKey& key : table_keys()) all.push_back(key.key);
    return all;
  }();
  return kKeys;
}

std::optional<KeyKind> kind_of_engine_key(const std::vector<std::string>& table,
                                          const std::string& key) {
  const EngineKey* known = table.size() == 2 ? find_key(key) : nullptr;
  return known == nullptr ? std::nullopt : std::optional(known->kind);
}

std::vector<Setting> engine_settings(const Config& config) {
  std::vector<Setting> all;
  for (const EngineTable& table : config.engine_tables) {
    for (const auto& [key, where] : table.said) {
      all.push_back({"engines." + table.name + "." + key, find_key(key)->show(table),
                     SettingSource::file, where});
    }
  }
  return all;
}

engines::EngineCatalog engine_catalog(const Config& config) {
  std::vector<engines::CatalogEntry> entries;
  const auto add = [&](const EngineTable& table) {
    const engines::EngineKind& kind = *table.kind;
    engines::EngineSettings settings;
    settings.program = table.program.value_or(config.programs.at(std::string(kind.name)));
    settings.home = table.home.value_or(config.agent_home);
    settings.passed_names = table.pass.value_or(config.agent_environment);
    settings.environment = table.environment;
    settings.is_sandboxed = table.is_sandboxed.value_or(config.is_agent_sandboxed);
    entries.push_back(
        {table.name, &kind,
         table.description.empty() ? std::string(kind.description) : table.description,
         std::move(settings), table.hook_points});
  };
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    EngineTable table;
    table.name = kind->name;
    table.kind = kind;
    for (const EngineTable& own : config.engine_tables) {
      if (own.name == kind->name) table = own;
    }
    add(table);
  }
  for (const EngineTable& table : config.engine_tables) {
    if (engines::find_kind(table.name) == nullptr) add(table);
  }
  return engines::EngineCatalog(std::move(entries));
}

}  // namespace steno
