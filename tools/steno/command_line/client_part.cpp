// Declares the commands of a client, which ask a server, or none.
#include "tools/steno/client/own_commands.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {
namespace {

void add_version(CommandLine& line) {
  line.command(line.app, "version",
               "Show the release; as JSON also its commit, log format and protocol",
               "  steno version\n  steno version -o json", line.keep<NoArguments>(),
               reporting(show_version));
}

}  // namespace

void add_client_commands(CommandLine& line) {
  add_opening_commands(line);
  add_session_commands(line);
  add_asking_commands(line);
  add_reading_commands(line);
  add_upkeep_commands(line);
  add_schedule_commands(line);
  add_conversation_commands(line);
  add_surface_commands(line);
  add_config(line);
  add_version(line);
  add_complete(line);
  add_server_commands(line);
}

}  // namespace steno
