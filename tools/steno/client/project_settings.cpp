// The file is applied to a copy of the configuration, and what the copy has beyond the original is
// what needs trust.
#include "tools/steno/client/project_settings.hpp"

#include <algorithm>
#include <filesystem>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/config/command_words.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/config/prices_file.hpp"
#include "tools/steno/config/trusted_files.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/operations/grant.hpp"
#include "workers/text/file_mention.hpp"

namespace steno {
namespace {

using base::Result;

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
      {{"prompt", "a text, and not - for stdin", ""},
       "",
       KeyKind::text,
       [](SpawnArguments& arguments, const Given& given) {
         arguments.prompt = given.text;
         return !given.text.empty() && given.text != "-";
       }},
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
  std::vector<std::string> names = {"channel"};
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

// Claude Code takes a prompt that begins so for one of its commands, which the file's folder can
// have, too.
bool is_agent_command(const std::string& prompt) {
  const std::size_t first = prompt.find_first_not_of(" \t\r\n");
  return first != std::string::npos && prompt[first] == '/';
}

// Returns which of the settings give an agent more than there is without the file.
std::vector<FileSetting> widening(const Opening& before, const Opening& after,
                                  const ProjectFile& file,
                                  const std::vector<FileSetting>& settings) {
  const std::string folder = std::filesystem::path(file.path).parent_path().string();
  std::vector<std::string_view> keys =
      workers::given_beyond(before.config.session, {folder}, after.config.session);
  // A budget holds for a model that has a price.
  std::erase_if(keys, [&](std::string_view key) {
    const bool is_model = key == "model" || key == "fallback_model";
    const auto& session = after.config.session;
    return is_model &&
           is_priced(after.config, key == "model" ? session.model : *session.fallback_model);
  });
  // A channel sends news of the session to another place. Claude Code reads a file that a prompt
  // mentions.
  if (after.config.channel != before.config.channel) keys.emplace_back("channel");
  if (after.arguments.allowed_tools != before.arguments.allowed_tools) {
    keys.emplace_back("allow_tool");
  }
  const std::string& prompt = after.arguments.prompt;
  if (prompt != before.arguments.prompt &&
      (is_agent_command(prompt) || !workers::file_mention(prompt).empty())) {
    keys.emplace_back("prompt");
  }
  const std::string& system_prompt = after.arguments.system_prompt;
  if (system_prompt != before.arguments.system_prompt &&
      !workers::file_mention(system_prompt).empty()) {
    keys.emplace_back("system_prompt");
  }
  std::vector<FileSetting> found;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(found),
               [&](const FileSetting& setting) {
                 return std::find(keys.begin(), keys.end(), setting.key) != keys.end();
               });
  return found;
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
  if (more.empty() && file.foreign.empty()) return true;
  const Trust trust = trust_in(trust_list_of(config), file);
  if (trust == Trust::given) return true;
  std::string why(file.foreign);
  if (!more.empty()) {
    why += (why.empty() ? "" : ", and ") + ("gives agents more than you do: " + keys_text(more));
  }
  if (trust == Trust::changed) why = "has changed since you trusted it, and " + why;
  return fail(kExitRefused, file.path + " " + why + ". Read it, then say steno config trust " +
                                shell_word(file.path) + "; --template none does without the file");
}

}  // namespace

std::string project_file_here(std::string& looked_up_to) {
  std::error_code ignored;
  return find_project_file(std::filesystem::current_path(ignored).string(), user_home(),
                           looked_up_to);
}

Result<ProjectFile> read_project(const std::string& path) {
  return read_project_file(path, project_keys());
}

Outcome<Opening> with_project(const Config& config, const SpawnArguments& arguments) {
  const Opening before{config, arguments};
  if (arguments.template_name == kNoProjectFile) return before;
  std::string looked_up_to;
  const std::string path = project_file_here(looked_up_to);
  if (path.empty() && arguments.template_name.empty()) return before;
  if (path.empty()) {
    return fail(kExitNotFound, "there is no template '" + arguments.template_name + "': no " +
                                   std::string(kProjectFile) + " is here or above, up to " +
                                   looked_up_to);
  }
  const auto file = read_project(path);
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
        return one.line == setting.line && one.key == setting.key && one.table == setting.table;
      });
      if (!is_known) all.push_back(std::move(setting));
    }
  }
  return all;
}

}  // namespace steno
