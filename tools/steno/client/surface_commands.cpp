// `chat`, `mcp` and `gateway`: the operations for chat bots, for agents, and for programs on the
// bus.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/line_input.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/operations/surfaces.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

// A sender that is said and empty is nobody, not this user.
Outcome<bool> check_sender(const Config& config, const ChatArguments& arguments) {
  if (!arguments.sender) return true;
  const auto& known = config.chat_senders;
  if (std::find(known.begin(), known.end(), *arguments.sender) == known.end()) {
    return fail(kExitRefused, "'" + workers::safe_line(*arguments.sender) +
                                  "' is not among the chat_senders of the settings, who can give "
                                  "commands");
  }
  // Whoever writes in a chat does not decide what this process reads.
  if (arguments.line != "-") return true;
  return fail(kExitUsage, "with --sender the line is said here, not read from stdin");
}

constexpr base::Duration kSocketLookEvery = std::chrono::seconds(1);  // whether the socket is there

// Ends this process when the one that started it has ended. False: it has ended already.
bool end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGINT);
  return ::getppid() == parent;
}

}  // namespace

Outcome<int> chat(const Config& config, const ChatArguments& arguments) {
  if (const auto ok = check_sender(config, arguments); !ok) {
    return tl::unexpected(ok.error());
  }
  std::string line = arguments.line;
  if (line == "-") {
    LineInput input(STDIN_FILENO);
    line = read_all(input);
  }
  if (const auto ok = check_chat_line(line); !ok) return tl::unexpected(ok.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  // A sender reads in the place of the line, unless a flag names another one.
  const bool is_named = is_flag(config, "channel");
  const auto answer =
      do_chat_line(**connection, is_named ? config.channel : arguments.sender.value_or(""), line);
  if (!answer) return tl::unexpected(answer.error());
  const std::string text = is_stdout_terminal() ? workers::safe_text(answer->text) : answer->text;
  print((config.output == OutputFormat::table ? text : answer->json) + "\n");
  return kExitOk;
}

Outcome<int> mcp(const Config& config, const McpArguments&) {
  // The agent hears at its first call if there is no server.
  std::unique_ptr<Connection> connection;
  const auto connect = [&]() -> Outcome<Connection*> {
    if (connection != nullptr) return connection.get();
    auto opened = Connection::open(config);
    if (!opened) return tl::unexpected(opened.error());
    connection = std::move(*opened);
    return connection.get();
  };
  LineInput input(STDIN_FILENO);
  while (!input.is_at_end()) {
    input.fill();
    while (const auto line = input.take_line()) {
      if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
      const std::string answer = answer_json_rpc(connect, *line);
      if (answer.empty()) continue;
      print(answer + "\n");
      if (!flush()) return kExitOk;  // nobody reads any more
    }
  }
  return kExitOk;
}

Outcome<int> gateway(const Config& config, const GatewayArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  if (arguments.parent != 0 && !end_with(static_cast<pid_t>(arguments.parent))) return kExitOk;
  const std::string& endpoint = (*connection)->endpoints().gateway;
  auto socket = bus::bind_server((*connection)->context(), endpoint);
  if (!socket) return fail(socket.error());
  print("ready " + endpoint + "\n");
  flush();
  const auto connect = [&]() -> Outcome<Connection*> { return connection->get(); };
  const Interrupts& interrupts = *(*connection)->interrupts();
  for (;;) {
    while (auto incoming = (*socket)->receive()) {
      std::string answer = answer_json_rpc(connect, incoming->bytes());
      // Whoever asked and is gone, or reads nothing, misses the answer.
      if (!answer.empty()) static_cast<void>((*socket)->send(incoming->peer, std::move(answer)));
      // A call that waits takes the interrupt, too.
      if (interrupts.was_taken()) return kExitOk;
    }
    std::vector<bus::PollItem> items{bus::PollItem::of(**socket),
                                     bus::PollItem::of(interrupts.fd())};
    if (const auto ok = bus::poll(items, kSocketLookEvery); !ok) return fail(ok.error());
    // Removed with its folder, it is made anew; until that works, those who are connected stay.
    static_cast<void>((*socket)->stay_reachable());
    if ((*connection)->interrupts()->take()) return kExitOk;
  }
}

}  // namespace steno
