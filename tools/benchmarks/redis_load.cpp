#include "tools/benchmarks/redis_load.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace benchmarks {
namespace {

constexpr Nanoseconds kReadyMax = std::chrono::seconds(20);
constexpr int kWaitMs = 1000;
constexpr std::size_t kLists = 64;  // as many as Steno has sessions in use

base::Error errno_error(const std::string& what) {
  return {base::ErrorCode::io, "redis: " + what + ": " + std::strerror(errno), {}};
}

base::Result<std::string> version_of_redis(const std::string& log) {
  auto asked = ChildProcess::start({"redis-server", "--version"}, log);
  if (!asked) return tl::unexpected(asked.error());
  auto line = (*asked)->read_line(kReadyMax);
  if (!line) return base::failure(base::ErrorCode::not_found, "redis-server is not installed");
  const std::size_t at = line->find("v=");
  return at == std::string::npos ? *line : line->substr(at + 2, line->find(' ', at) - at - 2);
}

}  // namespace

base::Result<std::unique_ptr<RedisServer>> RedisServer::start(Workbench& bench) {
  const std::string folder = bench.fresh_folder("redis");
  auto server = std::make_unique<RedisServer>();
  auto version = version_of_redis(folder + ".log");
  if (!version) return tl::unexpected(version.error());
  server->version_ = *version;
  server->socket_path_ = folder + "/socket";
  // No snapshots and no rewriting of the append-only file: both would only cost Redis time.
  auto process =
      ChildProcess::start({"redis-server", "--port", "0", "--unixsocket", server->socket_path_,
                           "--dir", folder, "--appendonly", "yes", "--appendfsync", "always",
                           "--save", "", "--auto-aof-rewrite-percentage", "0", "--daemonize", "no"},
                          folder + ".log");
  if (!process) return tl::unexpected(process.error());
  server->process_ = std::move(*process);
  for (;;) {
    const auto line = server->process_->read_line(kReadyMax);
    if (!line) return tl::unexpected(line.error());
    if (line->find("eady to accept connections") != std::string::npos) return server;
  }
}

base::Result<std::unique_ptr<RedisLoad>> RedisLoad::connect(const RedisServer& server,
                                                            std::size_t connections,
                                                            std::size_t value_bytes) {
  std::unique_ptr<RedisLoad> load(new RedisLoad(value_bytes));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  server.socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
  for (std::size_t i = 0; i < connections; ++i) {
    Connection& connection = load->connections_.emplace_back();
    connection.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection.fd < 0 || ::connect(connection.fd, reinterpret_cast<const sockaddr*>(&address),
                                       sizeof address) != 0) {
      return tl::unexpected(errno_error("connect"));
    }
    fcntl(connection.fd, F_SETFL, O_NONBLOCK);
  }
  return load;
}

RedisLoad::~RedisLoad() {
  for (const Connection& connection : connections_) close(connection.fd);
}

base::Result<bool> RedisLoad::start(std::size_t slot) {
  next_list_ = (next_list_ + 1) % kLists;
  const std::string list = "session:" + std::to_string(next_list_);
  Connection& connection = connections_[slot % connections_.size()];
  base::Bytes& out = connection.out;
  out += "*3\r\n$5\r\nRPUSH\r\n$" + std::to_string(list.size()) + "\r\n" + list + "\r\n$" +
         std::to_string(value_.size()) + "\r\n";
  out += value_;
  out += "\r\n";
  connection.slots.push_back(slot);
  return true;
}

base::Result<bool> RedisLoad::advance(std::vector<std::size_t>& done) {
  for (Connection& connection : connections_) {
    if (auto ok = send(connection); !ok) return ok;
    if (connection.slots.empty()) continue;
    if (auto ok = receive(connection, done); !ok) return ok;
  }
  return true;
}

base::Result<bool> RedisLoad::send(Connection& connection) {
  if (connection.out.empty()) return true;
  const ssize_t sent = ::send(connection.fd, connection.out.data(), connection.out.size(), 0);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return tl::unexpected(errno_error("send"));
  if (sent > 0) connection.out.erase(0, static_cast<std::size_t>(sent));
  return true;
}

base::Result<bool> RedisLoad::receive(Connection& connection, std::vector<std::size_t>& done) {
  char bytes[65536];
  const ssize_t got = recv(connection.fd, bytes, sizeof bytes, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return base::failure(base::ErrorCode::unreachable, "redis has ended");
  connection.in.append(bytes, static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = connection.in.find("\r\n", begin)) != base::Bytes::npos;
       begin = end + 2) {
    if (connection.in[begin] != ':') {
      return base::failure(base::ErrorCode::refused,
                           "redis answers " + connection.in.substr(begin, end - begin));
    }
    done.push_back(connection.slots.front());
    connection.slots.pop_front();
  }
  connection.in.erase(0, begin);
  return true;
}

base::Result<bool> RedisLoad::wait(int timer_fd) {
  std::vector<pollfd> items;
  for (const Connection& connection : connections_) {
    const int events = connection.out.empty() ? POLLIN : POLLIN | POLLOUT;
    items.push_back({connection.fd, static_cast<short>(events), 0});
  }
  if (timer_fd >= 0) items.push_back({timer_fd, POLLIN, 0});
  if (poll(items.data(), items.size(), kWaitMs) < 0 && errno != EINTR) {
    return tl::unexpected(errno_error("poll"));
  }
  return true;
}

base::Result<std::optional<RedisPeer>> RedisPeer::start(Workbench& bench, std::size_t connections,
                                                        std::size_t value_bytes) {
  auto server = RedisServer::start(bench);
  if (!server && server.error().code == base::ErrorCode::not_found) {
    bench.note_absent("redis");
    return std::optional<RedisPeer>();
  }
  if (!server) return tl::unexpected(server.error());
  auto load = RedisLoad::connect(**server, connections, value_bytes);
  if (!load) return tl::unexpected(load.error());
  return std::optional<RedisPeer>(RedisPeer{std::move(*server), std::move(*load)});
}

}  // namespace benchmarks
