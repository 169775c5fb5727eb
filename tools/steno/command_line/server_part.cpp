// Declares the commands about the server as a process.
#include "tools/steno/client/server_commands.hpp"
#include "tools/steno/client/service_commands.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {
namespace {

void add_now(CLI::App* command, StopArguments& arguments) {
  command->add_flag("--now", arguments.is_now, "Give turns under way no time to end");
}

void add_service(CommandLine& line) {
  CLI::App& service = line.group("service", "Keep a server running by the user's systemd");
  line.command(
      service, "install", "Run the server now, and with each start of this machine",
      "  steno service install\n  steno service install --home ~/agents\n"
      "Settings of this command line and PATH become those of the server. A key for agents\n"
      "goes into an override: systemctl --user edit steno",
      line.keep<NoArguments>(), reporting(service_install));
  line.command(service, "uninstall", "Stop the service and remove its unit; sessions stay",
               "  steno service uninstall", line.keep<NoArguments>(), reporting(service_uninstall));
  line.command(service, "status", "Say whether it runs, and starts by itself",
               "  steno service status\n  steno service status -o json\n"
               "Exit code 6: it does not run.",
               line.keep<NoArguments>(), reporting(service_status));
  auto& logs = line.keep<ServiceLogsArguments>();
  CLI::App* command = line.command(
      service, "logs", "Show what the server has logged, by journalctl",
      "  steno service logs -n 20\n  steno service logs -f", logs, reporting(service_logs));
  command->add_option("-n", logs.count, "The last lines")
      ->check(within(1, 1'000'000))
      ->type_name("COUNT")
      ->capture_default_str();
  command->add_flag("-f,--follow", logs.is_followed, "Go on with each new line");
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
  add_service(line);
}

}  // namespace steno
