// Declares `config` and its subcommands.
#include "tools/steno/client/config_commands.hpp"
#include "tools/steno/client/trust_command.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {
namespace {

CLI::Option* add_key(CLI::App* command, ConfigArguments& arguments) {
  return command->add_option("KEY", arguments.key,
                             "As steno config lists it; of a table with dots, as "
                             "engines.sandbox.program");
}

}  // namespace

void add_config(CommandLine& line) {
  CLI::App* config = line.command(line.app, "config",
                                  "Show every setting and where it comes from, or change the file",
                                  "  steno config\n  STENO_AGENT=ci steno config -o json\n"
                                  "  steno config set max_sessions 20",
                                  line.keep<NoArguments>(), reporting(show_config));
  config->require_subcommand(0, 1);
  auto& read = line.keep<ConfigArguments>();
  add_key(line.command(*config, "get", "Show the value of a setting; on stderr where it is from",
                       "  steno config get max_sessions\n"
                       "  steno config get engines.sandbox.program -o json",
                       read, reporting(config_get)),
          read);
  auto& set = line.keep<ConfigArguments>();
  CLI::App* setting = line.command(
      *config, "set", "Set a key of the file, which otherwise stays as it is",
      "  steno config set max_sessions 20\n"
      "  steno config set permission_mode acceptEdits\n"
      "  steno config set mcp_tools 'Read Grep'\n"
      "  steno config set conversations.queue.mode followup\n"
      "A value that steno serve would refuse is refused. Several words are one VALUE, in quotes.\n"
      "Lists of tables, such as [[hooks]], are for an editor.",
      set, reporting(config_set));
  add_key(setting, set)->required();
  setting->add_option("VALUE", set.value, "As the flag of that setting takes it")->required();
  auto& unset = line.keep<ConfigArguments>();
  add_key(line.command(*config, "unset", "Take a key out of the file, so that the default holds",
                       "  steno config unset max_sessions", unset, reporting(config_unset)),
          unset)
      ->required();
  auto& trusted = line.keep<TrustArguments>();
  CLI::App* trust = line.command(
      *config, "trust", "Trust a project's .steno.toml, as it is now",
      "  steno config trust\n  steno config trust ~/src/shop\n"
      "  steno config trust ~/src/shop --forget\n"
      "Only a file that gives agents more than your own settings do needs it: permissions, tools,\n"
      "programs, larger limits. A change of the file, or of its file of MCP servers, takes the\n"
      "trust away. Without a terminal nobody can be asked, and --yes must be said.",
      trusted, reporting(config_trust));
  trust->add_option("FILE", trusted.file, "Or its folder; default: the one here or above");
  trust->add_flag("--forget", trusted.is_forgotten, "Do not trust it any more");
  trust->add_flag("--yes,-y", trusted.is_confirmed, "Do not ask for confirmation");
  line.command(*config, "path", "Show which file is read, also if it does not exist yet",
               "  steno config path\n  $EDITOR \"$(steno config path)\"", line.keep<NoArguments>(),
               reporting(config_path));
}

}  // namespace steno
