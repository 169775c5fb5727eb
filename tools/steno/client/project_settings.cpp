// The file is applied to a copy of the configuration, and what the copy has beyond the original is
// what needs trust. So no list of dangerous settings can be out of date.
#include "tools/steno/client/project_settings.hpp"
#include "tools/steno/config/absolute_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "tools/steno/client/line_input.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/config/project_file.hpp"
#include "tools/steno/config/trusted_files.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/grant.hpp"
#include "workers/text/file_mention.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using base::Result;

constexpr std::string_view kNoFile = "none";  // as a template's name

// A key of a session that is no setting: the flag of `run` that says the same, and how it is set.
struct FlagKey {
  ConfigKey key;
  std::string_view flag;
  KeyKind kind;
  bool (*set)(SpawnArguments&, const Given&);  // returns false if the value is not accepted
};

template <std::string SpawnArguments::*member>
bool set_words(SpawnArguments& arguments, const Given& given) {
  arguments.*member = given.text;
  return !given.text.empty();
}
template <bool SpawnArguments::*member>
bool set_truth(SpawnArguments& arguments, const Given& given) {
  arguments.*member = given.text == "true";
  return true;
}

const std::vector<FlagKey>& flag_keys() {
  static const std::vector<FlagKey> kKeys = {
      {{"prompt", "a text", ""}, "", KeyKind::text, set_words<&SpawnArguments::prompt>},
      {{"name", "a name", ""}, "--name", KeyKind::text, set_words<&SpawnArguments::name>},
      {{"system_prompt", "a text", ""},
       "--system-prompt",
       KeyKind::text,
       set_words<&SpawnArguments::system_prompt>},
      {{"multi_turn", "true or false", ""},
       "--multi-turn",
       KeyKind::boolean,
       set_truth<&SpawnArguments::is_multi_turn>},
      {{"continue_after_failure", "true or false", ""},
       "--continue-after-failure",
       KeyKind::boolean,
       set_truth<&SpawnArguments::continues_after_failure>},
      {{"max_turns", "a whole number (0: no limit)", ""},
       "--max-turns",
       KeyKind::integer,
       [](SpawnArguments& arguments, const Given& given) {
         const auto number = base::parse_digits(given.text);
         arguments.max_turns = number.value_or(0);
         return number.has_value();
       }},
      {{"allow_tool", "a list of tools such as [\"Read\", \"Bash(make *)\"]", ""},
       "--allow-tool",
       KeyKind::words,
       [](SpawnArguments& arguments, const Given& given) {
         const auto tools = words_of(given);
         arguments.allowed_tools = tools.value_or(std::vector<std::string>());
         return tools.has_value();
       }},
  };
  return kKeys;
}

const FlagKey* find_flag_key(const std::string& key) {
  for (const FlagKey& one : flag_keys()) {
    if (one.key.name == key) return &one;
  }
  return nullptr;
}

std::vector<std::string> project_keys() {
  std::vector<std::string> names = {"channel", "start_within"};
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    names.emplace_back(setting.key);
  }
  for (const FlagKey& one : flag_keys()) names.emplace_back(one.key.name);
  return names;
}

bool is_said(const FlagKey& key, const SpawnArguments& arguments) {
  if (key.flag.empty()) return !arguments.prompt.empty() || !arguments.place.file.empty();
  return std::find(arguments.said.begin(), arguments.said.end(), key.flag) != arguments.said.end();
}

Result<void> take_flag_key(const FlagKey& key, const FileSetting& setting, const std::string& path,
                           SpawnArguments& arguments) {
  const Given given = given_in_file(setting, path, {});
  if (!fits(key.kind, setting.kind)) {
    return wrong_kind(setting.key, key.key, key.kind, given.where);
  }
  if (key.set(arguments, given)) return {};
  return not_accepted(setting.key, key.key.accepted, key.kind, given);
}

// Returns the opening with these settings of the file.
Result<Opening> apply_project(Opening opening, const ProjectFile& file,
                              const std::vector<FileSetting>& settings) {
  const SpawnArguments typed = opening.arguments;
  for (const FileSetting& setting : settings) {
    const FlagKey* key = find_flag_key(setting.key);
    if (key == nullptr) {
      if (auto ok = set_from_file(setting, file.path, opening.config); !ok) {
        return tl::unexpected(ok.error());
      }
    } else if (!is_said(*key, typed)) {
      if (auto ok = take_flag_key(*key, setting, file.path, opening.arguments); !ok) {
        return tl::unexpected(ok.error());
      }
    }
  }
  return opening;
}

// Returns which of the settings give an agent more than there is without the file.
std::vector<FileSetting> widening(const Opening& before, const Opening& after,
                                  const ProjectFile& file,
                                  const std::vector<FileSetting>& settings) {
  const std::string folder = std::filesystem::path(file.path).parent_path().string();
  std::vector<std::string_view> keys =
      workers::given_beyond(before.config.session, {folder}, after.config.session);
  // What is told of a session goes to another place; Claude Code reads a file that it is told of.
  if (after.config.channel != before.config.channel) keys.emplace_back("channel");
  if (after.arguments.allowed_tools != before.arguments.allowed_tools) {
    keys.emplace_back("allow_tool");
  }
  const auto check_text = [&](std::string_view key, std::string SpawnArguments::*text) {
    const bool is_taken = after.arguments.*text != before.arguments.*text;
    if (is_taken && !workers::file_mention(after.arguments.*text).empty()) keys.push_back(key);
  };
  check_text("prompt", &SpawnArguments::prompt);
  check_text("system_prompt", &SpawnArguments::system_prompt);
  std::vector<FileSetting> found;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(found),
               [&](const FileSetting& setting) {
                 return std::find(keys.begin(), keys.end(), setting.key) != keys.end();
               });
  return found;
}

std::string quoted(const std::string& path) {
  return path.find_first_of(" \t\n'\"\\$`") == std::string::npos ? path : "'" + path + "'";
}

std::string keys_text(const std::vector<FileSetting>& settings) {
  std::string text;
  for (const FileSetting& setting : settings) {
    text +=
        (text.empty() ? "" : ", ") + setting.key + " (line " + std::to_string(setting.line) + ")";
  }
  return text;
}

Outcome<bool> check_trust(const Config& config, const ProjectFile& file,
                          const std::vector<FileSetting>& more) {
  if (more.empty() && !file.is_foreign) return true;
  const Trust trust = trust_in(trust_list_of(config), file);
  if (trust == Trust::given) return true;
  std::string why = more.empty() ? "belongs to another user"
                                 : "gives agents more than you do: " + keys_text(more);
  if (trust == Trust::changed) why = "has changed since you trusted it, and " + why;
  return fail(kExitRefused, file.path + " " + why + ". Read it, then say steno config trust " +
                                quoted(file.path) + "; --template none does without the file");
}

std::string current_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

}  // namespace

Outcome<Opening> with_project(const Config& config, const SpawnArguments& arguments) {
  const Opening before{config, arguments};
  if (arguments.template_name == kNoFile) return before;
  std::string looked_up_to;
  const std::string path = find_project_file(current_folder(), user_home(), looked_up_to);
  if (path.empty() && arguments.template_name.empty()) return before;
  if (path.empty()) {
    return fail(kExitNotFound, "there is no template '" + arguments.template_name + "': no " +
                                   std::string(kProjectFile) + " is here or above, up to " +
                                   looked_up_to);
  }
  const auto file = read_project_file(path, project_keys());
  if (!file) return fail(file.error());
  const auto settings = settings_of(*file, arguments.template_name);
  if (!settings) return fail(settings.error());
  const auto after = apply_project(before, *file, *settings);
  if (!after) return fail(after.error());
  const auto ok = check_trust(config, *file, widening(before, *after, *file, *settings));
  if (!ok) return tl::unexpected(ok.error());
  if (config.output == OutputFormat::table && !settings->empty()) {
    remark("steno: settings of " + path +
           (arguments.template_name.empty() ? "" : ", template " + arguments.template_name));
  }
  return *after;
}

namespace {

// Returns what the file gives beyond the user's own settings, whichever template is used.
Outcome<std::vector<FileSetting>> all_widening(const Config& config, const ProjectFile& file) {
  std::vector<std::string> names = templates_of(file);
  names.insert(names.begin(), std::string());
  const Opening before{config, {}};
  std::vector<FileSetting> all;
  for (const std::string& name : names) {
    const auto settings = settings_of(file, name);
    if (!settings) return fail(settings.error());
    const auto after = apply_project(before, file, *settings);
    if (!after) return fail(after.error());
    for (FileSetting& setting : widening(before, *after, file, *settings)) {
      const bool is_known = std::any_of(all.begin(), all.end(), [&](const FileSetting& one) {
        return one.line == setting.line && one.key == setting.key;
      });
      if (!is_known) all.push_back(std::move(setting));
    }
  }
  return all;
}

std::string value_text(const FileSetting& setting) {
  std::string text = setting.text;
  for (const std::string& word : setting.list) text += (text.empty() ? "" : ", ") + word;
  return workers::safe_line(text);
}

void print_widening(const Config& config, const ProjectFile& file,
                    const std::vector<FileSetting>& more, bool is_trusted) {
  if (config.output != OutputFormat::table) {
    std::string settings;
    for (const FileSetting& setting : more) {
      settings += (settings.empty() ? "" : ",") + workers::JsonObject()
                                                      .add("key", setting.key)
                                                      .add("value", value_text(setting))
                                                      .add("line", setting.line)
                                                      .text();
    }
    print("{\"file\":" + workers::to_json(file.path) +
          ",\"trusted\":" + workers::to_json(is_trusted) + ",\"gives\":[" + settings + "]}\n");
    return;
  }
  if (more.empty()) return;
  Table table({{"LINE", Align::right}, {"IN"}, {"KEY"}, {"VALUE", Align::left, 100}});
  for (const FileSetting& setting : more) {
    table.add({std::to_string(setting.line), workers::safe_line(setting.table.back()), setting.key,
               value_text(setting)});
  }
  print(table.text(stdout_columns()));
}

Outcome<bool> confirm_trust(const TrustArguments& arguments) {
  if (arguments.is_confirmed || !is_stdin_terminal()) return true;
  remark("sessions that are opened below its folder get this; trust the file? [y/N]");
  LineInput input(STDIN_FILENO);
  std::optional<std::string> line;
  while (!(line = input.take_line()) && !input.is_at_end()) input.fill();
  if (line && (*line == "y" || *line == "Y" || *line == "yes")) return true;
  return fail(kExitInterrupted, "the file is not trusted");
}

Outcome<std::string> named_project_file(const TrustArguments& arguments) {
  std::string looked_up_to;
  if (arguments.file.empty()) {
    std::string path = find_project_file(current_folder(), user_home(), looked_up_to);
    if (!path.empty()) return path;
    return fail(kExitNotFound,
                "no " + std::string(kProjectFile) + " is here or above, up to " + looked_up_to);
  }
  std::error_code ignored;
  std::filesystem::path path = arguments.file;
  if (std::filesystem::is_directory(path, ignored)) path /= kProjectFile;
  // As it is found from its folder: a link stays what it is called.
  const auto folder = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, ignored).parent_path(), ignored);
  return (folder / path.filename()).string();
}

}  // namespace

Outcome<int> config_trust(const Config& config, const TrustArguments& arguments) {
  if (runs_in_session()) {
    return fail(kExitRefused, "an agent cannot trust a file that gives agents more; a person does");
  }
  const auto path = named_project_file(arguments);
  if (!path) return tl::unexpected(path.error());
  const std::string list = trust_list_of(config);
  if (arguments.is_forgotten) {
    ProjectFile file;
    file.path = *path;
    const auto is_changed = set_trust(list, file, false);
    if (!is_changed) return fail(is_changed.error());
    print_widening(config, file, {}, false);
    if (config.output == OutputFormat::table) {
      print(workers::safe_line(*path +
                               (*is_changed ? " is not trusted any more" : " was not trusted")) +
            "\n");
    }
    return kExitOk;
  }
  const auto file = read_project_file(*path, project_keys());
  if (!file) return fail(file.error());
  const auto more = all_widening(config, *file);
  if (!more) return tl::unexpected(more.error());
  const bool is_table = config.output == OutputFormat::table;
  if (is_table) print_widening(config, *file, *more, false);
  if (const auto agreed = confirm_trust(arguments); !agreed) {
    return tl::unexpected(agreed.error());
  }
  if (const auto ok = set_trust(list, *file, true); !ok) return fail(ok.error());
  if (!is_table) print_widening(config, *file, *more, true);
  if (is_table) {
    print(workers::safe_line(*path + " is trusted as it is now; a change of it asks again") + "\n");
  }
  return kExitOk;
}

}  // namespace steno
