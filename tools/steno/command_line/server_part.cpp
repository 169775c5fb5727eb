// Declares the commands about the server as a process.
#include "tools/steno/client/server_commands.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {
namespace {

void add_now(CLI::App* command, StopArguments& arguments) {
  command->add_flag("--now", arguments.is_now, "Give turns under way no time to end");
}

}  // namespace

void add_server_commands(CommandLine& line) {
  auto& stopped = line.keep<StopArguments>();
  add_now(line.command(line.app, "stop", "Stop the server and wait for its end",
                       "  steno stop\n  steno stop --now\n"
                       "Sessions go on with the next start.",
                       stopped, reporting(stop_server)),
          stopped);
  line.command(line.app, "status", "Say which server runs here, and from where",
               "  steno status\n  steno status -o json\n"
               "Exit code 6: none runs.",
               line.keep<NoArguments>(), reporting(show_status));
  auto& restarted = line.keep<StopArguments>();
  add_now(line.command(line.app, "restart",
                       "Stop the server and start it as it was started, without a terminal",
                       "  steno restart\n"
                       "Settings that were changed in the file are read anew.",
                       restarted, reporting(restart_server)),
          restarted);
}

}  // namespace steno
