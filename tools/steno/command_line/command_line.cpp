// Parses a command line and calls the command that it names.
#include "tools/steno/command_line/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <sys/stat.h>
#include <unistd.h>

#include "eventlog/base/check.hpp"
#include "eventlog/base/release.hpp"
#include "tools/steno/command_line/completion.hpp"
#include "tools/steno/command_line/foreign_words.hpp"
#include "tools/steno/command_line/help.hpp"
#include "tools/steno/command_line/man_page.hpp"
#include "tools/steno/command_line/parser_words.hpp"
#include "tools/steno/command_line/parts.hpp"
#include "tools/steno/command_line/setting_use.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/error_line.hpp"
#include "tools/steno/text/nearest.hpp"

namespace steno {

std::string help_of(std::string_view key) {
  std::string help;
  for (const ConfigKey& known : config_keys()) {
    if (known.name != key) continue;
    help = known.help;
    if (known.accepted != "a path") help.append(": ").append(known.accepted);
  }
  const std::string builtin = default_text(key);
  return builtin.empty() ? help : help + " [" + builtin + "]";
}

int finish(const Outcome<int>& outcome) {
  if (outcome) return *outcome;
  if (!outcome.error().text.empty()) complain(outcome.error().exit_code, outcome.error().text);
  return outcome.error().exit_code;
}

int hand_over(const CommandLine& line) {
  const std::string program = line.program_folder + "/steno-server";
  ::umask(line.users_umask);
  ::execv(program.c_str(), line.argv);
  const int reason = errno;
  complain(kExitFailed, "cannot run " + program + ": " + std::strerror(reason) +
                            (reason == ENOENT ? "; put it in the folder of steno" : ""));
  return kExitFailed;
}

namespace {

// Settings that matter to nearly every command.
bool is_common(std::string_view key) {
  return key == "home" || key == "agent" || key == "output" || key == "timeout";
}

void add_global_flags(CommandLine& line) {
  line.app.require_subcommand(1);
  set_help(line.app);
  line.app.set_version_flag("--version", "steno " + base::release(), "Show the release");
  line.app
      .add_option_function<std::string>(
          "--config", [&line](const std::string& value) { line.flags["config"] = value; },
          "The configuration file")
      ->type_name("FILE")
      ->group(kCommonGroup);
  for (const ConfigKey& key : config_keys()) {
    const std::string name(key.name);
    const std::string names = (name == "output" ? "-o," : "") + flag_name(name);
    if (name == "keep_workers") {
      line.app.add_flag(names, line.keep_workers, help_of(name))->group(kSettingsGroup);
    } else {
      line.setting(line.app, name, names)->group(is_common(name) ? kCommonGroup : kSettingsGroup);
    }
  }
}

void add_help(CommandLine& line) {
  CLI::App* help =
      line.app.add_subcommand("help", "Show what a command, a setting or a code means");
  help->fallthrough();
  auto& arguments = line.keep<HelpArguments>();
  help->add_option("WORDS", arguments.words, "A command, settings, or exit-codes");
  CLI::Option* man = help->add_flag("--man", arguments.is_man, "Print it as a man page");
  help->add_option("--to", arguments.folder, "Write the man pages of all commands")
      ->type_name("FOLDER")
      ->needs(man);
  help->footer(
      "Examples:\n  steno help schedule add\n  steno help settings\n  steno help exit-codes\n"
      "  steno help --man run | man -l -");
  help->final_callback([&] { line.help_about = arguments; });
}

int show_help(const CLI::App& app, const HelpArguments& about) {
  if (!about.folder.empty()) return finish(write_man_pages(app, about.folder));
  const auto text = about.is_man ? man_about(app, about.words) : help_about(app, about.words);
  if (!text) return finish(tl::unexpected(text.error()));
  print(*text);
  return kExitOk;
}

// The order and groups of commands in the help.
struct Group {
  const char* name;
  std::initializer_list<const char*> commands;
};
const Group kGroups[] = {
    {"Sessions",
     {"run",      "spawn",  "send",     "interrupt", "continue",   "set",        "close",
      "kill",     "resume", "rules",    "hooks",     "approvals",  "approve",    "deny",
      "answer",   "ls",     "show",     "attention", "foreground", "background", "message",
      "schedule", "notify", "output",   "logs",      "wait",       "search",     "attach",
      "watch",    "stats",  "commands", "chat",      "mcp",        "conv",       "transcript",
      "import",   "export", "files",    "label",     "rename",     "diff",       "worktree",
      "top"}},
    {"Server",
     {"serve", "stop", "status", "restart", "service", "gateway", "doctor", "config", "version",
      "help"}},
    {"The log", {"erase", "backup", "restore", "archive", "anchor", "replay"}},
    {"", {"complete"}},  // for shells
};

void group_commands(CLI::App& app) {
  std::map<std::string, CLI::App_p> added;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    added.emplace(command->get_name(), app.get_subcommand_ptr(command->get_name()));
  }
  for (const auto& [name, command] : added) app.remove_subcommand(command.get());
  for (const Group& group : kGroups) {
    for (const char* name : group.commands) {
      const auto command = added.find(name);
      if (command == added.end()) continue;
      app.add_subcommand(command->second);
      command->second->group(group.name);
      added.erase(command);
    }
  }
  CHECK(added.empty());  // a command of no group would be gone
}

// The command that was named, and how it is typed.
struct Named {
  const CLI::App* app = nullptr;
  std::string path;  // "schedule add"; empty: none was named
};

Named named_command(const CLI::App& app) {
  Named named{&app, {}};
  for (auto below = app.get_subcommands(); !below.empty();) {
    named.app = below.front();
    named.path += (named.path.empty() ? "" : " ") + named.app->get_name();
    below = named.app->get_subcommands();
  }
  return named;
}

// The same of a command line that is wrong. A word that is taken for a command can be an argument
// of an unknown one before it.
Named meant_command(const CLI::App& app, std::span<const char* const> words) {
  const std::string first = first_word(app, words);
  if (!first.empty() && command_below(app, first) == nullptr) return {&app, {}};
  return named_command(app);
}

// Returns the value of a positional argument; empty: the command has none, or it was not given.
std::string value_of(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option == nullptr || option->count() == 0 ? "" : option->results().front();
}

// Returns the command line with the words of an unquoted prompt in quotes; empty: the command takes
// no prompt.
std::string with_quotes(const Named& named, const std::vector<std::string>& further) {
  std::string prompt = value_of(*named.app, "PROMPT");
  if (prompt.empty()) prompt = value_of(*named.app, "LINE");
  if (prompt.empty()) return {};
  for (const std::string& word : further) prompt += " " + word;
  std::string line = "steno " + named.path;
  for (const char* before : {"REF", "NAME"}) {
    const std::string value = value_of(*named.app, before);
    if (!value.empty()) line += " " + value;
  }
  return line + " " +
         (prompt.find('\'') == std::string::npos ? "'" + prompt + "'" : "\"" + prompt + "\"");
}

// Names the command that may have been meant. The commands of steno itself are too many to list.
std::string unknown_command(const Named& named, const std::string& word) {
  const std::vector<std::string> known = commands_of(*named.app);
  std::string text =
      "unknown command '" + named.path + (named.path.empty() ? "" : " ") + word + "'";
  if (const auto own = named.path.empty() ? own_command(word) : ""; !own.empty()) {
    return text + "; here that is " + std::string(own);
  }
  const std::string meant = nearest_word(word, known);
  if (!meant.empty()) {
    text += "; did you mean steno " + named.path + (named.path.empty() ? "" : " ") + meant + "?";
  }
  if (named.path.empty() || known.empty()) return text;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  return text + (meant.empty() ? "; there are " : " There are ") + names;
}

// True for a command with a positional argument that can be any words.
bool takes_words(const CLI::App& command) {
  for (const char* name : {"PROMPT", "LINE", "TEXT", "TASK", "WORDS", "WHY", "ANSWER"}) {
    if (command.get_option_no_throw(name) != nullptr) return true;
  }
  return false;
}

// Names the option that may have been meant.
std::string unknown_option(const Named& named, const std::string& word) {
  std::string text = "unknown option '" + word + "'";
  const std::string flag = word.substr(0, word.find('='));
  const std::vector<std::string> known = flags_of(*named.app);
  const auto is_known = [&](std::string_view one) {
    return std::find(known.begin(), known.end(), one) != known.end();
  };
  const bool can_be_foreign = named.path.empty() || named.path == "run";
  if (const auto own = can_be_foreign ? own_command_for_flag(flag) : ""; !own.empty()) {
    return text + "; here that is " + std::string(own);
  }
  const ForeignFlag* foreign = named.path.empty() ? nullptr : foreign_flag(flag);
  if (foreign != nullptr && is_known(foreign->needs)) {
    return text + "; here that is " + std::string(foreign->here);
  }
  if (const std::string meant = nearest_word(flag, known); !meant.empty()) {
    return text + "; did you mean " + meant + "?";
  }
  if (!takes_words(*named.app)) return text;
  return text + " (put words that begin with - behind --, as in steno run -- '-v is broken')";
}

// Returns what is wrong with the command line. CLI11 itself reports an unknown command or option
// only as a missing required one, and names what is left over from the last to the first.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const Named& named,
                        std::span<const char* const> words) {
  const std::vector<std::string> unknown = app.remaining(true);
  const bool lacks_something = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool is_too_much = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (unknown.empty() || (!lacks_something && !is_too_much)) {
    return parser_words(*named.app, error, words);
  }
  const std::string& first = unknown.front();
  if (named.path.empty() && !first.starts_with('-')) return unknown_command(named, first);
  for (const std::string& word : unknown) {
    if (word.starts_with('-')) return unknown_option(named, word);
  }
  if (const std::string line = with_quotes(named, unknown); !line.empty()) {
    return "quote the prompt: " + line;
  }
  if (lacks_something || !commands_of(*named.app).empty()) {
    return unknown_command(named, unknown.front());
  }
  std::string further;
  for (const std::string& word : unknown) further += (further.empty() ? "" : " ") + word;
  if (named.path == "stop") {
    return "steno stop ends the server, and takes no name; steno kill REF ends a session";
  }
  return "steno " + named.path + " does not expect '" + further + "'";
}

// True if JSON output is wanted; called before the command line is parsed.
bool asks_for_json(int argc, char** argv) {
  const char* variable = std::getenv("STENO_OUTPUT");
  std::string form = variable != nullptr ? variable : "";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    const bool is_next = (word == "-o" || word == "--output") && i + 1 < argc;
    if (is_next) form = argv[i + 1];
    if (word.starts_with("--output=")) form = word.substr(9);
    if (word.starts_with("-o") && word.size() > 2) form = word.substr(word[2] == '=' ? 3 : 2);
  }
  return form == "json" || form == "jsonl";
}

// Returns the exit code of a command that has ended with `code`, once its output is written.
int flushed(int code) {
  if (flush()) return code;
  const std::string fault = output_fault();
  if (fault.empty()) return code != kExitOk ? code : kExitFailed;
  complain(kExitOutput, "stdout: " + fault + "; the command has done its work");
  return kExitOutput;
}

int run_main(int argc, char** argv, const CommandLineParts& parts) {
  CommandLine line;
  line.log_commands = parts.log_commands;
  line.argv = argv;
  // Files made here, by any library, are private to the user, since they hold prompts and answers.
  line.users_umask = ::umask(077);
  add_global_flags(line);
  if (parts.add_others != nullptr) parts.add_others(line);
  add_log_commands(line);
  add_help(line);
  group_commands(line.app);
  if (asks_for_json(argc, argv)) make_errors_json();
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::span<const char* const> words =
        std::span(argv, argv + argc).subspan(argc > 0 ? 1 : 0);
    // Help is an "error" that exits with 0. All other codes, 105 and the like, mean wrong usage.
    if (error.get_exit_code() == 0) {
      const std::string first = first_word(line.app, words);
      if (first.empty() || command_below(line.app, first) != nullptr) return line.app.exit(error);
      complain(kExitUsage, unknown_command({&line.app, {}}, first) + "; see `steno --help`");
      return kExitUsage;
    }
    const Named named = meant_command(line.app, words);
    const std::string path = named.path + (named.path.empty() ? "" : " ");
    complain(kExitUsage,
             usage_error(line.app, error, named, words) + "; see `steno " + path + "--help`");
    return kExitUsage;
  }
  // Needs no settings, so it helps also where a setting is wrong.
  if (line.help_about) return flushed(show_help(line.app, *line.help_about));
  if (!line.keep_workers.empty()) line.flags["keep_workers"] = line.keep_workers;
  const std::map<std::string, std::string> flags = line.flags;
  ConfigInput input = process_input(std::move(line.flags));
  line.program_folder = input.program_folder;
  if (line.chosen_for_sources) return flushed(line.chosen_for_sources(input));
  auto config = load_config(input);
  if (!config) {
    complain(kExitUsage, base::describe(config.error()));
    return kExitUsage;
  }
  const std::string command = named_command(line.app).path;
  for (const auto& [key, value] : flags) {
    const std::string fault = misplaced_flag(command, key);
    if (fault.empty()) continue;
    complain(kExitUsage, fault);
    return kExitUsage;
  }
  const bool is_stats = line.app.get_subcommands().front()->get_name() == "stats";
  if (config->output == OutputFormat::prometheus && !is_stats) {
    if (is_flag(*config, "output")) {
      complain(kExitUsage, "the output format prometheus is only for steno stats");
      return kExitUsage;
    }
    config->output = OutputFormat::table;
  }
  // A file can ask for it, too.
  const bool wants_json = config->output != OutputFormat::table;
  if (wants_json && config->output != OutputFormat::prometheus) make_errors_json();
  return flushed(line.chosen(*config));
}

}  // namespace

int run_command_line(int argc, char** argv, const CommandLineParts& parts) {
  // Only a library or lack of memory can throw here, and no caller is left to handle it.
  try {
    return run_main(argc, argv, parts);
  } catch (const std::exception& error) {
    complain(kExitFailed, error.what());
    return kExitFailed;
  }
}

}  // namespace steno
