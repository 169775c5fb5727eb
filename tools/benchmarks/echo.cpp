// Both processes block in ZeroMQ calls, so that the round trip has no cost of a poller or a loop.
#include "tools/benchmarks/echo.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include <zmq.hpp>

namespace benchmarks {
namespace {

constexpr Nanoseconds kEchoMax = std::chrono::seconds(30);

}  // namespace

int run_echo_server(const std::string& endpoint_and_reply_bytes) {
  const std::size_t comma = endpoint_and_reply_bytes.rfind(',');
  const std::string reply(std::stoul(endpoint_and_reply_bytes.substr(comma + 1)), 'r');
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.bind(endpoint_and_reply_bytes.substr(0, comma));
  std::printf("ready\n");
  std::fflush(stdout);
  for (;;) {
    zmq::message_t peer;
    zmq::message_t request;
    if (!socket.recv(peer) || !socket.recv(request)) return 1;
    socket.send(peer, zmq::send_flags::sndmore);
    socket.send(zmq::buffer(reply), zmq::send_flags::none);
  }
}

int run_echo_client(const std::string& endpoint) {
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.connect(endpoint);
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (std::scanf("%zu %zu", &count, &bytes) == 2) {
    const std::string request(bytes, 'q');
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < count; ++i) {
      const Nanoseconds begun = now();
      socket.send(zmq::buffer(request), zmq::send_flags::none);
      zmq::message_t reply;
      if (!socket.recv(reply)) return 1;
      times.push_back((now() - begun).count());
    }
    std::fwrite(times.data(), sizeof times[0], times.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

base::Result<std::unique_ptr<Echo>> Echo::start(const std::string& program,
                                                const std::string& folder,
                                                std::size_t reply_bytes) {
  const std::string endpoint = "ipc://" + folder + "/echo";
  auto server =
      ChildProcess::start({program, "--echo-server", endpoint + "," + std::to_string(reply_bytes)},
                          folder + "/echo.log");
  if (!server) return tl::unexpected(server.error());
  if (auto ready = (*server)->read_line(kEchoMax); !ready) return tl::unexpected(ready.error());
  auto client = ChildProcess::start({program, "--echo-client", endpoint}, folder + "/echo.log");
  if (!client) return tl::unexpected(client.error());
  return std::unique_ptr<Echo>(new Echo(std::move(*server), std::move(*client)));
}

base::Result<Latencies> Echo::ask(std::size_t count, std::size_t request_bytes) {
  const std::string line = std::to_string(count) + " " + std::to_string(request_bytes) + "\n";
  if (auto ok = client_->write(line); !ok) return tl::unexpected(ok.error());
  const auto bytes = client_->read_bytes(count * sizeof(std::int64_t), kEchoMax);
  if (!bytes) return tl::unexpected(bytes.error());
  Latencies latencies;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t time = 0;
    std::memcpy(&time, bytes->data() + i * sizeof time, sizeof time);
    latencies.add(Nanoseconds(time));
  }
  return latencies;
}

}  // namespace benchmarks
