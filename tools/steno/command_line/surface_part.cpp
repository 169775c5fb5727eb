// Declares the commands for chats, agents and programs.
#include "eventlog/base/digits.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/command_line/parts.hpp"
#include "workers/operations/operations.hpp"
#include "workers/operations/surfaces.hpp"

namespace steno {
namespace {

void add_chat(CommandLine& line) {
  auto& arguments = line.keep<ChatArguments>();
  std::string examples =
      "  steno chat '/claude --name docs write the manual'\n"
      "  steno chat --sender 'telegram|1234' '/claude_sessions running'\n"
      "Commands:";
  for (const std::string& usage : workers::chat_usages(workers::operations())) {
    examples += "\n  " + usage;
  }
  CLI::App* command = line.command(line.app, "chat", "Do what a line of a chat asks for", examples,
                                   arguments, reporting(chat));
  command->add_option("LINE", arguments.line, "The line; -: read from stdin")->required();
  command
      ->add_option("--sender", arguments.sender,
                   "Where it was said; must be one of the chat_senders of the settings")
      ->type_name("PLACE");
  line.setting(*command, "channel", "--channel");
}

void add_mcp(CommandLine& line) {
  line.command(line.app, "mcp", "Give an agent tools to run sessions, over stdin and stdout",
               "  claude mcp add steno -- steno mcp\n"
               "It speaks the Model Context Protocol.",
               line.keep<McpArguments>(), reporting(mcp));
}

void add_gateway(CommandLine& line) {
  auto& arguments = line.keep<GatewayArguments>();
  CLI::App* command = line.command(line.app, "gateway", "Serve JSON-RPC 2.0 on the bus",
                                   "  steno gateway\n"
                                   "  steno --gateway true serve\n"
                                   "A request is one ZeroMQ frame to gateway.sock in the run "
                                   "folder, and so is its answer.",
                                   arguments, reporting(gateway));
  command->add_option("--parent", arguments.parent, "")
      ->check(within(0, base::kIntegerLimit - 1))
      ->group("");  // given by a server
}

}  // namespace

void add_surface_commands(CommandLine& line) {
  add_chat(line);
  add_mcp(line);
  add_gateway(line);
}

}  // namespace steno
