// The parts that a command line is put together of. Only this folder includes CLI11, which takes
// seconds to compile.
#pragma once

#include <any>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include <CLI/CLI.hpp>

#include "tools/steno/command_line/command_line.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/log_commands.hpp"

namespace steno {

// Returns a setting's help: its purpose, the accepted values, and the default.
std::string help_of(std::string_view key);

// Accepts whole numbers within these bounds; the help shows the option's own type name.
inline CLI::Validator within(std::int64_t least, std::int64_t most) {
  return CLI::Range(least, most).description("");
}

// Becomes the program `steno-server` with the same arguments. Returns an exit code if it cannot.
int hand_over(const CommandLine& line);

struct HelpArguments {
  std::vector<std::string> words;  // a command or a topic
  bool is_man = false;             // as a man page
  std::string folder;              // where the man pages of all commands go; empty: nowhere
};

// A command line while it is parsed. Commands write their values into objects that live as long.
struct CommandLine {
  const LogCommands* log_commands = nullptr;  // null: another program has them
  char** argv = nullptr;
  std::string program_folder;  // of this program
  CLI::App app{"steno: a session server for AI coding agents", "steno"};
  std::map<std::string, std::string> flags;  // settings given as flags, by key
  std::string keep_workers;                  // a flag with an optional value
  mode_t users_umask = 0;                    // as this process found it
  std::list<std::any> kept;                  // the commands' arguments
  std::function<int(const Config&)> chosen;
  // The same of a command that works on the settings' sources, also where they are wrong.
  std::function<int(const ConfigInput&)> chosen_for_sources;
  std::optional<HelpArguments> help_about;  // none: `help` was not chosen

  // Returns new arguments of a command, which parsing fills.
  template <class Arguments>
  Arguments& keep() {
    return kept.emplace_back().emplace<Arguments>();
  }

  // Adds a subcommand that calls `run` with its arguments if it is chosen.
  template <class Arguments, class Run>
  CLI::App* command(CLI::App& parent, const std::string& name, const std::string& help,
                    const std::string& examples, Arguments& arguments, Run run) {
    CLI::App* added = parent.add_subcommand(name, help);
    added->fallthrough();
    added->footer("Examples:\n" + examples);
    added->final_callback([this, added, &arguments, run] {
      if (!added->get_subcommands().empty()) return;  // one of them was chosen
      if constexpr (std::is_invocable_v<Run, const ConfigInput&, const Arguments&>) {
        chosen_for_sources = [&arguments, run](const ConfigInput& input) {
          return run(input, arguments);
        };
      } else {
        chosen = [&arguments, run](const Config& config) { return run(config, arguments); };
      }
    });
    return added;
  }

  // Adds a subcommand that opens a log. `run` takes the function, too.
  template <class Arguments, class Function, class Run>
  CLI::App* log_command(CLI::App& parent, const std::string& name, const std::string& help,
                        const std::string& examples, Arguments& arguments,
                        Function LogCommands::*function, Run run) {
    return command(parent, name, help, examples, arguments,
                   [this, function, run](const Config& config, const Arguments& told) {
                     if (log_commands == nullptr) return hand_over(*this);
                     return run(log_commands->*function, config, told);
                   });
  }

  // Returns the subcommand that holds others. Several parts can add to one.
  CLI::App& group(const std::string& name, const std::string& help) {
    const auto known =
        app.get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
    if (!known.empty()) return *known.front();
    CLI::App* added = app.add_subcommand(name, help);
    added->require_subcommand(1)->fallthrough();
    return *added;
  }

  // Adds a flag for a setting.
  CLI::Option* setting(CLI::App& on, const std::string& key, const std::string& names) {
    const std::string help = help_of(key);
    return on
        .add_option_function<std::string>(
            names, [this, key](const std::string& value) { flags[key] = value; }, help)
        ->take_last()
        ->type_name("");
  }
};

inline CLI::App& add_backup_group(CommandLine& line) {
  return line.group("backup", "Make and look after copies of the log");
}

// Each adds the commands of its file.
void add_opening_commands(CommandLine& line);
void add_session_commands(CommandLine& line);
void add_asking_commands(CommandLine& line);
void add_reading_commands(CommandLine& line);
void add_upkeep_commands(CommandLine& line);
void add_schedule_commands(CommandLine& line);
void add_conversation_commands(CommandLine& line);
void add_surface_commands(CommandLine& line);
// Adds `stop`, `status` and `restart`.
void add_server_commands(CommandLine& line);
// Adds `config` with its subcommands.
void add_config(CommandLine& line);
// Adds `complete`.
void add_complete(CommandLine& line);

// Prints a failure, and returns the exit code in either case.
int finish(const Outcome<int>& outcome);

// Calls a command that returns an Outcome.
template <class Arguments>
int call(Outcome<int> (*run)(const Config&, const Arguments&), const Config& config,
         const Arguments& arguments) {
  return finish(run(config, arguments));
}

// Wraps a function that returns an Outcome as one that returns an exit code.
template <class Sources, class Arguments>
auto reporting(Outcome<int> (*run)(const Sources&, const Arguments&)) {
  return [run](const Sources& config, const Arguments& arguments) {
    return finish(run(config, arguments));
  };
}

}  // namespace steno
