// Values come from the strongest source; defaults that depend on the environment are made in
// default_of().
#include "tools/steno/config/config.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "eventlog/base/check.hpp"
#include "eventlog/domain/decision.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/config/command_words.hpp"
#include "tools/steno/config/run_folder.hpp"
#include "tools/steno/config/settings_table.hpp"
#include "tools/steno/config/sources.hpp"
#include "tools/steno/text/nearest.hpp"
#include "workers/engines/engines.hpp"

extern char** environ;

namespace steno {

using base::ErrorCode;
using base::Result;

namespace {

Given given_default(std::string text) {
  Given given;
  given.text = std::move(text);
  given.where = "default";
  return given;
}

Result<void> apply(Config& config, const Key& key, const Given& given) {
  if (key.set(config, given)) return {};
  const std::string name(key.key.name);
  const std::string names = name == "engine" ? engine_catalog(config).names_text() : std::string();
  return not_accepted(name, names.empty() ? key.key.accepted : names, key.kind, given);
}

// Returns a key's default, which can depend on keys before it.
Given default_of(const std::string& key, const Config& config, const ConfigInput& input) {
  if (key == "workdir") return given_default(input.working_folder);
  if (key == "prices_file") {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::path(config.config_file).parent_path();
    const bool is_there =
        !config.config_file.empty() && std::filesystem::exists(folder / "prices.toml", ignored);
    return given_default(is_there ? (folder / "prices.toml").string() : "");
  }
  if (key == "keeper_program") return given_default(input.program_folder + "/steno-keeper");
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    if (!kind->is_beside_steno || key != program_key(kind->name)) continue;
    return given_default(join_words({input.program_folder + "/" + std::string(kind->program)}));
  }
  // An agent's server is the default of what it runs; everything that is said is stronger.
  if (key == "data_folder" || key == "run_folder") {
    const auto of_server = input.environment.find(server_variable(key));
    if (of_server != input.environment.end()) return given_default(of_server->second);
  }
  if (key == "data_folder") {
    const std::string folder = xdg_folder(input, "XDG_DATA_HOME", "/.local/share");
    return given_default(folder.empty() ? "" : folder + "/steno");
  }
  if (key == "run_folder") return given_default(default_run_folder(config, input));
  return given_default("");
}

// Returns a folder below the home, with the strength of the home's own source.
std::optional<Given> from_home(const std::string& key, const Config& config,
                               const Sources& sources) {
  if (config.home.empty() || (key != "data_folder" && key != "run_folder")) return std::nullopt;
  auto given = sources.find("home");
  given->text = config.home + (key == "data_folder" ? "/data" : "/run");
  given->where = std::string(kByHome) + given->where;
  return given;
}

// Refuses a variable that nearly matches a setting's name, which would otherwise be ignored
// silently. Other variables, such as those of tests and agents, are not ours.
Result<void> check_variables(const ConfigInput& input) {
  constexpr std::string_view kPrefix = "STENO_";
  constexpr std::size_t kLettersMin = 5;  // a short name is close to many
  const auto is_variable = [&](const Key& key, const std::string& name) {
    return environment_name(key.key.name) == name;
  };
  for (const auto& [name, value] : input.environment) {
    if (!name.starts_with(kPrefix) || name.size() < kPrefix.size() + kLettersMin) continue;
    const auto is_it = [&, &variable = name](const Key& key) { return is_variable(key, variable); };
    if (name == "STENO_CONFIG" || std::any_of(keys().begin(), keys().end(), is_it)) continue;
    for (const Key& key : keys()) {
      const std::string meant = environment_name(key.key.name);
      const bool is_cut_off = meant.starts_with(name + "_");
      if (!is_cut_off && letters_apart(name, meant) > kLettersApartMax) continue;
      return base::failure(ErrorCode::invalid, "no such setting; did you mean " + meant + "?",
                           name);
    }
  }
  return {};
}

bool has_builtin(const std::string& key) {
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    if (kind->is_beside_steno && key == program_key(kind->name)) return false;
  }
  return key != "data_folder" && key != "run_folder" && key != "workdir" &&
         key != "keeper_program" && key != "prices_file";
}

}  // namespace

std::map<std::string, std::vector<std::string>> builtin_programs() {
  std::map<std::string, std::vector<std::string>> programs;
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    auto& program = programs[std::string(kind->name)];
    if (!kind->is_beside_steno) program = {std::string(kind->program)};
  }
  return programs;
}

std::string program_key(std::string_view engine) {
  return std::string(engine) + "_program";
}

ConfigInput process_input(std::map<std::string, std::string> flags) {
  ConfigInput input;
  input.flags = std::move(flags);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    input.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code ignored;
  input.program_folder =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
  input.working_folder = std::filesystem::current_path(ignored).string();
  return input;
}

std::string webhook_program(const Config& config) {
  return config.program_folder + "/steno-webhook";
}

std::string default_text(std::string_view key) {
  for (const Key& known : keys()) {
    if (known.key.name == key) return known.show(Config{});
  }
  return {};
}

Result<std::string> config_file_of(const ConfigInput& input) {
  auto file = choose_file(input, Sources(input));
  if (!file) return tl::unexpected(file.error());
  return std::move(file->path);
}

std::vector<Setting> all_settings(const Config& config) {
  std::vector<Setting> all = config.settings;
  for (Setting& setting : engine_settings(config)) all.push_back(std::move(setting));
  const std::vector<Setting>& said = config.conversations.said;
  all.insert(all.end(), said.begin(), said.end());
  return all;
}

std::optional<KeyKind> kind_of_key(const std::vector<std::string>& path) {
  if (path.size() > 1) {
    const std::vector<std::string> table(path.begin(), path.end() - 1);
    return table.front() == kEnginesTable ? kind_of_engine_key(table, path.back())
                                          : kind_of_conversation_key(table, path.back());
  }
  for (const Key& known : keys()) {
    if (path.front() == known.key.name) return known.kind;
  }
  return std::nullopt;
}

Result<Config> load_config(const ConfigInput& input) {
  if (auto ok = check_variables(input); !ok) return tl::unexpected(ok.error());
  Sources sources(input);
  const auto file = choose_file(input, sources);
  if (!file) return tl::unexpected(file.error());
  if (!file->path.empty()) {
    if (auto ok = sources.read_file(file->path, file->is_named); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  Config config;
  config.program_folder = input.program_folder;
  config.config_file = file->path;
  config.has_config_file = sources.has_file();
  config.is_config_named = file->is_named;
  auto tables =
      read_engine_tables(sources.in_tables(), file->path, lookup(input.environment, "HOME"));
  if (!tables) return tl::unexpected(tables.error());
  config.engine_tables = std::move(*tables);
  auto hooks = read_hook_tables(sources.in_tables(), file->path, lookup(input.environment, "HOME"));
  if (hooks) config.hooks = std::move(*hooks);
  if (!hooks) config.tables_fault = hooks.error();
  auto conversations = read_conversation_tables(sources.in_tables(), file->path);
  if (conversations) config.conversations = std::move(*conversations);
  if (!conversations) config.tables_fault = conversations.error();
  for (const Key& key : keys()) {
    const std::string name(key.key.name);
    auto given = sources.find(name);
    const auto derived = from_home(name, config, sources);
    if (derived && (!given || given->source < derived->source)) given = derived;
    if (!given) {
      given = default_of(name, config, input);
      const bool is_known = has_builtin(name) || key.set(config, *given);
      if (!is_known && name == "data_folder") {
        return base::failure(ErrorCode::invalid,
                             "there is no folder for the log; set HOME, XDG_DATA_HOME or --home",
                             name);
      }
    } else if (auto ok = apply(config, key, *given); !ok) {
      return tl::unexpected(ok.error());
    }
    config.settings.push_back({name, key.show(config), given->source, given->where});
  }
  config.engines = engine_catalog(config);
  return config;
}

Result<void> set_from_file(const FileSetting& setting, const std::string& path, Config& config) {
  const auto known = std::find_if(keys().begin(), keys().end(),
                                  [&](const Key& key) { return key.key.name == setting.key; });
  const auto shown = std::find_if(config.settings.begin(), config.settings.end(),
                                  [&](const Setting& one) { return one.key == setting.key; });
  CHECK(known != keys().end() && shown != config.settings.end());
  if (shown->source > SettingSource::file) return {};
  Given given = given_in_file(setting, path, user_home());
  given.relative_to = std::filesystem::path(path).parent_path().string();
  if (!fits(known->kind, setting.kind)) {
    return wrong_kind(setting.key, known->key, known->kind, given.where);
  }
  if (auto ok = apply(config, *known, given); !ok) return ok;
  *shown = {setting.key, known->show(config), given.source, given.where};
  return {};
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> kConfigKeys = [] {
    std::vector<ConfigKey> all;
    for (const Key& key : keys()) all.push_back(key.key);
    return all;
  }();
  return kConfigKeys;
}

std::string flag_name(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string server_variable(std::string_view key) {
  return environment_name("server_" + std::string(key));
}

std::string environment_name(std::string_view key) {
  std::string name = "STENO_" + std::string(key);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

std::vector<std::string> flags_of(const Config& config) {
  std::vector<std::string> flags;
  for (const Setting& setting : config.settings) {
    if (setting.value.empty()) continue;
    // Said as a flag, the initial value of a session's setting would be one that somebody chose.
    const bool is_left = setting.source == SettingSource::builtin && setting.key != "workdir" &&
                         domain::find_spec_setting(setting.key) != nullptr;
    if (!is_left) flags.push_back(flag_name(setting.key) + "=" + setting.value);
  }
  // Only the file can say what tables do.
  const bool has_tables = !config.engine_tables.empty() || !config.hooks.empty() ||
                          !config.conversations.said.empty() || config.tables_fault;
  if (has_tables) flags.push_back("--config=" + config.config_file);
  return flags;
}

std::vector<std::string> given_flags(const Config& config, SettingSource least) {
  std::vector<std::string> flags;
  for (const Setting& setting : config.settings) {
    if (setting.value.empty() || (setting.source < least && setting.key != "home")) continue;
    flags.push_back(flag_name(setting.key) + "=" + setting.value);
  }
  if (config.is_config_named) flags.push_back("--config=" + config.config_file);
  return flags;
}

bool is_flag(const Config& config, std::string_view key) {
  return std::any_of(config.settings.begin(), config.settings.end(), [&](const Setting& setting) {
    return setting.key == key && setting.source == SettingSource::flag;
  });
}

bool is_set(const Config& config, std::string_view key) {
  return std::any_of(config.settings.begin(), config.settings.end(), [&](const Setting& setting) {
    return setting.key == key && setting.source != SettingSource::builtin;
  });
}

domain::ChannelRules channel_rules(const Config& config) {
  domain::ChannelRules rules;
  rules.fallback = config.fallback_channel;
  for (const std::string& word : config.folder_channels) {
    const std::size_t at = word.find('=');
    rules.folders.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  return rules;
}

}  // namespace steno
