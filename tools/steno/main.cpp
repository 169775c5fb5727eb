// The `steno` executable: what can be said on its command line, and which function that calls.
// The only file that includes CLI11, which takes seconds to compile.

#include <exception>
#include <functional>

#include <CLI/CLI.hpp>

#include "tools/steno/console.hpp"
#include "tools/steno/offline_commands.hpp"
#include "tools/steno/replay.hpp"
#include "tools/steno/serve_command.hpp"

namespace steno {

// A command line being taken apart. Commands write what they find into objects that live as long.
struct CommandLine {
  CLI::App app{"steno: a session server for AI coding agents", "steno"};
  std::map<std::string, std::string> flags;  // of the configuration, by key
  std::string keep_workers;                  // a flag with an optional value
  std::function<int(const Config&)> chosen;

  // A subcommand that does `run` with its arguments once it is chosen.
  template <class Arguments, class Run>
  CLI::App* command(CLI::App& parent, const std::string& name, const std::string& help,
                    const std::string& examples, const std::shared_ptr<Arguments>& arguments,
                    Run run) {
    CLI::App* added = parent.add_subcommand(name, help);
    added->fallthrough();
    added->footer("Examples:\n" + examples);
    added->final_callback([this, arguments, run] {
      chosen = [arguments, run](const Config& config) { return run(config, *arguments); };
    });
    return added;
  }

  // A flag that is a setting.
  CLI::Option* setting(CLI::App& on, const std::string& key, const std::string& names) {
    std::string help;
    for (const ConfigKey& known : config_keys()) {
      if (known.name == key) help = known.help;
    }
    return on
        .add_option_function<std::string>(
            names, [this, key](const std::string& value) { flags[key] = value; }, help)
        ->take_last()
        ->type_name("");
  }
};

struct NoArguments {};

// Prints a failure; an exit code either way.
int finish(const Outcome<int>& outcome) {
  if (outcome) return *outcome;
  if (!outcome.error().text.empty()) complain(outcome.error().text);
  return outcome.error().exit_code;
}

void add_global_flags(CommandLine& line) {
  line.app.require_subcommand(1);
  line.app.set_help_flag("-h,--help", "Say what can be said here");
  line.app
      .add_option_function<std::string>(
          "--config", [&line](const std::string& value) { line.flags["config"] = value; },
          "The configuration file")
      ->type_name("FILE")
      ->group("Configuration");
  for (const ConfigKey& key : config_keys()) {
    const std::string name(key.name);
    const std::string names = (name == "output" ? "-o," : "") + flag_name(name);
    if (name == "keep_workers") {
      line.app.add_flag(names, line.keep_workers, std::string(key.help))->group("Configuration");
    } else {
      line.setting(line.app, name, names)->group("Configuration");
    }
  }
  line.app.footer(
      "Every setting is also a key of the configuration file and a variable STENO_<KEY>;\n"
      "`steno config` shows which one is in force.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 conflict, 5 refused, 6 no server,\n"
      "7 time-out, 8 budget, 9 log damaged, 10 torn tail, 11 wrong log, 75 busy, 130 interrupted.");
}

void add_config(CommandLine& line) {
  line.command(
      line.app, "config", "Show every setting and where it comes from",
      "  steno config\n  STENO_AGENT=ci steno config -o json", std::make_shared<NoArguments>(),
      [](const Config& config, const NoArguments&) { return finish(show_config(config)); });
}

void add_version(CommandLine& line) {
  line.command(
      line.app, "version", "Show the release", "  steno version", std::make_shared<NoArguments>(),
      [](const Config& config, const NoArguments&) { return finish(show_version(config)); });
}

// Inline, as they are compiled but not linked until kCommands names them.
inline void add_serve(CommandLine& line) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command =
      line.command(line.app, "serve", "Run the server and its worker until told to stop",
                   "  steno serve\n  steno --home /tmp/try serve\n  steno serve --max-sessions 20",
                   arguments, serve);
  command->add_option("--role", arguments->role, "Run one role alone: server or worker")
      ->check(CLI::IsMember({"server", "worker"}))
      ->type_name("ROLE");
}

inline void add_replay(CommandLine& line) {
  CLI::App* replay = line.app.add_subcommand("replay", "Read a log offline; never repairs it");
  replay->require_subcommand(1)->fallthrough();
  const auto with_log = [](CLI::App* command, const std::shared_ptr<ReplayArguments>& arguments) {
    command->add_option("LOG", arguments->log_folder, "The log's folder; default: the data folder");
    return command;
  };
  auto verify = std::make_shared<ReplayArguments>();
  with_log(line.command(*replay, "verify", "Prove that the log is whole",
                        "  steno replay verify\n  steno replay verify /backup/steno", verify,
                        replay_verify),
           verify);
  auto state = std::make_shared<ReplayArguments>();
  CLI::App* state_command =
      with_log(line.command(*replay, "state", "Show sessions as they were at a position or time",
                            "  steno replay state --at 1200\n"
                            "  steno replay state --at 2026-11-20T15:00:00Z --session 4fzk2q9x",
                            state, replay_state),
               state);
  state_command->add_option("--at", state->at, "Position or time; default: the end");
  state_command->add_option("--session", state->session, "Only this session");
  auto rebuild = std::make_shared<ReplayArguments>();
  CLI::App* rebuild_command =
      with_log(line.command(*replay, "rebuild", "Fold the projections anew and compare digests",
                            "  steno replay rebuild\n  steno replay rebuild --projection metrics",
                            rebuild, replay_rebuild),
               rebuild);
  rebuild_command->add_option("--projection", rebuild->projection, "Only this one");
  rebuild_command->add_option("--to", rebuild->to, "Position to stop at; default: the end");
  rebuild_command->add_option("--into", rebuild->into, "Folder of the new rows");
}

constexpr void (*kCommands[])(CommandLine&) = {
    add_config,
    add_version,
};

int run_main(int argc, char** argv) {
  CommandLine line;
  add_global_flags(line);
  for (const auto add : kCommands) add(line);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help is an "error" that exits with 0. All others, 105 and its like, are wrong usage.
    if (error.get_exit_code() == 0) return line.app.exit(error);
    complain(std::string(error.what()) + "; `steno --help` says what can be said");
    return kExitUsage;
  }
  if (!line.keep_workers.empty()) line.flags["keep_workers"] = line.keep_workers;
  const auto config = load_config(process_input(std::move(line.flags)));
  if (!config) {
    complain(base::describe(config.error()));
    return kExitUsage;
  }
  const int code = line.chosen(*config);
  return flush() || code != kExitOk ? code : kExitFailed;
}

}  // namespace steno

int main(int argc, char** argv) {
  // Only a library or the want of memory could throw here; nobody is left to handle it.
  try {
    return steno::run_main(argc, argv);
  } catch (const std::exception& error) {
    steno::complain(error.what());
    return steno::kExitFailed;
  }
}
