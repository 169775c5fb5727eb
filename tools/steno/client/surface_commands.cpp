// `chat`, `mcp` and `gateway`: the operations for chat bots, for agents, and for programs on the
// bus.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <utility>
#include <vector>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/line_input.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/operations/operations.hpp"
#include "workers/operations/surfaces.hpp"
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

// The input of an agent wakes the process by itself; it is looked at so often all the same.
constexpr base::Duration kLookEvery = std::chrono::hours(1);
constexpr base::Duration kSocketLookEvery = std::chrono::seconds(1);  // whether the socket is there

// Ends this process when the one that started it has ended. False: it has ended already.
bool end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGINT);
  return ::getppid() == parent;
}

// Messages of JSON-RPC that are being answered. While there are so many of them no further one is
// read, so that whoever asks too much waits.
constexpr std::size_t kMessagesMax = 64;

struct Agent {};  // whose pipe this is

// `From`: to whom the answer goes.
template <class From>
class UnderWay {
 public:
  // `connect` and the table of operations outlive it.
  explicit UnderWay(const workers::Connect& connect) : connect_(connect) {}

  bool has_room() const { return messages_.size() < kMessagesMax; }
  bool is_empty() const { return messages_.empty(); }

  void begin(From from, std::string message) {
    auto answer = workers::answer_json_rpc(workers::operations(), connect_, std::move(message));
    answer.start();
    messages_.push_back({std::move(from), std::move(answer)});
  }
  // Hands out the answers that are there.
  template <class Give>
  void hand_out(const Give& give) {
    std::erase_if(messages_, [&](Message& message) {
      if (!message.answer.is_done()) return false;
      std::string answer = message.answer.take();
      if (!answer.empty()) give(message.from, std::move(answer));
      return true;
    });
  }

 private:
  struct Message {
    From from;
    workers::Task<std::string> answer;
  };

  const workers::Connect& connect_;
  std::vector<Message> messages_;
};

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
  if (const auto ok = workers::check_chat_line(workers::operations(), line); !ok) {
    return fail(ok.error());
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  // A sender reads in the place of the line, unless a flag names another one.
  const bool is_named = is_flag(config, "channel");
  workers::Caller caller = (*connection)->caller();
  caller.channel = is_named ? config.channel : arguments.sender.value_or("");
  const auto answer = (*connection)
                          ->run(workers::do_chat_line(workers::operations(), std::move(caller),
                                                      line, config.takes_file_mentions));
  if (!answer) return tl::unexpected(answer.error());
  const std::string text = is_stdout_terminal() ? workers::safe_text(answer->text) : answer->text;
  print((config.output == OutputFormat::table ? text : answer->json) + "\n");
  return kExitOk;
}

Outcome<int> mcp(const Config& config, const McpArguments&) {
  // The agent hears at its first call if there is no server.
  std::unique_ptr<Connection> connection;
  const workers::Connect connect = [&]() -> workers::Outcome<const workers::Caller*> {
    if (connection == nullptr) {
      auto opened = Connection::open(config);
      if (!opened) return tl::unexpected(refusal_of(opened.error()));
      connection = std::move(*opened);
    }
    return &connection->caller();
  };
  LineInput input(STDIN_FILENO);
  UnderWay<Agent> calls(connect);
  bool is_read = true;  // somebody reads the answers
  const auto is_over = [&] { return !is_read || (input.is_at_end() && calls.is_empty()); };
  while (!is_over()) {
    while (calls.has_room()) {
      auto line = input.take_line();
      if (!line) break;
      if (line->find_first_not_of(" \t\r") != std::string::npos) calls.begin({}, *line);
    }
    const bool was_full = !calls.has_room();
    calls.hand_out([&](Agent, const std::string& answer) {
      print(answer + "\n");
      is_read = is_read && flush();
    });
    // Nothing is awaited any more, or lines were read and not begun.
    if (is_over() || (was_full && calls.has_room())) continue;
    std::array<bus::PollItem, 1> items{};
    if (calls.has_room() && !input.has_ended()) items[0].fd = input.fd();
    if (connection != nullptr) {
      const auto worked = connection->work(items, kLookEvery);
      if (!worked) return tl::unexpected(worked.error());
    } else if (const auto ok = bus::poll(items, kLookEvery); !ok) {
      return fail(ok.error());
    }
    if (items[0].is_readable) input.fill();
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
  const workers::Connect connect = [&]() -> workers::Outcome<const workers::Caller*> {
    return &(*connection)->caller();
  };
  UnderWay<bus::PeerId> calls(connect);
  while (!(*connection)->interrupts()->take()) {
    while (calls.has_room()) {
      auto incoming = (*socket)->receive();
      if (!incoming) break;
      calls.begin(incoming->peer, std::string(incoming->bytes()));
    }
    // Whoever asked and is gone, or reads nothing, misses the answer.
    calls.hand_out([&](const bus::PeerId& peer, std::string answer) {
      static_cast<void>((*socket)->send(peer, std::move(answer)));
    });
    std::array<bus::PollItem, 1> items{};
    if (calls.has_room()) items[0] = bus::PollItem::of(**socket);
    if (const auto ok = (*connection)->work(items, kSocketLookEvery); !ok) {
      return tl::unexpected(ok.error());
    }
    // Removed with its folder, it is made anew; until that works, those who are connected stay.
    static_cast<void>((*socket)->stay_reachable());
  }
  return kExitOk;
}

}  // namespace steno
