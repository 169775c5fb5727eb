#include "tools/steno/command_line/help.hpp"

#include <memory>

#include "tools/steno/command_line/completion.hpp"
#include "tools/steno/command_line/foreign_words.hpp"
#include "tools/steno/command_line/man_page.hpp"
#include "tools/steno/text/nearest.hpp"

namespace steno {
namespace {

constexpr const char* kSettingsTopic = "settings";
constexpr const char* kExitCodesTopic = "exit-codes";

constexpr const char* kExitCodes =
    "  0  the command has done what it was asked for\n"
    "  1  it failed, or a turn or session did that run, send --wait or wait stood for\n"
    "  2  the command line or a setting is wrong\n"
    "  3  there is no such session, conversation, schedule or the like\n"
    "  4  its state does not allow it, such as a prompt for a session that has ended\n"
    "  5  refused: a permission, a limit or a policy; of run: a tool call was denied\n"
    "  6  no server runs here\n"
    "  7  not in time: what was asked for can still be done, and what is waited for goes on\n"
    "  8  a budget is spent\n"
    "  9  the log is damaged: something that was acknowledged is missing\n"
    " 10  the log ends in a torn block; nothing that was acknowledged is missing\n"
    " 11  the log is of a newer release or of another home, is in use, or cannot be written\n"
    " 74  stdout could not be written, whatever the command did\n"
    " 75  busy: try again\n"
    "130  Ctrl-C\n";

// Leaves out the settings, which are more than all commands together.
class ShortFormatter : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == kSettingsGroup) return {};
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
};

constexpr std::string_view kSettingsIntro =
    "Each setting is a flag of steno serve or of the commands that it matters to, a key of the\n"
    "file steno.toml, and a variable STENO_<KEY>. A flag counts before a variable, that before\n"
    "the file. steno config shows which one is in force.\n";

std::string settings_text(const CLI::App& app) {
  const CLI::Formatter formatter;
  std::string text(kSettingsIntro);
  for (const char* group : {kCommonGroup, kSettingsGroup}) {
    text += formatter.make_group(group, false, app.get_options([&](const CLI::Option* one) {
      return one->get_group() == group;
    }));
  }
  return text;
}

// Returns the command that the words name. Failure: there is none.
Outcome<const CLI::App*> command_named(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string path = "steno";
  for (const std::string& word : words) {
    const CLI::App* next = command_below(*command, word);
    if (next == nullptr) {
      const std::string own(command == &app ? own_command(word) : "");
      if (!own.empty()) {
        return fail(kExitUsage, "there is no command 'steno " + word + "'; here that is " + own);
      }
      std::vector<std::string> known = commands_of(*command);
      if (command == &app) known.insert(known.end(), {kSettingsTopic, kExitCodesTopic});
      const std::string meant = nearest_word(word, known);
      return fail(kExitUsage,
                  "there is no command '" + path + " " + word + "'" +
                      (meant.empty() ? "; steno help lists all" : "; did you mean " + meant + "?"));
    }
    command = next;
    path += " " + word;
  }
  return command;
}

}  // namespace

std::string_view exit_codes_text() {
  return kExitCodes;
}

std::string_view settings_intro() {
  return kSettingsIntro;
}

void set_help(CLI::App& app) {
  app.formatter(std::make_shared<ShortFormatter>());
  app.set_help_flag("-h,--help", "Show this help");
  app.footer(
      "steno help COMMAND shows its flags and examples, steno help settings each setting with its\n"
      "default, steno help exit-codes what a command's exit code means.\n");
}

Outcome<std::string> help_about(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string topic = words.empty() ? "" : words.front();
  if (topic == kSettingsTopic || topic == kExitCodesTopic) {
    if (words.size() > 1) return fail(kExitUsage, "say steno help " + topic + " alone");
    return topic == kSettingsTopic ? settings_text(app) : std::string(kExitCodes);
  }
  const auto command = command_named(app, words);
  if (!command) return tl::unexpected(command.error());
  std::string path = "steno";
  for (const std::string& word : words) path += " " + word;
  // Not by help(): that is about the command that was chosen, which is `help`.
  return (*command)->get_formatter()->make_help(*command, path, CLI::AppFormatMode::Normal);
}

Outcome<std::string> man_about(const CLI::App& app, const std::vector<std::string>& words) {
  const auto command = command_named(app, words);
  if (!command) return tl::unexpected(command.error());
  // A page has all that is below a command of the program.
  const CLI::App* page = *command;
  while (page->get_parent() != nullptr && page->get_parent() != &app) page = page->get_parent();
  return man_page(app, *page);
}

}  // namespace steno
