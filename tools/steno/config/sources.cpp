// Keys of the file are checked when it is read, values when they are used.
#include "tools/steno/config/sources.hpp"

#include <algorithm>

#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/config/settings_table.hpp"
#include "tools/steno/text/nearest.hpp"
#include "workers/engines/engines.hpp"

namespace steno {

using base::ErrorCode;
using base::Result;

namespace {

constexpr std::string_view kFileName = "steno.toml";

// Returns the key that a name may have been meant for; empty: it is near none.
std::string nearest_key(const std::string& name) {
  std::vector<std::string> names;
  for (const Key& key : keys()) names.emplace_back(key.key.name);
  return nearest_word(name, names);
}

// Returns the setting that the key of a table is another spelling of; empty: it is none.
// [engines.claude] program is claude_program.
std::string spelled_flat(const FileSetting& setting) {
  const bool is_program = setting.table.size() == 2 && setting.table[0] == kEnginesTable &&
                          setting.key == "program" &&
                          engines::find_kind(setting.table[1]) != nullptr;
  return is_program ? program_key(setting.table[1]) : std::string();
}

}  // namespace

std::string lookup(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

std::string xdg_folder(const ConfigInput& input, const std::string& variable,
                       const std::string& below_home) {
  std::string value = lookup(input.environment, variable);
  if (value.starts_with('/')) return value;
  const std::string user_home = lookup(input.environment, "HOME");
  return user_home.starts_with('/') && !below_home.empty() ? user_home + below_home : std::string();
}

Result<void> Sources::read_file(const std::string& path, bool must_exist) {
  auto settings = input_.read_file(path);
  if (!settings) {
    if (settings.error().code == ErrorCode::not_found && !must_exist) return {};
    return tl::unexpected(settings.error());
  }
  has_file_ = true;
  for (FileSetting& setting : *settings) {
    if (auto ok = accept(setting, path); !ok) return ok;
  }
  return {};
}

std::optional<Given> Sources::find(const std::string& key) const {
  Given given;
  given.user_home = lookup(input_.environment, "HOME");
  const auto flag = input_.flags.find(key);
  const auto variable = input_.environment.find(environment_name(key));
  if (flag != input_.flags.end()) {
    given.text = flag->second;
    given.source = SettingSource::flag;
    given.where = flag_name(key);
    given.relative_to = input_.working_folder;
  } else if (variable != input_.environment.end() && !variable->second.empty()) {
    given.text = variable->second;
    given.source = SettingSource::environment;
    given.where = environment_name(key);
    given.relative_to = input_.working_folder;
  } else if (const auto setting = file_.find(key); setting != file_.end()) {
    return given_in_file(setting->second, path_, given.user_home);
  } else {
    return std::nullopt;
  }
  return given;
}

Result<void> Sources::accept(FileSetting& setting, const std::string& path) {
  const std::string where = path + " line " + std::to_string(setting.line);
  path_ = path;
  const std::string flat = spelled_flat(setting);
  const bool is_in_table = !setting.table.empty() || setting.key == kEnginesTable ||
                           setting.key == kHooksTables || setting.key == kConversationsTable ||
                           setting.kind == FileValueKind::table ||
                           setting.kind == FileValueKind::tables;
  if (is_in_table && flat.empty()) {
    in_tables_.push_back(std::move(setting));
    return {};
  }
  if (!flat.empty()) setting.key = flat;
  const auto known = std::find_if(keys().begin(), keys().end(),
                                  [&](const Key& key) { return key.key.name == setting.key; });
  if (known == keys().end()) {
    const std::string meant = nearest_key(setting.key);
    std::string names;
    for (const Key& key : keys()) {
      names += (names.empty() ? "" : ", ") + std::string(key.key.name);
    }
    return base::failure(ErrorCode::invalid,
                         "unknown key '" + setting.key + "'; " +
                             (meant.empty() ? "known are " + names : "did you mean " + meant + "?"),
                         where);
  }
  if (!fits(known->kind, setting.kind)) {
    return wrong_kind(setting.key, known->key, known->kind, where);
  }
  if (file_.contains(setting.key)) {
    const std::string engine = setting.key.substr(0, setting.key.rfind('_'));
    return base::failure(
        ErrorCode::invalid,
        setting.key + " and [engines." + engine + "] program are one setting; keep one of them",
        where);
  }
  const std::string key = setting.key;
  file_.emplace(key, std::move(setting));
  return {};
}

Result<ConfigFile> choose_file(const ConfigInput& input, const Sources& sources) {
  const auto named = sources.find("config");
  const auto home = sources.find("home");
  if (named && (!home || named->source >= home->source)) {
    auto path = resolve_path(*named, named->text);
    if (path) return ConfigFile{std::move(*path), true};
    return base::failure(ErrorCode::invalid, "'" + named->text + "' is not a path", named->where);
  }
  if (home) {
    auto path = resolve_path(*home, home->text);
    if (path) return ConfigFile{normal_path(*path + "/" + std::string(kFileName)), false};
    return base::failure(ErrorCode::invalid, "home = '" + home->text + "' is not a path",
                         home->where);
  }
  const std::string folder = xdg_folder(input, "XDG_CONFIG_HOME", "/.config");
  return ConfigFile{folder.empty() ? "" : folder + "/steno/" + std::string(kFileName), false};
}

}  // namespace steno
