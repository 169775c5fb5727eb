// Speaks Redis' protocol itself; answers come in the order of requests on each connection.
#include "tools/benchmarks/redis_load.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kRedisReadyMax = std::chrono::seconds(20);
constexpr std::size_t kLists = 64;  // as many as Steno has sessions in use

base::Result<std::string> version_of_redis(const std::string& log) {
  auto asked = ChildProcess::start({"redis-server", "--version"}, log);
  if (!asked) return tl::unexpected(asked.error());
  auto line = (*asked)->read_line(kRedisReadyMax);
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
  // Snapshots and rewrites of the append-only file are off: both would only cost Redis time.
  auto process =
      ChildProcess::start({"redis-server", "--port", "0", "--unixsocket", server->socket_path_,
                           "--dir", folder, "--appendonly", "yes", "--appendfsync", "always",
                           "--save", "", "--auto-aof-rewrite-percentage", "0", "--daemonize", "no"},
                          folder + ".log");
  if (!process) return tl::unexpected(process.error());
  server->process_ = std::move(*process);
  for (;;) {
    const auto line = server->process_->read_line(kRedisReadyMax);
    if (!line) return tl::unexpected(line.error());
    if (line->find("eady to accept connections") != std::string::npos) return server;
  }
}

base::Result<std::unique_ptr<RedisLoad>> RedisLoad::connect(const RedisServer& server,
                                                            std::size_t connections,
                                                            std::size_t value_bytes) {
  std::unique_ptr<RedisLoad> load(new RedisLoad(value_bytes));
  for (std::size_t i = 0; i < connections; ++i) {
    auto stream = SocketStream::connect_unix(server.socket_path());
    if (!stream) return tl::unexpected(stream.error());
    load->connections_.push_back({std::move(*stream), {}});
  }
  return load;
}

base::Result<void> RedisLoad::start(std::size_t slot) {
  next_list_ = (next_list_ + 1) % kLists;
  const std::string list = "session:" + std::to_string(next_list_);
  Connection& connection = connections_[slot % connections_.size()];
  base::Bytes& out = connection.stream.out;
  out += "*3\r\n$5\r\nRPUSH\r\n$" + std::to_string(list.size()) + "\r\n" + list + "\r\n$" +
         std::to_string(value_.size()) + "\r\n";
  out += value_;
  out += "\r\n";
  connection.slots.push_back(slot);
  return {};
}

base::Result<void> RedisLoad::advance(std::vector<std::size_t>& done) {
  for (Connection& connection : connections_) {
    if (auto ok = connection.stream.send(); !ok) return ok;
    if (connection.slots.empty()) continue;
    if (auto ok = connection.stream.receive(); !ok) return ok;
    if (auto ok = take_answers(connection, done); !ok) return ok;
  }
  return {};
}

base::Result<void> RedisLoad::take_answers(Connection& connection, std::vector<std::size_t>& done) {
  base::Bytes& in = connection.stream.in;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = in.find("\r\n", begin)) != base::Bytes::npos; begin = end + 2) {
    if (in[begin] != ':') {
      return base::failure(base::ErrorCode::refused,
                           "redis answers " + in.substr(begin, end - begin));
    }
    done.push_back(connection.slots.front());
    connection.slots.pop_front();
  }
  in.erase(0, begin);
  return {};
}

base::Result<void> RedisLoad::wait(int timer_fd) {
  std::vector<const SocketStream*> streams;
  for (const Connection& connection : connections_) streams.push_back(&connection.stream);
  return wait_for_any(streams, timer_fd);
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
