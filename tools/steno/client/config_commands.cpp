// A changed file is read as the server reads it, alone, before it takes the place of the old one.
#include "tools/steno/client/config_commands.hpp"

#include <unistd.h>

#include <algorithm>

#include "eventlog/base/text_bytes.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/config/change_file.hpp"
#include "tools/steno/config/command_words.hpp"
#include "tools/steno/config/file_edit.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/config/setting_reader.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/nearest.hpp"
#include "workers/client/server_place.hpp"
#include "workers/json/json.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;

KeyPath key_path(const std::string& key) {
  KeyPath path(1);
  for (const char c : key) {
    if (c == '.') {
      path.emplace_back();
    } else {
      path.back() += c;
    }
  }
  return path;
}

const Setting* find_shown(const std::vector<Setting>& all, const std::string& key) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Setting& one) { return one.key == key; });
  return found == all.end() ? nullptr : &*found;
}

// True for digits with at most one point between them, as TOML has numbers.
bool has_number_form(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view whole = text.substr(0, point);
  const bool has_fraction = point == text.size() || is_digits(text.substr(point + 1));
  return is_digits(whole) && (whole.size() == 1 || whole.front() != '0') && has_fraction;
}

// Returns the value in TOML. What is not of the key's kind becomes a text, which the file's reader
// refuses with what is accepted.
std::string value_in_file(const std::optional<KeyKind>& kind, const std::string& text,
                          const std::string& working_folder) {
  const bool is_numeric = kind == KeyKind::integer || kind == KeyKind::money;
  if (is_numeric && has_number_form(text)) return text;
  if (kind == KeyKind::boolean && (text == "true" || text == "false")) return text;
  if (kind == KeyKind::words && text.starts_with('[')) return text;  // as the file has lists
  const bool is_relative =
      kind == KeyKind::path && !text.empty() && text.front() != '/' && text.front() != '~';
  // The file has no folder that relative paths begin at.
  if (!is_relative || text == "none") return toml_string(text);
  return toml_string(normal_path(working_folder + "/" + text));
}

// Returns what the text of the file says alone, without flags and variables that are stronger.
Result<Config> config_of_text(const ConfigInput& input, const std::string& path,
                              const std::string& text) {
  ConfigInput alone;
  alone.program_folder = input.program_folder;
  alone.working_folder = input.working_folder;
  alone.flags["config"] = path;
  alone.environment["XDG_DATA_HOME"] = "/";  // there is always a folder for the log
  if (const auto home = input.environment.find("HOME"); home != input.environment.end()) {
    alone.environment.insert(*home);
  }
  alone.read_file = [&text](const std::string& of) { return parse_config(text, of); };
  return load_config(alone);
}

// Returns what is wrong with the changed text of a file that was `before`; empty: nothing that was
// not wrong before.
std::optional<Failure> fault_of_change(const ConfigInput& input, const std::string& path,
                                       const std::string& before, const std::string& after) {
  const auto was = config_of_text(input, path, before);
  const auto is = config_of_text(input, path, after);
  // The line is one of a file that nobody sees.
  if (!is && was) return Failure{kExitUsage, is.error().text};
  if (!is) return Failure{kExitUsage, "the file has another fault: " + base::describe(is.error())};
  if (is->tables_fault && !was) return std::nullopt;
  if (is->tables_fault && !was->tables_fault) return Failure{kExitUsage, is->tables_fault->text};
  return std::nullopt;
}

OutputFormat form_of(const ConfigInput& input, const Result<Config>& loaded) {
  if (loaded) return loaded->output;
  const auto flag = input.flags.find("output");
  const auto variable = input.environment.find("STENO_OUTPUT");
  std::string said = variable == input.environment.end() ? "" : variable->second;
  if (flag != input.flags.end()) said = flag->second;
  return base::parse_enum<OutputFormat>(said).value_or(OutputFormat::table);
}

// True if a server of the configuration before the change runs, and has the old value of the key
// until it is started again.
bool needs_restart(const Config& before, const std::string& key) {
  static constexpr std::string_view kOfBoth[] = {"home", "data_folder", "run_folder", "log_level"};
  const bool is_of_both =
      std::find(std::begin(kOfBoth), std::end(kOfBoth), key) != std::end(kOfBoth);
  const bool is_read = is_of_both || reader_of(key) == SettingReader::server;
  return is_read && workers::data_holder(before.data_folder).is_there();
}

// Says what becomes of the change: who has the old value, and what is stronger than the file.
void tell_effect(const Config& before, const Config& config, const std::string& key, bool is_set) {
  const bool is_running = workers::data_holder(before.data_folder).is_there();
  if (is_running && config.data_folder != before.data_folder) {
    remark(
        "the server that runs keeps its folder, where commands do not look for it any more; steno "
        "stop --data-folder " +
        shell_word(before.data_folder) + " ends it");
  } else if (needs_restart(before, key)) {
    remark(
        "the server that runs has the value that it was started with; steno restart takes over "
        "this one");
  } else if (is_running && reader_of(key) == SettingReader::session_openers) {
    remark(
        "it counts for what is opened from now on; no restart is needed, but the gateway and "
        "steno mcp keep the old value until they are started again");
  } else if (is_running) {
    remark("it counts from the next command on; no restart is needed");
  }
  const auto all = all_settings(config);
  const Setting* now = find_shown(all, key);
  if (is_set && now != nullptr && now->source > SettingSource::file) {
    remark(now->where + " is stronger here: " + key + " is " + now->value);
  }
}

struct Changed {
  std::string path;
  Result<Config> before;  // what held until then
  bool is_changed = false;
  std::string text;  // of the file as it is now
};

using Edit = std::function<Result<std::string>(const std::string& before, const std::string& path)>;

Outcome<std::string> place_of_file(const ConfigInput& input) {
  const auto path = config_file_of(input);
  if (!path) return fail(path.error());
  if (!path->empty()) return *path;
  return fail(kExitUsage, "there is no place for a file; set HOME, XDG_CONFIG_HOME or --home");
}

// Changes the file, unless it would be wrong then.
Outcome<Changed> change_settings(const ConfigInput& input, const Edit& edit) {
  if (runs_in_session()) {
    return fail(kExitRefused,
                "an agent cannot change the settings that it is held to; a person does");
  }
  const auto path = place_of_file(input);
  if (!path) return tl::unexpected(path.error());
  Changed changed;
  changed.before = load_config(input);
  changed.path = *path;
  std::optional<Failure> fault;
  const auto is_changed = change_file(*path, [&](const std::string& before) -> Result<std::string> {
    auto after = edit(before, *path);
    if (!after) return after;
    fault = fault_of_change(input, *path, before, *after);
    if (fault) return base::failure(ErrorCode::refused, fault->text, *path);
    changed.text = *after;
    return after;
  });
  if (fault) return tl::unexpected(*fault);
  if (!is_changed) return fail(is_changed.error());
  changed.is_changed = *is_changed;
  return changed;
}

void print_change(const ConfigInput& input, const Changed& changed, const std::string& key) {
  const auto loaded = load_config(input);
  const auto& before = changed.before ? changed.before : loaded;
  const auto alone = config_of_text(input, changed.path, changed.text);
  const auto all = alone ? all_settings(*alone) : std::vector<Setting>();
  const Setting* found = find_shown(all, key);
  const bool is_set = found != nullptr && found->source == SettingSource::file;
  if (form_of(input, loaded) != OutputFormat::table) {
    workers::JsonObject object;
    object.add("key", key).add("config_file", changed.path).add("changed", changed.is_changed);
    if (is_set) object.add("value", found->value).add("where", found->where);
    object.add("restart", changed.is_changed && before && needs_restart(*before, key));
    print(object.text() + "\n");
    return;
  }
  const std::string what = is_set               ? key + " = " + found->value
                           : changed.is_changed ? key + " is no longer set"
                                                : key + " is not set";
  print(workers::safe_line(what + " in " + changed.path) + "\n");
  if (!changed.is_changed) {
    remark("it was so before");
  } else if (loaded) {
    tell_effect(*before, *loaded, key, is_set);
  }
}

std::optional<Failure> fault_of_key(const std::string& key) {
  const KeyPath path = key_path(key);
  if (kind_of_key(path)) return std::nullopt;
  if (path.front() == kHooksTables) {
    return Failure{kExitUsage,
                   "hooks are lists of tables, which an editor changes: steno config "
                   "path says where"};
  }
  std::vector<std::string> names;
  for (const ConfigKey& known : config_keys()) names.emplace_back(known.name);
  for (const ConfigKey& known : engine_keys()) {
    names.push_back("engines." + (path.size() > 1 ? path[1] : "NAME") +
                    std::string(known.name.substr(std::string_view("engines.NAME").size())));
  }
  for (const ConfigKey& known : conversation_keys()) names.emplace_back(known.name);
  const std::string meant = nearest_word(key, names);
  return Failure{kExitUsage,
                 "unknown key '" + key + "'; " +
                     (meant.empty() ? "steno config lists all" : "did you mean " + meant + "?")};
}

}  // namespace

Outcome<int> config_get(const Config& config, const ConfigArguments& arguments) {
  if (arguments.key.empty()) return show_config(config, NoArguments{});
  const auto all = all_settings(config);
  const Setting* found = find_shown(all, arguments.key);
  if (found == nullptr) {
    if (const auto fault = fault_of_key(arguments.key)) return tl::unexpected(*fault);
    return fail(kExitNotFound, arguments.key + " is not set");
  }
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*found) + "\n");
    return kExitOk;
  }
  print((is_stdout_terminal() ? workers::safe_text(found->value) : found->value) + "\n");
  remark("from " + found->where);
  return kExitOk;
}

Outcome<int> config_set(const ConfigInput& input, const ConfigArguments& arguments) {
  if (const auto fault = fault_of_key(arguments.key)) return tl::unexpected(*fault);
  if (!base::is_utf8(arguments.value) || arguments.value.find('\0') != std::string::npos) {
    return fail(kExitUsage, "the value is not text");
  }
  const KeyPath key = key_path(arguments.key);
  const std::string value = value_in_file(kind_of_key(key), arguments.value, input.working_folder);
  const auto changed =
      change_settings(input, [&](const std::string& before, const std::string& path) {
        return with_key(before, key, value, path);
      });
  if (!changed) return tl::unexpected(changed.error());
  print_change(input, *changed, arguments.key);
  return kExitOk;
}

Outcome<int> config_unset(const ConfigInput& input, const ConfigArguments& arguments) {
  const KeyPath key = key_path(arguments.key);
  bool is_there = false;
  const auto changed = change_settings(
      input, [&](const std::string& before, const std::string& path) -> Result<std::string> {
        auto after = without_key(before, key, path);
        if (!after) return tl::unexpected(after.error());
        is_there = after->has_value();
        return is_there ? **after : before;
      });
  // A key that nobody knows can be taken out of a file, too.
  if (changed && !is_there) {
    if (const auto fault = fault_of_key(arguments.key)) return tl::unexpected(*fault);
  }
  if (!changed) return tl::unexpected(changed.error());
  print_change(input, *changed, arguments.key);
  return kExitOk;
}

Outcome<int> config_path(const ConfigInput& input, const NoArguments&) {
  const auto path = place_of_file(input);
  if (!path) return tl::unexpected(path.error());
  const bool is_there = ::access(path->c_str(), F_OK) == 0;
  if (form_of(input, load_config(input)) != OutputFormat::table) {
    print(workers::JsonObject().add("config_file", *path).add("exists", is_there).text() + "\n");
    return kExitOk;
  }
  print(*path + "\n");
  if (!is_there) remark("it does not exist yet; steno config set makes it");
  return kExitOk;
}

}  // namespace steno
