// Redis as the target of a load, with an append-only file that is synced before each answer. Every
// request is an RPUSH of one value to one of many lists, Redis' cheapest durable append.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/load.hpp"
#include "tools/benchmarks/socket_stream.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {

// Our own redis-server on a Unix socket in the private folder; it ends with this object.
class RedisServer {
 public:
  // Error not_found: no redis-server is installed.
  static base::Result<std::unique_ptr<RedisServer>> start(Workbench& bench);
  const std::string& socket_path() const { return socket_path_; }
  const std::string& version() const { return version_; }

 private:
  std::unique_ptr<ChildProcess> process_;
  std::string socket_path_;
  std::string version_;
};

class RedisLoad final : public LoadTarget {
 public:
  // `value_bytes` is the size of each pushed value.
  static base::Result<std::unique_ptr<RedisLoad>> connect(const RedisServer& server,
                                                          std::size_t connections,
                                                          std::size_t value_bytes);

  base::Result<void> start(std::size_t slot) override;
  base::Result<void> advance(std::vector<std::size_t>& done) override;
  base::Result<void> wait(int timer_fd) override;

 private:
  struct Connection {
    SocketStream stream;
    std::deque<std::size_t> slots;  // in the order of their answers
  };

  explicit RedisLoad(std::size_t value_bytes) : value_(value_bytes, 'v') {}
  static base::Result<void> take_answers(Connection& connection, std::vector<std::size_t>& done);

  const base::Bytes value_;
  std::vector<Connection> connections_;
  std::size_t next_list_ = 0;
};

struct RedisPeer {
  std::unique_ptr<RedisServer> server;
  std::unique_ptr<RedisLoad> load;

  // Returns none if Redis is absent, and notes that in the workbench.
  static base::Result<std::optional<RedisPeer>> start(Workbench& bench, std::size_t connections,
                                                      std::size_t value_bytes);
};

}  // namespace benchmarks
